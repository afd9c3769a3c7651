// Serves the built site: `node apps/docs/serve.ts --port 4321`. Any other static file server works too, if it sends the
// Content-Security-Policy in dist/policy.txt.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import files from '@fastify/static';
import fastify from 'fastify';

const { host, port } = parseArgs({
  options: { host: { type: 'string', default: '127.0.0.1' }, port: { type: 'string', default: '4321' } },
}).values;
const root = join(import.meta.dirname, 'dist');
const headers = {
  'content-security-policy': readFileSync(join(root, 'policy.txt'), 'utf8'),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
};

const app = fastify({ forceCloseConnections: true });
app.addHook('onRequest', async (_request, reply) => void reply.headers(headers));
await app.register(files, {
  root,
  cacheControl: false, // said below
  redirect: true,
  setHeaders: (reply, path) => {
    // Names in this folder change with their contents.
    const isNamedByContent = path.startsWith(join(root, '_astro/'));
    void reply.header('cache-control', isNamedByContent ? 'public, max-age=31536000, immutable' : 'no-cache');
  },
});
app.setNotFoundHandler((_request, reply) => reply.status(404).sendFile('404.html'));
await app.listen({ host, port: Number(port) });
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void app.close().then(() => process.exit(0)));
