import type { LogEvent } from '../shared/wire.ts';

/** An error response. Without a status, there was no response. */
export interface RequestError extends Error {
  status?: number;
  reason?: string;
  retryAfter?: number;
}

interface RequestOptions {
  method?: string;
  body?: object;
  token?: string;
  isStream?: boolean;
  signal?: AbortSignal | undefined;
}

export async function request(
  url: string,
  { method = 'GET', body, token, isStream, signal }: RequestOptions,
): Promise<Response> {
  const response = await fetch(url, {
    method,
    credentials: 'omit',
    cache: 'no-store',
    signal: signal ?? null,
    headers: {
      accept: isStream ? 'text/event-stream' : 'application/json',
      // Not application/json, which would need a CORS preflight, another round trip on a slow connection.
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

/** A retry would fail the same way. */
export const isPermanent = ({ status = 0 }: RequestError) =>
  status >= 400 && status < 500 && status !== 408 && status !== 429;

/** Reads server-sent events until the stream ends. `onBytes` is also called for comments. */
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
