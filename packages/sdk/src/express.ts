import { isBytes, receive, wholeOf, type ReceiverOptions } from './receiving.ts';

/** What we use of Express, in any of its versions, and of whatever else is built on Node's own server. */
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
 * Your endpoint in Express. It reads the raw body by itself, so mount it before `express.json()`; behind it works too, as
 * long as what was parsed can be written again to the same bytes.
 *
 * @example
 * app.post('/parley', express({ secrets: SECRET, onEvent, actions }));
 */
export const express =
  (options: ReceiverOptions) =>
  async (request: NodeRequest, response: NodeResponse, next: (error: unknown) => void): Promise<void> => {
    try {
      const { body, isRewritten } = await bodyOf(request);
      const answer = await receive(options, { body, headers: request.headers });
      if (isRewritten && answer.status === 401) (options.onError ?? console.error)(new Error(advice));
      response.writeHead(answer.status, answer.headers).end(answer.body);
    } catch (error) {
      next(error);
    }
  };

const advice =
  'A webhook was rejected because its body had already been parsed. If the secret is correct, mount ' +
  'express() from @parley/sdk before express.json(), or give express.json() a verify function that sets request.rawBody.';

async function bodyOf(request: NodeRequest): Promise<{ body: Uint8Array | string | undefined; isRewritten: boolean }> {
  const { rawBody, body } = request;
  for (const kept of [rawBody, body])
    if (typeof kept === 'string' || isBytes(kept)) return { body: kept, isRewritten: false };
  if (!request.readableEnded) return { body: await wholeOf(request), isRewritten: false };
  // The signature is held against what we write here: what the parser changed is refused.
  return { body: JSON.stringify(body ?? null), isRewritten: true };
}
