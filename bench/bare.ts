// The least a Fastify route can be: the same answer, and nothing asked of the caller.
import { fastify } from 'fastify';

const answer: unknown = JSON.parse(process.env['BARE_ANSWER'] ?? '{}');
const app = fastify();
app.get('/me', () => answer);
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
