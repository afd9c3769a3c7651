import type { ModelConnection, ModelRequest } from './model-types.ts';

/**
 * An upper bound for common tokenizers: half a token per ASCII character or space, one per other byte. Tokenizers fall back
 * to bytes, so rare scripts, emoji and digits cost up to one token per byte; other text costs at most one token per two
 * characters. English text is estimated at about twice its real tokens.
 */
export function estimateTokens(text: string): number {
  let halves = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const character = code | 0x20;
    if (code === 0x20 || code === 0x0a || (character >= 0x61 && character <= 0x7a)) halves += 1;
    else if (code < 0x80) halves += 2;
    else if (code < 0x800 || (code >= 0xd800 && code <= 0xdfff)) halves += 4;
    else halves += 6;
  }
  return Math.ceil(halves / 2);
}

/** Tokens that providers add per message and per tool, and once if there are tools. */
const overhead = { message: 12, tool: 16, tools: 500 };

/** The maximum input tokens of a request, to reserve budget before the call. */
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

/** In millionths of a US dollar, rounded up. A price of $1 per million tokens is one per token. */
export function costMicros(
  { inputPrice, outputPrice }: Pick<ModelConnection, 'inputPrice' | 'outputPrice'>,
  { inputTokens, outputTokens }: { inputTokens: number; outputTokens: number },
): number {
  const exact = inputTokens * inputPrice + outputTokens * outputPrice;
  return Math.ceil(exact * (1 - 1e-12)); // in floating point, 100 × 1.1 is slightly more than 110 and must not be rounded to 111
}
