import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createGraph } from '../../../../../../tools/model/onnx.ts';
import { openLocalModel } from './local-model.ts';

// Tiny models in the formats that operators bring: three tokens, two dimensions.

const folder = mkdtempSync(join(tmpdir(), 'parley-models-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const tokenizer = {
  version: '1.0',
  added_tokens: [],
  normalizer: { type: 'Lowercase' },
  pre_tokenizer: { type: 'Whitespace' },
  post_processor: null,
  decoder: null,
  model: {
    type: 'WordPiece',
    vocab: { '[UNK]': 0, bike: 1, food: 2 },
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
  },
};
const table = [
  [0, 0],
  [3, 4],
  [4, -3],
];

/** A folder with a tokenizer and these files. */
function aFolder(name: string, files: Record<string, Buffer | string>): string {
  const path = join(folder, name);
  mkdirSync(path);
  writeFileSync(join(path, 'tokenizer.json'), JSON.stringify(tokenizer));
  for (const [file, content] of Object.entries(files)) writeFileSync(join(path, file), content);
  return path;
}

function safetensors(dtype: 'F32' | 'F16'): Buffer {
  const values = table.flat();
  const bytes =
    dtype === 'F32'
      ? Buffer.from(Float32Array.from(values).buffer)
      : Buffer.from(Uint16Array.from(values, (value) => halfFloats[value] ?? 0).buffer);
  const header = JSON.stringify({
    __metadata__: { format: 'pt' },
    embeddings: { dtype, shape: [3, 2], data_offsets: [0, bytes.length] },
  });
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, Buffer.from(header), bytes]);
}
const halfFloats: Record<number, number> = { 0: 0, 3: 0x4200, 4: 0x4400, [-3]: 0xc200 };

function onnx(): Buffer {
  const graph = createGraph();
  const weights = graph.weight({ type: 'float', shape: [3, 2], values: table.flat() });
  graph.add('Gather', [weights, 'input_ids'], ['last_hidden_state']);
  const shape = ['batch', 'tokens'];
  return graph.write(
    [{ name: 'input_ids', type: 'int64', shape }],
    [{ name: 'last_hidden_state', type: 'float', shape: [...shape, 2] }],
  );
}

describe.each([
  ['a table of floats', { 'model.safetensors': safetensors('F32') }],
  ['a table of half floats', { 'model.safetensors': safetensors('F16') }],
  ['a transformer', { 'model.onnx': onnx() }],
])('%s', (name, files) => {
  test('gives the mean direction of the tokens of a text', async () => {
    const embed = openLocalModel(aFolder(name, files));
    expect(rounded(await embed('Bike', 'question'))).toEqual([0.6, 0.8]);
    expect(rounded(await embed('bike food', 'question'))).toEqual([0.99, 0.14]);
  });
});

test('a question goes before chunks that wait', async () => {
  const embed = openLocalModel(aFolder('queue', { 'model.onnx': onnx() }));
  const order: string[] = [];
  const chunks = ['bike', 'food', 'bike food'].map((text) => embed(text, 'chunk').then(() => order.push(text)));
  await Promise.all([...chunks, embed('food bike', 'question').then(() => order.push('question'))]);
  expect(order.indexOf('question')).toBe(1); // the first chunk was being embedded already
});

test('says what a folder lacks, and works once it has it', async () => {
  const path = join(folder, 'late');
  mkdirSync(path);
  const embed = openLocalModel(path);
  await expect(embed('bike', 'question')).rejects.toThrow('no tokenizer.json');
  writeFileSync(join(path, 'tokenizer.json'), JSON.stringify(tokenizer));
  await expect(embed('bike', 'question')).rejects.toThrow('neither model.onnx nor model.safetensors');
  writeFileSync(join(path, 'model.onnx'), 'not a model');
  await expect(embed('bike', 'question')).rejects.toThrow();
  writeFileSync(join(path, 'model.onnx'), onnx());
  expect(rounded(await embed('bike', 'question'))).toEqual([0.6, 0.8]);
});

const rounded = (vector: Float32Array) => [...vector].map((value) => Math.round(value * 100) / 100);
