import { createPublicKey } from 'node:crypto';
import { generateKeyPair, SignJWT } from 'jose';
import { sql } from 'kysely';
import { KeyPermission } from '../../src/features/api-keys/api-keys.contract.ts';
import { platformRolePermissions, rolePermissions } from '../../src/features/users/roles.ts';
import { Feature } from '../../src/platform/access.contract.ts';
import { admin, aKey, anOperator, aTenant, aUser, customers, operators, send, type Headers } from '../harness.ts';
import type { Operation } from '../openapi-walk.ts';
import {
  attacker,
  attackerChat,
  attackerHeaders,
  attackerKeys,
  attackerPeople,
  betweenTheSides,
  canary,
  everyKeyPermission,
  namesTenant,
  operator,
  victim,
  victimChat,
  victimKeys,
} from './isolation-parties.ts';
import { aSignedInPerson, bearer, changeSession, type SignedInPerson } from './people.ts';

// Everybody who knocks, and what each of them is due.

/** What a credential truly is, whatever it says of itself. */
export type Who = { kind: 'nobody' } | { kind: 'visitor' } | Known;
type Known = {
  permissions: ReadonlySet<string>;
  isKey?: boolean;
  /** Proved within minutes who they are. */
  isFresh: boolean;
  /** In a session of a pool of ours, as themselves. */
  hasSession: boolean;
  /** An operator in somebody's place. */
  isLent?: boolean;
} & ({ kind: 'operator' } | { kind: 'member'; tenantId: string; without?: 'features' | 'everything' });

interface Credential {
  name: string;
  headers: Headers;
  who: Who;
}

export const credentials: Credential[] = [];
const add = (name: string, headers: Headers, who: Who = { kind: 'nobody' }) => credentials.push({ name, headers, who });

const external = { isFresh: true, hasSession: false };
const signedInHere = { isFresh: true, hasSession: true };
const stale = { isFresh: false, hasSession: false };
const key = { ...stale, isKey: true };
type Standing = Pick<Known, 'isFresh' | 'hasSession' | 'isKey' | 'isLent'>;
const memberOf = (tenantId: string, permissions: ReadonlySet<string>, standing: Standing = external) => ({
  kind: 'member' as const,
  tenantId,
  permissions,
  ...standing,
});
const operatorWith = (permissions: ReadonlySet<string>, standing = external): Who => ({
  kind: 'operator',
  permissions,
  ...standing,
});

const pair = (secret: string, id: string): Headers => ({ ...bearer(secret), 'x-service-api-key-id': id });
const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const now = Math.floor(Date.now() / 1_000);

