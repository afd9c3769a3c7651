import { createPublicKey } from 'node:crypto';
import { generateKeyPair, SignJWT } from 'jose';
import { sql } from 'kysely';
import { KeyPermission } from '../../src/features/api-keys/api-keys.contract.ts';
import { platformRolePermissions, rolePermissions } from '../../src/features/users/roles.ts';
import { Feature } from '../../src/platform/access.contract.ts';
import {
  admin,
  allowSupport,
  aKey,
  anOperator,
  aTenant,
  aUser,
  customers,
  operators,
  send,
  type Headers,
} from '../harness.ts';
import type { Operation } from '../openapi-walk.ts';
import { due, type Known, type Who } from './isolation-due.ts';
import {
  attacker,
  attackerChat,
  attackerHeaders,
  attackerKeys,
  attackerPeople,
  betweenTheSides,
  canary,
  everyKeyPermission,
  operator,
  victim,
  victimChat,
  victimKeys,
} from './isolation-parties.ts';
import { aSignedInPerson, bearer, changeSession, type SignedInPerson } from './people.ts';

// Everybody who knocks, and what each of them is due.

/** Credentials that are wrong in the same way. A sample takes one of each to a route. */
type Class =
  | 'none'
  | 'malformed'
  | 'forged'
  | 'a token for something else'
  | 'a person who has ended'
  | "another tenant's person"
  | "the victim's person"
  | 'an old proof'
  | 'a key that has ended'
  | 'a key with the wrong id'
  | 'a widget key'
  | "another tenant's key"
  | "the victim's key"
  | 'a visitor'
  | 'a closed tenant'
  | 'an operator';

export interface Credential {
  kind: Class;
  name: string;
  headers: Headers;
  who: Who;
}

export const credentials: Credential[] = [];
const adderOf =
  (kind: Class) =>
  (name: string, headers: Headers, who: Who = { kind: 'nobody' }) =>
    void credentials.push({ kind, name, headers, who });

/** A member where operators are due, or the other way round, is of the wrong pool before anything else. */
export const classAt = ({ audience }: Operation, { kind, who }: Credential): Class | 'the wrong pool' =>
  (who.kind === 'member' || who.kind === 'operator') && who.kind !== audience ? 'the wrong pool' : kind;

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

  const none = adderOf('none');
  none('no credential', {});
  none('an empty bearer', { authorization: 'Bearer ' });
  none('a password', { authorization: `Basic ${Buffer.from('owner:secret').toString('base64')}` });

  const malformed = adderOf('malformed');
  malformed('a word that is no token', bearer('garbage'));
  malformed('a malformed JWT', bearer('not.a.token'));
  malformed('a JWT of 100 kB', bearer(`${'a'.repeat(100_000)}.b.c`));

  const forged = adderOf('forged');
  forged('alg none, unsigned', bearer(`${unsigned}.`));
  forged('alg none, with a signature', bearer(`${unsigned}.${signature}`));
  forged('HS256 by the public key', bearer(await signWith('HS256', Buffer.from(publicPem))));
  forged('RS256 by a key of their own', bearer(await signWith('RS256', privateKey)));
  forged('a key in the header of the token', bearer(await signWith('RS256', privateKey, { jwk: customers.jwk })));
  forged(
    'claims under the signature of others',
    bearer(`${head}.${base64url({ ...claims, exp: now + 9_999 })}.${signature}`),
  );

  const misplaced = adderOf('a token for something else');
  misplaced('an expired token', bearer(await customers.sign({ sub, iat: now - 7_200, exp: now - 3_600 })));
  misplaced('a token of tomorrow', bearer(await customers.sign({ sub, nbf: now + 86_400 })));
  misplaced('a token for another audience', bearer(await customers.sign({ sub, aud: 'somebody-else' })));
  misplaced('an ID token', bearer(await customers.sign({ sub }, { typ: 'JWT' })));
  misplaced('a token of another issuer', bearer(await customers.sign({ sub, iss: 'https://issuer.example' })));
  misplaced('a customer in a token of the admin pool', bearer(await operators.sign({ sub })));
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

  const ended = adderOf('a person who has ended');
  ended('a disabled owner', disabled.headers);
  ended('an owner whose sessions were ended', signedOut.headers);
  ended('an owner who was removed', removed.headers);
  ended('somebody of no tenant', (await aUser([])).headers);

  const foreign = adderOf("another tenant's person");
  foreign("another tenant's owner, whose token claims the victim", bearer(claiming));
  foreign('an operator in a token of the customer pool', bearer(await customers.sign({ sub: operatorAsCustomer })));
  foreign("another tenant's owner", attackerHeaders, memberOf(attacker.tenantId, rolePermissions.owner));

  const own = adderOf("the victim's person");
  for (const [role, permissions] of Object.entries(rolePermissions)) {
    const member = await aUser([{ tenantId: victim.tenantId, roles: [role] }]);
    own(`the victim's ${role}`, member.headers, memberOf(victim.tenantId, permissions));
  }
  const nobodyMuch = await aUser([{ tenantId: victim.tenantId, roles: ['no_such_role'] }]);
  own("the victim's member of an unknown role", nobodyMuch.headers, memberOf(victim.tenantId, new Set()));
  for (const { headers } of betweenTheSides)
    own('an owner there who is a viewer here', headers, memberOf(victim.tenantId, rolePermissions.viewer));

  for (const [role, permissions] of Object.entries(platformRolePermissions))
    adderOf('an operator')(`an operator: ${role}`, (await anOperator(role)).headers, operatorWith(permissions));
}

