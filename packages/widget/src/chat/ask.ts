import type { LogEvent } from '../shared/wire.ts';

/** What the service answered instead of doing it. Without a status, nothing came back at all. */
export interface Refusal extends Error {
  status?: number;
  reason?: string;
  retryAfter?: number;
}

interface Asking {
  method?: string;
  body?: object;
  token?: string;
  isStream?: boolean;
  signal?: AbortSignal | undefined;
}

export async function ask(url: string, { method = 'GET', body, token, isStream, signal }: Asking): Promise<Response> {
  const response = await fetch(url, {
    method,
    credentials: 'omit',
    cache: 'no-store',
    signal: signal ?? null,
    headers: {
      accept: isStream ? 'text/event-stream' : 'application/json',
      // Not as JSON: before that a browser would ask whether it may, and on a slow line somebody waits for it.
      ...(body && { 'content-type': 'text/plain' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: body ? JSON.stringify(body) : null,
  });
  if (response.ok) return response;
  const { error } = (await response.json().catch(() => ({}))) as { error?: { message: string; reason: string } };
  throw Object.assign(new Error(error?.message ?? String(response.status)), {
    status: response.status,
    reason: error?.reason,
    retryAfter: Number(response.headers.get('retry-after')),
  });
}

/** Trying again would end the same way. */
export const isFinal = ({ status = 0 }: Refusal) => status >= 400 && status < 500 && status !== 408 && status !== 429;

/** Server-sent events, one by one, until the stream ends. `onBytes` also hears of the comments between them. */
export async function readEvents(
  response: Response,
  onEvent: (event: LogEvent) => void,
  onBytes = () => {},
): Promise<void> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ''; ;) {
    const { done, value } = await reader.read();
    if (done) return;
    onBytes();
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop()!;
    for (const block of blocks) {
      const field = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s, 2))) as Record<
        string,
        string
      >;
      if (field['data'])
        onEvent({ seq: Number(field['id']), type: field['event'] ?? '', data: JSON.parse(field['data']) });
    }
  }
}
