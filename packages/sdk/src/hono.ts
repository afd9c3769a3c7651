import { receive, readBody, type ReceiverOptions } from './receiving.ts';

/** The parts of Hono that are used here. */
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
    // Hono caches a body that earlier middleware has read.
    const body = unread && !bodyUsed ? await readBody(unread) : await req.arrayBuffer();
    const { body: text, ...init } = await receive(options, { body, headers });
    return new Response(text, init);
  };
