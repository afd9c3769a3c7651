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
import { expectedRefusal, type AuthenticatedCaller, type TestCaller } from './expected-refusals.ts';
import {
  attacker,
  attackerChat,
  attackerHeaders,
  attackerKeys,
  attackerPeople,
  dualMembers,
  canary,
  everyKeyPermission,
  operator,
  victim,
  victimChat,
  victimKeys,
} from './isolation-parties.ts';
import { aSignedInPerson, bearer, changeSession, type SignedInPerson } from './people.ts';

// Every credential that the isolation test sends, and the refusal that each must get.

/** Credentials that are wrong in the same way. */
type Class =
  | 'none'
  | 'malformed'
  | 'forged'
  | 'a token for something else'
  | 'a former user'
  | "another tenant's person"
  | "the victim's person"
  | 'an old authentication'
  | 'a former key'
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
  caller: TestCaller;
}

export const credentials: Credential[] = [];
const adderOf =
  (kind: Class) =>
  (name: string, headers: Headers, caller: TestCaller = { kind: 'nobody' }) =>
    void credentials.push({ kind, name, headers, caller });

/** A sample sends one credential of each group to a route. */
type Group = 'nobody' | 'no longer valid' | 'somebody else' | 'without the right';
const groups: Record<Class, Group> = {
  none: 'nobody',
  malformed: 'nobody',
  forged: 'nobody',
  'a token for something else': 'nobody',
  'a former user': 'no longer valid',
  'a former key': 'no longer valid',
  'a key with the wrong id': 'no longer valid',
  'a closed tenant': 'no longer valid',
  "another tenant's person": 'somebody else',
  "another tenant's key": 'somebody else',
  'a visitor': 'somebody else',
  'an operator': 'without the right',
  "the victim's person": 'without the right',
  "the victim's key": 'without the right',
  'a widget key': 'without the right',
  'an old authentication': 'without the right',
};

/** A member at an operator route, or the reverse, is in the wrong pool before anything else is checked. */
export const groupAt = ({ audience }: Operation, { kind, caller }: Credential): Group | 'the wrong pool' =>
  (caller.kind === 'member' || caller.kind === 'operator') && caller.kind !== audience
    ? 'the wrong pool'
    : groups[kind];

