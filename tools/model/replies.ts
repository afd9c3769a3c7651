import { createHash } from 'node:crypto';

export interface ChatRequest {
  model: string;
  messages: {
    role: string;
    content: string | { text?: string }[] | null;
    tool_calls?: unknown[];
    tool_call_id?: string;
  }[];
  tools?: { type: 'function'; function: { name: string; description?: string; parameters?: unknown } }[];
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  max_tokens?: number;
  max_completion_tokens?: number;
}

/** How one call is answered. A word counts as a token. */
export interface Reply {
  words: string[];
  everyMs: number;
  firstAfterMs?: number;
  /** Before this word, counted from 0, it waits for a test to let it go on. */
  hold?: { at: number; until: Promise<unknown> };
  /** An HTTP status, and nothing else. */
  failWith?: number;
  /** After so many words: never ends, or the connection is reset. */
  hangAfter?: number;
  resetAfter?: number;
  /** After so many words: waits for this, and goes on. */
  pause?: { after: number; until: Promise<unknown> };
  /** After the words comes something that is not JSON. */
  malformed?: boolean;
  toolCalls?: { id?: string; name: string; input: unknown }[];
  noUsage?: boolean;
}

const textOf = (content: ChatRequest['messages'][number]['content']) =>
  typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('');

/** Says what the first chunk of the prompt says, or that it does not know: enough to see a bot at work. */
export function answerFromChunks({ messages }: ChatRequest): Reply {
  const prompt = messages
    .filter(({ role }) => role === 'system')
    .map(({ content }) => textOf(content))
    .join('\n');
  const [, attributes = '', chunk = ''] = /<excerpt\b([^>]*)>([\s\S]*?)<\/excerpt>/i.exec(prompt) ?? [];
  const number = /\b(?:id|n|number)="?([\w-]+)"?/.exec(attributes)?.[1];
  const quoted = beginningOf(chunk);
  const toldToSay = /reply with exactly (\w+)/.exec(prompt)?.[1]; // what it is to say when it does not know
  const text = quoted
    ? `Here is what I found: ${quoted}${number ? ` [${number}]` : ''}`
    : (toldToSay ?? 'I am sorry, I do not know that. I found nothing about it in what I was given to read.');
  return { words: text.split(' '), everyMs: 20 };
}

/** The first sentences, up to about three hundred characters. */
function beginningOf(chunk: string): string {
  const sentences =
    chunk
      .replaceAll(/\s+/g, ' ')
      .trim()
      .match(/[^.!?。！？]+[.!?。！？]*\s*/gu) ?? [];
  let text = '';
  for (const sentence of sentences) if (text === '' || text.length + sentence.length <= 300) text += sentence;
  return text.trim();
}

export const tokensIn = ({ messages, tools }: ChatRequest) =>
  Math.ceil((messages.map(({ content }) => textOf(content)).join('').length + JSON.stringify(tools ?? []).length) / 4);

/** Texts that share words are near each other. The same text has the same vector, everywhere and always. */
export function vectorOf(text: string, dimensions: number): number[] {
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const place = createHash('sha256').update(word).digest().readUInt32BE() % dimensions;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