async function addForgeries() {
  const { subject: sub } = victim;
  const claims = { iss: customers.issuer, aud: customers.config.audience[0] ?? '', sub, iat: now, exp: now + 600 };
  const header = { typ: 'at+jwt', kid: customers.jwk.kid };
  const unsigned = `${base64url({ ...header, alg: 'none' })}.${base64url(claims)}`;
  const { privateKey } = await generateKeyPair('RS256');
  const publicPem = createPublicKey({ key: customers.jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  const signWith = (alg: string, key: Parameters<SignJWT['sign']>[0], more = {}) =>
    new SignJWT(claims).setProtectedHeader({ ...header, alg, ...more }).sign(key);
  const [head, , signature] = victim.token.split('.');

  add('no credential', {});
  add('a word that is no token', bearer('garbage'));
  add('an empty bearer', { authorization: 'Bearer ' });
  add('a password', { authorization: `Basic ${Buffer.from('owner:secret').toString('base64')}` });
  add('a malformed JWT', bearer('not.a.token'));
  add('a JWT of 100 kB', bearer(`${'a'.repeat(100_000)}.b.c`));
  add('alg none, unsigned', bearer(`${unsigned}.`));
  add('alg none, with a signature', bearer(`${unsigned}.${signature}`));
  add('HS256 by the public key', bearer(await signWith('HS256', Buffer.from(publicPem))));
  add('RS256 by a key of their own', bearer(await signWith('RS256', privateKey)));
  add('a key in the header of the token', bearer(await signWith('RS256', privateKey, { jwk: customers.jwk })));
  add(
    'claims under the signature of others',
    bearer(`${head}.${base64url({ ...claims, exp: now + 9_999 })}.${signature}`),
  );
  add('an expired token', bearer(await customers.sign({ sub, iat: now - 7_200, exp: now - 3_600 })));
  add('a token of tomorrow', bearer(await customers.sign({ sub, nbf: now + 86_400 })));
  add('a token for another audience', bearer(await customers.sign({ sub, aud: 'somebody-else' })));
  add('an ID token', bearer(await customers.sign({ sub }, { typ: 'JWT' })));
  add('a token of another issuer', bearer(await customers.sign({ sub, iss: 'https://issuer.example' })));
  add('a customer in a token of the admin pool', bearer(await operators.sign({ sub })));
}

const ownerHere = [{ tenantId: victim.tenantId, roles: ['owner'] }];

async function addPeople() {
  const disabled = await aUser(ownerHere);
  await sql`update directory.users set disabled_at = now() where user_id = ${disabled.userId}`.execute(admin);
  const signedOut = await aUser(ownerHere);
  await sql`update directory.users set tokens_valid_after = now() + interval '1 hour' where user_id = ${signedOut.userId}`.execute(
    admin,
  );
  const removed = await aUser(ownerHere);
  await admin.deleteFrom('memberships').where('userId', '=', removed.userId).execute();
  const claiming = await customers.sign({ sub: attacker.subject, tenant_id: victim.tenantId });
  const operatorAsCustomer = `${canary}-operator`;
  await sql`insert into directory.identities values (${customers.issuer}, ${operatorAsCustomer}, ${operator.userId})`.execute(
    admin,
  );

  add('a disabled owner', disabled.headers);
  add('an owner whose sessions were ended', signedOut.headers);
  add('an owner who was removed', removed.headers);
  add('somebody of no tenant', (await aUser([])).headers);
  add("another tenant's owner, whose token claims the victim", bearer(claiming));
  add('an operator in a token of the customer pool', bearer(await customers.sign({ sub: operatorAsCustomer })));

  add("another tenant's owner", attackerHeaders, memberOf(attacker.tenantId, rolePermissions.owner));
  for (const [role, permissions] of Object.entries(rolePermissions)) {
    const member = await aUser([{ tenantId: victim.tenantId, roles: [role] }]);
    add(`the victim's ${role}`, member.headers, memberOf(victim.tenantId, permissions));
  }
  const nobodyMuch = await aUser([{ tenantId: victim.tenantId, roles: ['no_such_role'] }]);
  add("the victim's member of an unknown role", nobodyMuch.headers, memberOf(victim.tenantId, new Set()));
  for (const { headers } of betweenTheSides)
    add('an owner there who is a viewer here', headers, memberOf(victim.tenantId, rolePermissions.viewer));
  for (const [role, permissions] of Object.entries(platformRolePermissions))
    add(`an operator: ${role}`, (await anOperator(role)).headers, operatorWith(permissions));
}

/** A good token, of somebody whose proof is too old, or who never gave one. */
async function addStale() {
  for (const [when, claims] of [
    ['ten minutes ago', { auth_time: now - 600 }],
    ['nobody knows when', { auth_time: undefined }],
  ] as const) {
    const owner = memberOf(victim.tenantId, rolePermissions.owner, stale);
    add(`the victim's owner, proved ${when}`, (await aUser(ownerHere, claims)).headers, owner);
    const { headers } = await anOperator('platform_admin', claims);
    add(`an operator, proved ${when}`, headers, operatorWith(platformRolePermissions.platform_admin, stale));
  }
}

/** What support never does in somebody's place. */
const neverLent = ['tenant.delete', 'ownership.transfer', 'member.manage', 'billing.manage', 'api_key.manage'];

/** People of the pools that are built in. */
async function addSignedInHere() {
  const { stranger, operator: otherOperator, colleague } = attackerPeople;
  const { owner, viewer } = rolePermissions;
  add("another tenant's owner, signed in here", stranger.headers, memberOf(attacker.tenantId, owner, signedInHere));
  add("the victim's viewer, signed in here", colleague.headers, memberOf(victim.tenantId, viewer, signedInHere));
  add(
    'an operator, signed in here',
    otherOperator.headers,
    operatorWith(platformRolePermissions.platform_admin, signedInHere),
  );

  const tired = await aSignedInPerson('customer', victim);
  await changeSession(tired, sql`authenticated_at = now() - interval '10 minutes'`);
  const tiredStanding = { isFresh: false, hasSession: true };
  add("the victim's owner, signed in long ago", tired.headers, memberOf(victim.tenantId, owner, tiredStanding));
  add('a refresh token for an access token', bearer(tired.refreshToken));
  const ended = await aSignedInPerson('customer', victim);
  await changeSession(ended, sql`ended_at = now()`);
  add('an owner whose session has ended', ended.headers);

  const place = { userId: tired.userId, reason: 'For the test' };
  const lent = await send('POST', `/admin/tenants/${victim.tenantId}/impersonate`, operator.headers, place);
  const held = new Set([...owner].filter((permission) => !neverLent.includes(permission)));
  const { accessToken } = lent.json<{ accessToken: string }>();
  const inPlace = memberOf(victim.tenantId, held, { ...stale, isLent: true });
  add("an operator in the place of the victim's owner", bearer(accessToken), inPlace);
}

function addKeys() {
  const { full, powerless, widget, revoked, expired, rotated } = victimKeys;
  add('a revoked key', revoked.headers);
  add('an expired key', expired.headers);
  add('a secret that was rotated away', rotated.headers);
  add('a key without its id', bearer(full.secret));
  add("a key with another key's id", pair(full.secret, powerless.id));
  add("a key with another tenant's key id", pair(full.secret, attackerKeys.full.id));
  add("another tenant's secret with the victim's key id", pair(attackerKeys.full.secret, full.id));
  add('a secret with a typing error', pair(`${full.secret.slice(0, -1)}!`, full.id));
  add("the victim's widget key", widget.headers);
  add("another tenant's widget key", attackerKeys.widget.headers);

  const everything = new Set(KeyPermission.options);
  add("the victim's key with no permission", powerless.headers, memberOf(victim.tenantId, new Set(), key));
  add("the victim's key with all a key can have", full.headers, memberOf(victim.tenantId, everything, key));
  add("another tenant's key", attackerKeys.full.headers, memberOf(attacker.tenantId, everything, key));
}

/** People at the pages: they are nobody anywhere but at the widget's own routes. */
function addVisitors() {
  const { visitor, contact, tried } = victimChat;
  add("a session of the victim's visitor", visitor.headers, { kind: 'visitor' });
  add("a session of the victim's contact", contact.headers, { kind: 'visitor' });
  add("a session that tries the victim's draft", tried.headers, { kind: 'visitor' });
  add('the visitor token that comes with a session', bearer(visitor.visitorToken));
}

async function addClosedTenants() {
  const close: [name: string, without: 'features' | 'everything', how: (url: string) => Promise<unknown>][] = [
    ['that is suspended', 'everything', (url) => operator.post(`${url}/suspend`, { reason: 'For the test' })],
    ['that was deleted', 'everything', (url) => send('DELETE', url, operator.headers, { reason: 'For the test' })],
    ['without features', 'features', (url) => operator.patch(`${url}/entitlements`, { overrides: nothing })],
  ];
  const nothing = Object.fromEntries(Feature.options.map((feature) => [feature, 0]));
  for (const [name, without, how] of close) {
    const tenant = await aTenant({ plan: 'enterprise' });
    const { headers } = await aKey(tenant, everyKeyPermission);
    const owner = memberOf(tenant.tenantId, rolePermissions.owner);
    add(`an owner of a tenant ${name}`, tenant.headers, { ...owner, without });
    add(`a key of a tenant ${name}`, headers, { ...owner, without: 'everything' });
    await how(`/admin/tenants/${tenant.tenantId}`);
  }
}

await addForgeries();
await addPeople();
await addStale();
await addSignedInHere();
addKeys();
addVisitors();
await addClosedTenants();

interface Attacker extends Credential {
  person?: SignedInPerson;
  isForOwnOnly?: boolean;
}

/** The attacker in every shape, with things of their own to ask for. */
export const attackers: Attacker[] = [
  { name: 'the owner', headers: attackerHeaders, who: memberOf(attacker.tenantId, rolePermissions.owner) },
  {
    name: 'the key',
    headers: attackerKeys.full.headers,
    who: memberOf(attacker.tenantId, new Set(KeyPermission.options), key),
  },
  {
    name: 'the owner, signed in here',
    headers: attackerPeople.stranger.headers,
    who: memberOf(attacker.tenantId, rolePermissions.owner, signedInHere),
    person: attackerPeople.stranger,
  },
  {
    name: 'the colleague',
    headers: attackerPeople.colleague.headers,
    who: memberOf(victim.tenantId, new Set(), signedInHere),
    person: attackerPeople.colleague,
    isForOwnOnly: true, // the rest is theirs as well
  },
  {
    name: 'the visitor',
    headers: attackerChat.visitor.headers,
    who: { kind: 'visitor' },
  },
  {
    name: 'the operator',
    headers: attackerPeople.operator.headers,
    who: operatorWith(new Set(), signedInHere),
    person: attackerPeople.operator,
    isForOwnOnly: true,
  },
];

interface Refusal {
  statuses: readonly (401 | 403 | 409)[];
  reasons?: readonly string[];
}
const refusal = (...reasons: string[]): Refusal => ({ statuses: [403], reasons });

/** What the route's own declaration demands for this credential; nothing where it lets it in. */
export function demanded(operation: Operation, who: Who, named = victim.tenantId): Refusal | undefined {
  const { audience, permission = '', entitlement, stepUp, isOwn, isForKeys } = operation;
  if (audience === 'public') return undefined;
  if (who.kind !== audience) return { statuses: [401] };
  if (who.kind === 'visitor') return undefined;
  if (who.kind === 'member') {
    if (namesTenant(operation) && who.tenantId !== named) return refusal('tenant_mismatch');
    if (who.without === 'everything') return refusal('tenant_suspended', 'tenant_deleted', 'entitlement_missing');
    if (who.without === 'features' && entitlement !== undefined) return refusal('entitlement_missing');
  }
  if (isForKeys && !who.isKey) return { statuses: [401], reasons: ['server_key_required'] };
  if (permission !== 'any' && !who.permissions.has(permission)) return refusal('permission_missing');
  if (stepUp && !who.isFresh) return refusal('step_up_required');
  // Theirs alone; and it would end what the rest of these cases knock with.
  if (operation.id === 'endHandover') return who.isLent ? undefined : refusal('not_impersonating');
  if (!isOwn || who.hasSession) return undefined;
  const { statuses, reasons = [] } = refusal('signed_in_elsewhere', 'impersonating');
  // Whose name their organisation keeps is told so as a conflict, and a key has none.
  return operation.id === 'updateMe'
    ? { statuses: [...statuses, 409], reasons: [...reasons, 'person_required'] }
    : { statuses, reasons };
}
