import { createHash, createSecretKey, randomBytes } from 'node:crypto';
import { SignJWT, UnsecuredJWT } from 'jose';
import { vi } from 'vitest';
import { derivedKeys } from '../../src/platform/crypto.ts';
import { aBot, aVisitor, page, type TestBot } from '../chat/fixture.ts';
import { anOperator, api, aTenant, services, send, type Headers, type TestTenant } from '../harness.ts';
import { atPage, aTalkingContact, tokens } from './chats.ts';

// Sessions that were good once, and such as never were. Each says what it is due at the widget's routes.

export interface DeadSession {
  name: string;
  token: string;
  botId: string;
  origin: string;
  due: { status: 401 | 403; reasons: readonly string[] };
}
export const deadSessions: DeadSession[] = [];

const isGood = async (headers: Headers) => (await send('GET', '/widget/me', headers)).statusCode === 200;

type Due = DeadSession['due'];
const unauthorized = (...reasons: string[]): Due => ({ status: 401, reasons });
const forbidden = (...reasons: string[]): Due => ({ status: 403, reasons });

/** A session that works, until something it stands on is taken away. */
async function kill(name: string, due: Due, how: (tenant: TestTenant, bot: TestBot) => Promise<Answer>) {
  const tenant = await aTenant({ plan: 'enterprise' });
  const bot = await aBot(tenant);
  const { sessionToken, headers } = await aVisitor(api.app, bot);
  if (!(await isGood(headers))) throw new Error(`${name}: the session was never good`);
  const { statusCode, body } = await how(tenant, bot);
  if (statusCode !== 200) throw new Error(`${name}: ${body}`);
  deadSessions.push({ name, token: sessionToken, botId: bot.botId, origin: page, due });
}
interface Answer {
  statusCode: number;
  body: string;
}

const operator = await anOperator();
const ofTenant = ({ tenantId }: TestTenant) => `/admin/tenants/${tenantId}`;

await kill('of a revoked key', unauthorized('session_ended'), (tenant, { keyId }) =>
  tenant.post(`/api-keys/${keyId}/revoke`),
);
await kill('of a suspended tenant', forbidden('tenant_suspended'), (tenant) =>
  operator.post(`${ofTenant(tenant)}/suspend`, { reason: 'For the test' }),
);
await kill('of a deleted tenant', forbidden('tenant_suspended'), (tenant) =>
  send('DELETE', ofTenant(tenant), operator.headers, { reason: 'For the test' }),
);
await kill('of a tenant whose plan has no keys any more', forbidden('entitlement_missing'), (tenant) =>
  operator.patch(`${ofTenant(tenant)}/entitlements`, { overrides: { api_keys: 0 } }),
);
await kill('of a paused bot', forbidden('bot_not_active'), (tenant, { botId }) =>
  tenant.patch(`/bots/${botId}`, { status: 'paused' }),
);
await kill('of an archived bot', forbidden('bot_not_active'), (tenant, { botId }) =>
  send('DELETE', `/bots/${botId}`, tenant.headers),
);
await kill('of a page that was taken off the list', forbidden('origin_not_allowed'), (tenant, { botId }) =>
  tenant.patch(`/bots/${botId}`, { allowedOrigins: ['https://other.example'] }),
);

// ---- of one bot that goes on

export const alive = await aTenant({ plan: 'enterprise' });
const bot = await aBot(alive);
const { sessionToken, visitorToken } = await aVisitor(api.app, bot);
export const goodSession = { token: sessionToken, botId: bot.botId, headers: atPage(sessionToken) };

const add = (name: string, token: string, due: Due, origin = page) =>
  deadSessions.push({ name, token, botId: bot.botId, origin, due });

const second = 'https://second.example';
await alive.patch(`/bots/${bot.botId}`, { allowedOrigins: [page, second] });
add('used on a page of nobody', sessionToken, forbidden('origin_not_allowed'), 'https://evil.example');
add("used on another of the bot's pages", sessionToken, forbidden('origin_not_allowed'), second);

const contact = await aTalkingContact(alive, { text: 'Hello' });
if (!(await isGood(contact.headers))) throw new Error("the contact's session was never good");
await alive.post(`/api-keys/${contact.keyId}/revoke`);
add("of a contact, whose backend's key was revoked", contact.sessionToken, unauthorized('session_ended'));

/** Signed by ourselves, at another time. */
async function signedAt(moment: number) {
  const session = await tokens.readSession(sessionToken);
  vi.useFakeTimers({ toFake: ['Date'], now: moment });
  const { sessionToken: signed } = tokens.signSession({ ...session, startedAt: new Date(moment) });
  vi.useRealTimers();
  return signed;
}
add('that expired an hour ago', await signedAt(Date.now() - 90 * 60_000), unauthorized('session_expired'));

// ---- forged

const [head = '', body = '', signature = ''] = sessionToken.split('.');
const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>;
const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const invalid = unauthorized('invalid_session');

for (const [claim, value] of [
  ['vis', 'vis_01h45ytscbebyvny4gc8cr8ma2'],
  ['ten', 'ten_01h45ytscbebyvny4gc8cr8ma2'],
  ['env', 'env_01h45ytscbebyvny4gc8cr8ma2'],
  ['exp', Number(claims['exp']) + 3_600],
  ['con', 'con_01h45ytscbebyvny4gc8cr8ma2'],
  ['ver', 'bver_01h45ytscbebyvny4gc8cr8ma2'],
] as const)
  add(`with another ${claim}`, `${head}.${base64url({ ...claims, [claim]: value })}.${signature}`, invalid);

const [text = ''] = derivedKeys(services.keyring, 'widget-session');
const kid = createHash('sha256').update(text).digest('base64url').slice(0, 8);
const signWith = (key: Buffer | string, header: { kid?: string; alg?: string } = {}, more: object = {}) =>
  new SignJWT({ ...claims, ...more })
    .setProtectedHeader({ alg: 'HS256', kid, ...header })
    .sign(createSecretKey(Buffer.from(key as string, 'base64url')));

add('a word that is no token', 'garbage', invalid);
add('of alg none', new UnsecuredJWT(claims).encode(), invalid);
add('of alg none, with a signature', `${base64url({ alg: 'none', kid })}.${body}.${signature}`, invalid);
add('without a signature', `${head}.${body}.`, invalid);
add('signed by a key of their own', await signWith(randomBytes(32)), invalid);
add('that names a key which nobody has', await signWith(text, { kid: 'unknown' }), invalid);
add('of another algorithm', await signWith(text, { alg: 'HS512' }), invalid);
add('for another audience', await signWith(text, {}, { aud: 'customer' }), invalid);
add('without an end', await signWith(text, {}, { exp: undefined }), invalid);
add('that is a visitor token', visitorToken, invalid);
add('of 4,000 emails', 'a'.repeat(4_000), invalid);

/** The same, signed by us and unchanged: it is what was changed in the others that is refused. */
export const resigned = await signWith(text);