const external = { isFresh: true, hasSession: false };
const signedInHere = { isFresh: true, hasSession: true };
const stale = { isFresh: false, hasSession: false };
const key = { ...stale, isKey: true };
type SessionAge = Pick<AuthenticatedCaller, 'isFresh' | 'hasSession' | 'isKey' | 'isImpersonated'>;
const memberOf = (tenantId: string, permissions: ReadonlySet<string>, sessionAge: SessionAge = external) => ({
  kind: 'member' as const,
  tenantId,
  permissions,
  ...sessionAge,
});
const operatorWith = (permissions: ReadonlySet<string>, sessionAge = external): TestCaller => ({
  kind: 'operator',
  permissions,
  ...sessionAge,
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
  malformed('a string that is no token', bearer('garbage'));
  malformed('a malformed JWT', bearer('not.a.token'));
  malformed('a JWT of 100 kB', bearer(`${'a'.repeat(100_000)}.b.c`));

  const forged = adderOf('forged');
  forged('alg none, unsigned', bearer(`${unsigned}.`));
  forged('alg none, with a signature', bearer(`${unsigned}.${signature}`));
  forged('HS256 by the public key', bearer(await signWith('HS256', Buffer.from(publicPem))));
  forged('RS256 by their own key', bearer(await signWith('RS256', privateKey)));
  forged('a key in the header of the token', bearer(await signWith('RS256', privateKey, { jwk: customers.jwk })));
  forged(
    'claims under the signature of others',
    bearer(`${head}.${base64url({ ...claims, exp: now + 9_999 })}.${signature}`),
  );

  const misplaced = adderOf('a token for something else');
  misplaced('an expired token', bearer(await customers.sign({ sub, iat: now - 7_200, exp: now - 3_600 })));
  misplaced('a token that is not valid yet', bearer(await customers.sign({ sub, nbf: now + 86_400 })));
  misplaced('a token for another audience', bearer(await customers.sign({ sub, aud: 'someone-else' })));
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

  const ended = adderOf('a former user');
  ended('a disabled owner', disabled.headers);
  ended('an owner whose sessions were ended', signedOut.headers);
  ended('an owner who was removed', removed.headers);
  ended('a user without a tenant', (await aUser([])).headers);

  const foreign = adderOf("another tenant's person");
  foreign("another tenant's owner, whose token claims the victim", bearer(claiming));
  foreign('an operator in a token of the customer pool', bearer(await customers.sign({ sub: operatorAsCustomer })));
  foreign("another tenant's owner", attackerHeaders, memberOf(attacker.tenantId, rolePermissions.owner));

  const own = adderOf("the victim's person");
  for (const [role, permissions] of Object.entries(rolePermissions)) {
    const member = await aUser([{ tenantId: victim.tenantId, roles: [role] }]);
    own(`the victim's ${role}`, member.headers, memberOf(victim.tenantId, permissions));
  }
  const unknownRole = await aUser([{ tenantId: victim.tenantId, roles: ['no_such_role'] }]);
  own("the victim's member of an unknown role", unknownRole.headers, memberOf(victim.tenantId, new Set()));
  for (const { headers } of dualMembers)
    own('an owner there who is a viewer here', headers, memberOf(victim.tenantId, rolePermissions.viewer));

  for (const [role, permissions] of Object.entries(platformRolePermissions))
    adderOf('an operator')(`an operator: ${role}`, (await anOperator(role)).headers, operatorWith(permissions));
}

/** A valid token of a person who authenticated too long ago, or never. */
async function addStale() {
  const add = adderOf('an old authentication');
  for (const [when, claims] of [
    ['ten minutes ago', { auth_time: now - 600 }],
    ['at an unknown time', { auth_time: undefined }],
  ] as const) {
    const owner = memberOf(victim.tenantId, rolePermissions.owner, stale);
    add(`the victim's owner, authenticated ${when}`, (await aUser(ownerHere, claims)).headers, owner);
    const { headers } = await anOperator('platform_admin', claims);
    add(`an operator, authenticated ${when}`, headers, operatorWith(platformRolePermissions.platform_admin, stale));
  }
}

/** Permissions that an impersonating operator never has. */
const neverImpersonated = [
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

/** People of the built-in user pools. */
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

  const stalePerson = await aSignedInPerson('customer', victim);
  await changeSession(stalePerson, sql`authenticated_at = now() - interval '10 minutes'`);
  const staleSession = { isFresh: false, hasSession: true };
  adderOf('an old authentication')(
    "the victim's owner, signed in long ago",
    stalePerson.headers,
    memberOf(victim.tenantId, owner, staleSession),
  );
  adderOf('a token for something else')('a refresh token for an access token', bearer(stalePerson.refreshToken));
  const ended = await aSignedInPerson('customer', victim);
  await changeSession(ended, sql`ended_at = now()`);
  adderOf('a former user')('an owner whose session has ended', ended.headers);

  await allowSupport(victim);
  const target = { userId: stalePerson.userId, reason: 'For the test' };
  const impersonation = await send('POST', `/admin/tenants/${victim.tenantId}/impersonate`, operator.headers, target);
  const permissions = new Set([...owner].filter((permission) => !neverImpersonated.includes(permission)));
  const { accessToken } = impersonation.json<{ accessToken: string }>();
  const impersonator = memberOf(victim.tenantId, permissions, { ...stale, isImpersonated: true });
  own("an operator who impersonates the victim's owner", bearer(accessToken), impersonator);
}

function addKeys() {
  const { full, powerless, widget, revoked, expired, rotated } = victimKeys;
  const ended = adderOf('a former key');
  ended('a revoked key', revoked.headers);
  ended('an expired key', expired.headers);
  ended('a rotated secret', rotated.headers);

  const mismatched = adderOf('a key with the wrong id');
  mismatched('a key without its id', bearer(full.secret));
  mismatched("a key with another key's id", pair(full.secret, powerless.id));
  mismatched("a key with another tenant's key id", pair(full.secret, attackerKeys.full.id));
  mismatched("another tenant's secret with the victim's key id", pair(attackerKeys.full.secret, full.id));
  mismatched('a mistyped secret', pair(`${full.secret.slice(0, -1)}!`, full.id));

  adderOf('a widget key')("the victim's widget key", widget.headers);
  adderOf('a widget key')("another tenant's widget key", attackerKeys.widget.headers);

  const everything = new Set(KeyPermission.options);
  const own = adderOf("the victim's key");
  own("the victim's key with no permission", powerless.headers, memberOf(victim.tenantId, new Set(), key));
  own("the victim's key with all a key can have", full.headers, memberOf(victim.tenantId, everything, key));
  const foreign = adderOf("another tenant's key");
  foreign("another tenant's key", attackerKeys.full.headers, memberOf(attacker.tenantId, everything, key));
}

/** Widget visitors: unauthenticated at every route but the widget's own. */
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

/** The attacker's credentials, with their own objects to request. */
export const attackers: Attacker[] = [
  { name: 'the owner', headers: attackerHeaders, caller: memberOf(attacker.tenantId, rolePermissions.owner) },
  {
    name: 'the key',
    headers: attackerKeys.full.headers,
    caller: memberOf(attacker.tenantId, new Set(KeyPermission.options), key),
  },
  {
    name: 'the owner, signed in here',
    headers: attackerPeople.stranger.headers,
    caller: memberOf(attacker.tenantId, rolePermissions.owner, signedInHere),
    person: attackerPeople.stranger,
  },
  {
    name: 'the colleague',
    headers: attackerPeople.colleague.headers,
    caller: memberOf(victim.tenantId, new Set(), signedInHere),
    person: attackerPeople.colleague,
    isForOwnOnly: true, // in their own tenant the other routes are allowed
  },
  {
    name: 'the visitor',
    headers: attackerChat.visitor.headers,
    caller: { kind: 'visitor' },
  },
  {
    name: 'the operator',
    headers: attackerPeople.operator.headers,
    caller: operatorWith(new Set(), signedInHere),
    person: attackerPeople.operator,
    isForOwnOnly: true,
  },
];

/** The refusal that the route's declaration requires for this credential; undefined where it is accepted. */
export const refusalFor = (operation: Operation, caller: TestCaller, tenantId = victim.tenantId) =>
  expectedRefusal(operation, caller, tenantId);
