import { isBytes, receive, type ReceiverOptions } from './receiving.ts';

interface Reply {
  code(status: number): Reply;
  headers(values: Record<string, string>): Reply;
  send(body: string): unknown;
}
interface FastifyRequest {
  headers: Record<string, string | string[] | undefined>;
  body: unknown;
}
/** The parts of Fastify that are used here. */
interface FastifyApp {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    type: string,
    options: { parseAs: 'buffer' },
    parser: (request: unknown, body: Uint8Array, done: (error: Error | null, body?: unknown) => void) => void,
  ): unknown;
  post(path: string, handler: (request: FastifyRequest, reply: Reply) => Promise<unknown>): unknown;
}

/**
 * Your endpoint in Fastify. A plugin has its own scope, so only this route gets raw bodies.
 *
 * @example
 * app.register(fastify, { path: '/parley', secrets: SECRET, onEvent, actions });
 */
export async function fastify(
  app: FastifyApp,
  { path, ...options }: ReceiverOptions & { path: string },
): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.post(path, async (request, reply) => {
    const body = isBytes(request.body) ? request.body : '';
    const { status, headers, body: text } = await receive(options, { body, headers: request.headers });
    return reply.code(status).headers(headers).send(text);
  });
}
