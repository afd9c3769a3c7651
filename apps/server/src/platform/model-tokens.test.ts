import { expect, test } from 'vitest';
import { costMicros, estimateInputTokens, estimateTokens } from './model.ts';

test.each([
  ['', 0],
  ['The quick brown fox jumps over the lazy dog.', 23],
  ['Donaudampfschifffahrtsgesellschaft', 17],
  ['4711-0815', 9],
  ['日本語のテキスト', 24],
  ['👩‍👩‍👧', 18],
  ['Übergröße', 9],
])('estimates %j at %d tokens', (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens);
});

test('estimates at most one token per byte and at least one per three characters', () => {
  for (const text of ['plain words', 'été 日本 🎉', '{"a":[1,2]}\n\t', '\ud800']) {
    expect(estimateTokens(text)).toBeLessThanOrEqual(Buffer.byteLength(text) + 1);
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(text.length / 3);
  }
});

test('counts every part of a request', () => {
  const request = {
    system: 'Be kind.',
    messages: [{ role: 'user' as const, text: 'Hello' }],
    maxOutputTokens: 1,
    temperature: 0,
    firstTokenMs: 1,
    stallMs: 1,
    totalMs: 1,
  };
  const alone = estimateInputTokens(request);
  expect(alone).toBeGreaterThanOrEqual(estimateTokens('Be kind.') + estimateTokens('Hello'));
  const tools = [{ name: 'find', description: 'Finds it.', inputSchema: { type: 'object' } }];
  const withTools = estimateInputTokens({ ...request, tools });
  expect(withTools).toBeGreaterThan(alone + 500);
  const toolCalls = [{ id: '1', name: 'find', input: { a: 'b'.repeat(100) } }];
  const toolResults = [{ text: 'x', toolCalls, results: [{ id: '1', output: 'c'.repeat(100) }] }];
  expect(estimateInputTokens({ ...request, tools, toolResults })).toBeGreaterThan(withTools + 100);
});

test.each([
  [0.4, 1.6, 1000, 100, 560],
  [0.15, 0.6, 1, 0, 1],
  [1.1, 0, 100, 0, 110],
  [0, 0, 1_000_000, 1_000_000, 0],
  [3, 15, 1_000_000, 1_000_000, 18_000_000],
  [0.000_001, 0, 1, 0, 1],
])(
  'at %d and %d dollars a million, %d and %d tokens cost %d micros',
  (inputPrice, outputPrice, inputTokens, outputTokens, micros) => {
    expect(costMicros({ inputPrice, outputPrice }, { inputTokens, outputTokens })).toBe(micros);
  },
);
