// The minimum for a Fastify route: the same response, without authentication.
import { fastify } from 'fastify';

const response: unknown = JSON.parse(process.env['BARE_RESPONSE'] ?? '{}');
const app = fastify();
app.get('/me', () => response);
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
