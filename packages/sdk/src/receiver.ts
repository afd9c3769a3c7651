import { receive, readBody, type ReceiverOptions } from './receiving.ts';

export type { ReceiverOptions } from './receiving.ts';

/**
 * Your endpoint, for runtimes with `Request` and `Response`.
 *
 * @example
 * const receiver = createReceiver({ secrets: SECRET, onEvent: (event) => console.log(event.type), actions });
 * Deno.serve(receiver);
 */
export const createReceiver =
  (options: ReceiverOptions) =>
  async (request: Request): Promise<Response> => {
    if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } });
    const { body, ...init } = await receive(options, {
      body: request.body ? await readBody(request.body) : '',
      headers: request.headers,
    });
    return new Response(body, init);
  };
