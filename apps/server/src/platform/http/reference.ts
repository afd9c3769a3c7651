import { fastify, type FastifyInstance } from 'fastify';
import { referencePage } from './openapi.ts';

const prefix = '/docs';
const sentOn = ['content-type', 'cache-control', 'location', 'etag'];

/** The reference page. Its library is heavy and few read it: loaded when the first one does. */
export function serveReference(app: FastifyInstance): void {
  let opening: Promise<FastifyInstance> | undefined;
  const open = async () => {
    const [inner, { default: scalar }] = [fastify(), await import('@scalar/fastify-api-reference')];
    await inner.register(scalar, { routePrefix: prefix, configuration: referencePage });
    await inner.ready();
    return inner;
  };
  for (const url of [prefix, `${prefix}/*`])
    app.get(url, { config: { permission: 'public' }, schema: { hide: true } }, async (request, reply) => {
      const answer = await (await (opening ??= open())).inject({ url: request.url, headers: request.headers });
      for (const name of sentOn) {
        const value = answer.headers[name];
        if (value !== undefined) void reply.header(name, value);
      }
      return reply.code(answer.statusCode).send(answer.rawPayload);
    });
}
