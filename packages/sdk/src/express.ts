import { isBytes, receive, readBody, type ReceiverOptions } from './receiving.ts';

/** The parts of Express that are used here. Compatible with all versions, and with other frameworks built on Node's server. */
interface NodeRequest extends AsyncIterable<Uint8Array> {
  headers: Record<string, string | string[] | undefined>;
  readableEnded?: boolean;
  body?: unknown;
  rawBody?: unknown;
}
interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown };
}

/**
 * Your endpoint in Express. It reads the raw body, so mount it before `express.json()`. After it also works, as long as the
 * parsed body serializes to the same bytes.
 *
 * @example
 * app.post('/parley', express({ secrets: SECRET, onEvent, actions }));
 */
export const express =
  (options: ReceiverOptions) =>
  async (request: NodeRequest, response: NodeResponse, next: (error: unknown) => void): Promise<void> => {
    try {
      const { body, isReserialized } = await bodyOf(request);
      const result = await receive(options, { body, headers: request.headers });
      if (isReserialized && result.status === 401) (options.onError ?? console.error)(new Error(parsedBodyAdvice));
      response.writeHead(result.status, result.headers).end(result.body);
    } catch (error) {
      next(error);
    }
  };

const parsedBodyAdvice =
  'A webhook was rejected because its body had already been parsed. If the secret is correct, mount ' +
  'express() from @parley/sdk before express.json(), or give express.json() a verify function that sets request.rawBody.';

async function bodyOf(
  request: NodeRequest,
): Promise<{ body: Uint8Array | string | undefined; isReserialized: boolean }> {
  const { rawBody, body } = request;
  for (const raw of [rawBody, body])
    if (typeof raw === 'string' || isBytes(raw)) return { body: raw, isReserialized: false };
  if (!request.readableEnded) return { body: await readBody(request), isReserialized: false };
  // The signature is verified against this: it fails if the parser changed anything.
  return { body: JSON.stringify(body ?? null), isReserialized: true };
}
