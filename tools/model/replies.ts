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

/** A scripted reply, sent token by token, separated by spaces. */
export interface Reply {
  tokens: string[];
  everyMs: number;
  firstAfterMs?: number;
  /** Waits for this before the token with this index. */
  hold?: { at: number; until: Promise<unknown> };
  /** Returns this HTTP status and nothing else. */
  failWith?: number;
  /** After this many tokens: hangs, or resets the connection. */
  hangAfter?: number;
  resetAfter?: number;
  /** After this many tokens: waits for this, then continues. */
  pause?: { after: number; until: Promise<unknown> };
  /** Sends invalid JSON after the tokens. */
  malformed?: boolean;
  toolCalls?: { id?: string; name: string; input: unknown }[];
  noUsage?: boolean;
}

const textOf = (content: ChatRequest['messages'][number]['content']) =>
  typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('');

/** Quotes the first excerpt of the prompt, or says that it does not know: enough to demonstrate a bot. */
export function answerFromChunks({ messages }: ChatRequest): Reply {
  const prompt = messages
    .filter(({ role }) => role === 'system')
    .map(({ content }) => textOf(content))
    .join('\n');
  const [, attributes = '', chunk = ''] = /<excerpt\b([^>]*)>([\s\S]*?)<\/excerpt>/i.exec(prompt) ?? [];
  const number = /\b(?:id|n|number)="?([\w-]+)"?/.exec(attributes)?.[1];
  const quoted = firstSentences(chunk);
  const fallback = /reply with exactly (\w+)/.exec(prompt)?.[1]; // the instructed reply if it does not know
  const text = quoted
    ? `Here is what I found: ${quoted}${number ? ` [${number}]` : ''}`
    : (fallback ?? 'I am sorry, I do not know that. I found nothing about it in what I was given to read.');
  return { tokens: text.split(' '), everyMs: 20 };
}

/** The first sentences, up to about three hundred characters. */
function firstSentences(chunk: string): string {
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

/** A vector that is similar for text with the same tokens, and always the same for the same text. */
export function vectorOf(text: string, dimensions: number): number[] {
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const token of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const index = createHash('sha256').update(token).digest().readUInt32BE() % dimensions;
    vector[index] = (vector[index] ?? 0) + 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
