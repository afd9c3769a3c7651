// The least that opening a session can be: a Fastify route that reads the body and signs the same token.
import { createSecretKey, randomBytes } from 'node:crypto';
import { fastify } from 'fastify';
import { SignJWT } from 'jose';

const key = createSecretKey(randomBytes(32));
const claims = JSON.parse(process.env['BARE_CLAIMS'] ?? '{}') as Record<string, unknown>;
const app = fastify();
app.post('/widget/sessions/anonymous', async () => {
  const expiresAt = Math.floor(Date.now() / 1_000) + 1_800;
  const token = new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'abcdefgh' }).setAudience('session');
  return { sessionToken: await token.setIssuedAt().setExpirationTime(expiresAt).sign(key), expiresAt };
});
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
