// The minimum for opening a session: a Fastify route that reads the body and signs the same token, with the common library
// or by hand as we do.
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { fastify } from 'fastify';
import { SignJWT } from 'jose';

const key = createSecretKey(randomBytes(32));
const claims = JSON.parse(process.env['BARE_CLAIMS'] ?? '{}') as Record<string, unknown>;
const toText = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const byHand = (exp: number) => {
  const body = `${toText({ alg: 'HS256', kid: 'abcdefgh' })}.${toText({ ...claims, aud: 'session', exp })}`;
  return `${body}.${createHmac('sha256', key).update(body).digest('base64url')}`;
};
const byLibrary = (exp: number) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', kid: 'abcdefgh' })
    .setAudience('session')
    .setIssuedAt()
    .setExpirationTime(exp)
    .sign(key);

const app = fastify();
const expiry = () => Math.floor(Date.now() / 1_000) + 1_800;
app.post('/library', async () => ({ sessionToken: await byLibrary(expiry()), expiresAt: expiry() }));
app.post('/hand', () => ({ sessionToken: byHand(expiry()), expiresAt: expiry() }));
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
