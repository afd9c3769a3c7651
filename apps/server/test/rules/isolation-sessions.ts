import { createHash, createSecretKey, randomBytes } from 'node:crypto';
import { SignJWT, UnsecuredJWT } from 'jose';
import { vi } from 'vitest';
import { derivedKeys } from '../../src/platform/crypto.ts';
import { aBot, aVisitor, page, type TestBot } from '../chat/fixture.ts';
import { anOperator, api, aTenant, services, send, type Headers, type TestTenant } from '../harness.ts';
import { atPage, aTalkingContact, tokens } from './chats.ts';

// Sessions that are no longer valid, and ones that never were. Each has the refusal that the widget's routes must return.

export interface InvalidSession {
  name: string;
  token: string;
  botId: string;
  origin: string;
  expected: { status: 401 | 403; reasons: readonly string[] };
}
export const invalidSessions: InvalidSession[] = [];

const isAccepted = async (headers: Headers) => (await send('GET', '/widget/me', headers)).statusCode === 200;

type ExpectedRefusal = InvalidSession['expected'];
const unauthorized = (...reasons: string[]): ExpectedRefusal => ({ status: 401, reasons });
const forbidden = (...reasons: string[]): ExpectedRefusal => ({ status: 403, reasons });

/** A working session, until something that it depends on is removed. */
async function addRevoked(
  name: string,
  expected: ExpectedRefusal,
  revoke: (tenant: TestTenant, bot: TestBot) => Promise<RevokeResponse>,
) {
  const tenant = await aTenant({ plan: 'enterprise' });
  const bot = await aBot(tenant);
  const { sessionToken, headers } = await aVisitor(api.app, bot);
  if (!(await isAccepted(headers))) throw new Error(`${name}: the session never worked`);
  const { statusCode, body } = await revoke(tenant, bot);
  if (statusCode !== 200) throw new Error(`${name}: ${body}`);
  invalidSessions.push({ name, token: sessionToken, botId: bot.botId, origin: page, expected });
}
interface RevokeResponse {
  statusCode: number;
  body: string;
}

const operator = await anOperator();
const ofTenant = ({ tenantId }: TestTenant) => `/admin/tenants/${tenantId}`;

await addRevoked('of a revoked key', unauthorized('session_ended'), (tenant, { keyId }) =>
  tenant.post(`/api-keys/${keyId}/revoke`),
);
await addRevoked('of a suspended tenant', forbidden('tenant_suspended'), (tenant) =>
  operator.post(`${ofTenant(tenant)}/suspend`, { reason: 'For the test' }),
);
await addRevoked('of a deleted tenant', forbidden('tenant_suspended'), (tenant) =>
  send('DELETE', ofTenant(tenant), operator.headers, { reason: 'For the test' }),
);
await addRevoked('of a tenant whose plan no longer has keys', forbidden('entitlement_missing'), (tenant) =>
  operator.patch(`${ofTenant(tenant)}/entitlements`, { overrides: { api_keys: 0 } }),
);
await addRevoked('of a paused bot', forbidden('bot_not_active'), (tenant, { botId }) =>
  tenant.patch(`/bots/${botId}`, { status: 'paused' }),
);
await addRevoked('of an archived bot', forbidden('bot_not_active'), (tenant, { botId }) =>
  send('DELETE', `/bots/${botId}`, tenant.headers),
);
await addRevoked(
  'of a page that was removed from the allowed origins',
  forbidden('origin_not_allowed'),
  (tenant, { botId }) => tenant.patch(`/bots/${botId}`, { allowedOrigins: ['https://other.example'] }),
);

// ---- of a bot that stays active

export const activeTenant = await aTenant({ plan: 'enterprise' });
const bot = await aBot(activeTenant);
const { sessionToken, visitorToken } = await aVisitor(api.app, bot);
export const validSession = { token: sessionToken, botId: bot.botId, headers: atPage(sessionToken) };

const add = (name: string, token: string, expected: ExpectedRefusal, origin = page) =>
  invalidSessions.push({ name, token, botId: bot.botId, origin, expected });

const second = 'https://second.example';
await activeTenant.patch(`/bots/${bot.botId}`, { allowedOrigins: [page, second] });
add('used on an unknown page', sessionToken, forbidden('origin_not_allowed'), 'https://evil.example');
add("used on another of the bot's pages", sessionToken, forbidden('origin_not_allowed'), second);

const contact = await aTalkingContact(activeTenant, { text: 'Hello' });
if (!(await isAccepted(contact.headers))) throw new Error("the contact's session never worked");
await activeTenant.post(`/api-keys/${contact.keyId}/revoke`);
add("of a contact, whose backend's key was revoked", contact.sessionToken, unauthorized('session_ended'));

/** Signed with our key, at another time. */
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

add('a string that is no token', 'garbage', invalid);
add('of alg none', new UnsecuredJWT(claims).encode(), invalid);
add('of alg none, with a signature', `${base64url({ alg: 'none', kid })}.${body}.${signature}`, invalid);
add('without a signature', `${head}.${body}.`, invalid);
add('signed by their own key', await signWith(randomBytes(32)), invalid);
add('that names an unknown key', await signWith(text, { kid: 'unknown' }), invalid);
add('of another algorithm', await signWith(text, { alg: 'HS512' }), invalid);
add('for another audience', await signWith(text, {}, { aud: 'customer' }), invalid);
add('without an expiry', await signWith(text, {}, { exp: undefined }), invalid);
add('that is a visitor token', visitorToken, invalid);
add('of 4,000 characters', 'a'.repeat(4_000), invalid);

/** The same session, re-signed and unchanged: shows that the others are refused for what was changed. */
export const resigned = await signWith(text);
