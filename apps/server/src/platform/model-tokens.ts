import type { ModelConnection, ModelRequest } from './model-types.ts';

/**
 * At least as many tokens as any tokenizer in use makes of what people write: half a token for an ASCII letter or
 * blank, one for every other byte. Tokenizers fall back to bytes, so rare scripts, emoji and digits cost up to one a
 * byte; words written in letters cost one for two letters at worst. English comes out at twice its tokens.
 */
export function estimateTokens(text: string): number {
  let halves = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const letter = code | 0x20;
    if (code === 0x20 || code === 0x0a || (letter >= 0x61 && letter <= 0x7a)) halves += 1;
    else if (code < 0x80) halves += 2;
    else if (code < 0x800 || (code >= 0xd800 && code <= 0xdfff)) halves += 4;
    else halves += 6;
  }
  return Math.ceil(halves / 2);
}

/** What providers add around a message, and before the tools. */
const overhead = { message: 12, tool: 16, tools: 500 };

/** What a request reads, at most: for setting money aside before it is made. */
export function estimateInputTokens({ system, messages, tools = [], toolResults = [] }: ModelRequest): number {
  const texts = [
    system,
    ...messages.map(({ text }) => text),
    ...toolResults.flatMap(({ text, toolCalls, results }) => [
      text,
      ...toolCalls.map(({ id, name, input }) => `${id} ${name} ${JSON.stringify(input)}`),
      ...results.map(({ id, output }) => `${id} ${toText(output)}`),
    ]),
  ];
  const toolTokens = tools.map((tool) => estimateTokens(JSON.stringify(tool)) + overhead.tool);
  return (
    texts.reduce((sum, text) => sum + estimateTokens(text) + overhead.message, 0) +
    toolTokens.reduce((sum, tokens) => sum + tokens, tools.length > 0 ? overhead.tools : 0)
  );
}

export const toText = (output: unknown) => (typeof output === 'string' ? output : (JSON.stringify(output) ?? ''));

/** Millionths of a US dollar, rounded up: a price of 1 dollar for a million tokens is one of them for each. */
export function costMicros(
  { inputPrice, outputPrice }: Pick<ModelConnection, 'inputPrice' | 'outputPrice'>,
  { inputTokens, outputTokens }: { inputTokens: number; outputTokens: number },
): number {
  const exact = inputTokens * inputPrice + outputTokens * outputPrice;
  return Math.ceil(exact * (1 - 1e-12)); // 100 × 1.1 is a little more than 110 here, and must not cost 111
}
