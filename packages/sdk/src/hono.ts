import { receive, wholeOf, type ReceiverOptions } from './receiving.ts';

/** What we use of Hono. */
interface HonoContext {
  req: { raw: Request; arrayBuffer(): Promise<ArrayBuffer> };
}

/**
 * Your endpoint in Hono.
 *
 * @example
 * app.post('/parley', hono({ secrets: SECRET, onEvent, actions }));
 */
export const hono =
  (options: ReceiverOptions) =>
  async ({ req }: HonoContext): Promise<Response> => {
    const { headers, body: unread, bodyUsed } = req.raw;
    // Hono keeps what somebody before us has read.
    const body = unread && !bodyUsed ? await wholeOf(unread) : await req.arrayBuffer();
    const { body: text, ...init } = await receive(options, { body, headers });
    return new Response(text, init);
  };