/** A good token, of somebody whose proof is too old, or who never gave one. */
async function addStale() {
  const add = adderOf('an old proof');
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
const neverLent = [
  'tenant.delete',
  'ownership.transfer',
  'member.manage',
  'billing.manage',
  'api_key.manage',
  'webhook.manage',
  'integration.manage',
  'session.create',
  'support_access.manage',
  'policy.manage',
];

/** People of the pools that are built in. */
async function addSignedInHere() {
  const { stranger, operator: otherOperator, colleague } = attackerPeople;
  const { owner, viewer } = rolePermissions;
  const foreign = adderOf("another tenant's person");
  const own = adderOf("the victim's person");
  foreign("another tenant's owner, signed in here", stranger.headers, memberOf(attacker.tenantId, owner, signedInHere));
  own("the victim's viewer, signed in here", colleague.headers, memberOf(victim.tenantId, viewer, signedInHere));
  adderOf('an operator')(
    'an operator, signed in here',
    otherOperator.headers,
    operatorWith(platformRolePermissions.platform_admin, signedInHere),
  );

  const tired = await aSignedInPerson('customer', victim);
  await changeSession(tired, sql`authenticated_at = now() - interval '10 minutes'`);
  const tiredStanding = { isFresh: false, hasSession: true };
  adderOf('an old proof')(
    "the victim's owner, signed in long ago",
    tired.headers,
    memberOf(victim.tenantId, owner, tiredStanding),
  );
  adderOf('a token for something else')('a refresh token for an access token', bearer(tired.refreshToken));
  const ended = await aSignedInPerson('customer', victim);
  await changeSession(ended, sql`ended_at = now()`);
  adderOf('a person who has ended')('an owner whose session has ended', ended.headers);

  await allowSupport(victim);
  const place = { userId: tired.userId, reason: 'For the test' };
  const lent = await send('POST', `/admin/tenants/${victim.tenantId}/impersonate`, operator.headers, place);
  const held = new Set([...owner].filter((permission) => !neverLent.includes(permission)));
  const { accessToken } = lent.json<{ accessToken: string }>();
  const inPlace = memberOf(victim.tenantId, held, { ...stale, isLent: true });
  own("an operator in the place of the victim's owner", bearer(accessToken), inPlace);
}

function addKeys() {
  const { full, powerless, widget, revoked, expired, rotated } = victimKeys;
  const ended = adderOf('a key that has ended');
  ended('a revoked key', revoked.headers);
  ended('an expired key', expired.headers);
  ended('a secret that was rotated away', rotated.headers);

  const mismatched = adderOf('a key with the wrong id');
  mismatched('a key without its id', bearer(full.secret));
  mismatched("a key with another key's id", pair(full.secret, powerless.id));
  mismatched("a key with another tenant's key id", pair(full.secret, attackerKeys.full.id));
  mismatched("another tenant's secret with the victim's key id", pair(attackerKeys.full.secret, full.id));
  mismatched('a secret with a typing error', pair(`${full.secret.slice(0, -1)}!`, full.id));

  adderOf('a widget key')("the victim's widget key", widget.headers);
  adderOf('a widget key')("another tenant's widget key", attackerKeys.widget.headers);

  const everything = new Set(KeyPermission.options);
  const own = adderOf("the victim's key");
  own("the victim's key with no permission", powerless.headers, memberOf(victim.tenantId, new Set(), key));
  own("the victim's key with all a key can have", full.headers, memberOf(victim.tenantId, everything, key));
  const foreign = adderOf("another tenant's key");
  foreign("another tenant's key", attackerKeys.full.headers, memberOf(attacker.tenantId, everything, key));
}

/** People at the pages: they are nobody anywhere but at the widget's own routes. */
function addVisitors() {
  const add = adderOf('a visitor');
  const { visitor, contact, tried } = victimChat;
  add("a session of the victim's visitor", visitor.headers, { kind: 'visitor' });
  add("a session of the victim's contact", contact.headers, { kind: 'visitor' });
  add("a session that tries the victim's draft", tried.headers, { kind: 'visitor' });
  add('the visitor token that comes with a session', bearer(visitor.visitorToken));
}

async function addClosedTenants() {
  const add = adderOf('a closed tenant');
  const nothing = Object.fromEntries(Feature.options.map((feature) => [feature, 0]));
  const close = {
    suspended: (url: string) => operator.post(`${url}/suspend`, { reason: 'For the test' }),
    deleted: (url: string) => send('DELETE', url, operator.headers, { reason: 'For the test' }),
    featureless: (url: string) => operator.patch(`${url}/entitlements`, { overrides: nothing }),
  };
  for (const tenantIs of ['suspended', 'deleted', 'featureless'] as const) {
    const tenant = await aTenant({ plan: 'enterprise' });
    const { headers } = await aKey(tenant, everyKeyPermission);
    const [owner, ofKey] = [
      memberOf(tenant.tenantId, rolePermissions.owner),
      memberOf(tenant.tenantId, new Set(KeyPermission.options), key),
    ];
    add(`an owner of a tenant that is ${tenantIs}`, tenant.headers, { ...owner, tenantIs });
    add(`a key of a tenant that is ${tenantIs}`, headers, { ...ofKey, tenantIs });
    await close[tenantIs](`/admin/tenants/${tenant.tenantId}`);
  }
}

await addForgeries();
await addPeople();
await addStale();
await addSignedInHere();
addKeys();
addVisitors();
await addClosedTenants();

interface Attacker extends Omit<Credential, 'kind'> {
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

/** What the route's own declaration demands for this credential; nothing where it lets it in. */
export const demanded = (operation: Operation, who: Who, named = victim.tenantId) => due(operation, who, named);
