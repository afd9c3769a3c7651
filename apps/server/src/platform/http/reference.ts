import { createHash } from 'node:crypto';
import { fastify, type FastifyInstance } from 'fastify';
import { referencePage } from './openapi.ts';

const prefix = '/docs';
const forwardedHeaders = ['content-type', 'cache-control', 'location', 'etag'];

/** The API reference. Its library is large and rarely used, so it is loaded with the first request. */
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
      const response = await (await (opening ??= open())).inject({ url: request.url, headers: request.headers });
      for (const name of forwardedHeaders) {
        const value = response.headers[name];
        if (value !== undefined) void reply.header(name, value);
      }
      void reply.header('content-security-policy', policyFor(response.body)).header('x-frame-options', 'DENY');
      return reply.code(response.statusCode).send(response.rawPayload);
    });
}

/** The page is on the origin that people sign in at, so only our script files and its own inline scripts may run. */
function policyFor(html: string): string {
  const hashes = inlineScripts(html).map(
    (script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    ['script-src', "'self'", ...hashes].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function inlineScripts(html: string): string[] {
  if (!html.startsWith('<!')) return [];
  return html
    .split('<script')
    .slice(1)
    .map((part) => part.slice(part.indexOf('>') + 1, part.indexOf('</script>')))
    .filter((script) => script !== '');
}
