import { receive, wholeOf, type ReceiverOptions } from './receiving.ts';

export type { ReceiverOptions } from './receiving.ts';

/**
 * Your endpoint, wherever a `Request` comes in and a `Response` goes out.
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
      body: request.body ? await wholeOf(request.body) : '',
      headers: request.headers,
    });
    return new Response(body, init);
  };
