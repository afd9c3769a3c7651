import * as fc from 'fast-check';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { KeyPermission } from '../../src/features/api-keys/api-keys.contract.ts';
import { newId } from '../../src/platform/ids.ts';
import {
  admin,
  aKey,
  anOperator,
  api,
  aTenant,
  aUser,
  customers,
  services,
  type Headers,
  type Response,
  type TestTenant,
} from '../harness.ts';
import { anIp } from '../identity/accounts-fixture.ts';
import * as walk from '../openapi-walk.ts';
import type { Operation, RequestValues } from '../openapi-walk.ts';
import { argsHash, plantActions, validFields } from './actions.ts';
import { aChat, resetLimitsOf, plantConversation, plantModel, plantSource } from './chats.ts';
import { namesTenant } from './expected-refusals.ts';
import { addOwnThings, aSignedInPerson, bearer } from './people.ts';
import { plantWebhook } from './hooks.ts';

// The two sides of the isolation test: the victim, who has one object of each kind, and the attacker, who has their own.

export const operations = walk.operationsOf(api.app.swagger());

/** Public routes are limited by IP: each request has its own. */
export function sendTo(operation: Operation, parts: RequestValues, headers: Headers): Promise<Response> {
  const request = walk.requestOf(operation, parts);
  const remoteAddress = operation.audience === 'public' ? anIp() : '127.0.0.1';
  return api.app.inject({ ...request, headers: { ...request.headers, ...headers }, remoteAddress });
}

export const sample = (operation: Operation, ids: Ids, numRuns: number, text = 'Some text') =>
  fc.sample(
    walk.requestValuesOf(operation, {
      id: (prefix) => fc.constantFrom(...(ids.get(prefix) ?? [missing(prefix)])),
      text: fc.nat().map((n) => `${text} ${n}`),
      named: {
        cursor: fc.constant(cursorTo(missing('key'))),
        wait: fc.constant(0),
        runId: fc.constantFrom(...(ids.get('arun') ?? [missing('arun')])),
        argsHash: fc.constant(argsHash),
        ...(/Action(OfTenant)?$/.test(operation.id) && validFields(ids.get('whk') ?? [missing('whk')])),
      },
    }),
    { numRuns, seed: 1 },
  );

export type Ids = ReadonlyMap<string, readonly string[]>;
export const missing = (prefix: string) => newId('request').replace('req', prefix);
export const cursorTo = (id: string) => Buffer.from(id).toString('base64url');

// ---- rows

const { rows: tables } = await sql<{ name: string; isTenants: boolean }>`
  select c.oid::regclass::text as name,
    bool_or(a.attname = 'tenant_id') and c.relnamespace::regnamespace::text not like '%\\_pool' as is_tenants
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relkind in ('r', 'p') and not c.relispartition and a.attname in ('tenant_id', 'user_id')
    and c.relnamespace::regnamespace::text in ('public', 'directory', 'customer_pool', 'admin_pool')
    and c.relname <> 'request_errors' -- written later, of what the victim's own people were refused
  group by c.oid, c.relnamespace`.execute(admin);

interface Side {
  tenantId: string;
  /** Users without a tenant who belong to this side, and members who do not. */
  also?: readonly string[];
  except?: readonly string[];
}

/** Every row of a tenant and of its users, by table. Changes of last use and last seen are ignored. */
export async function rowsOf({ tenantId, also = [], except = [] }: Side): Promise<Record<string, string>> {
  const people = sql`user_id <> all (${except}::text[]) and (user_id = any (${also}::text[])
    or user_id in (select user_id from directory.user_tenants where tenant_id = ${tenantId}))`;
  const each = tables.map(
    ({ name, isTenants }) => sql`select ${sql.lit(name)} as name, string_agg(line, E'\n' order by line) as lines
      from (select (to_jsonb(t) - 'last_used_at' - 'last_seen_at')::text as line from ${sql.raw(name)} as t
        where ${isTenants ? sql`tenant_id = ${tenantId}` : people}) as found`,
  );
  const { rows } = await sql<{ name: string; lines: string | null }>`${sql.join(each, sql` union all `)}`.execute(
    admin,
  );
  return Object.fromEntries(rows.map(({ name, lines }) => [name, lines ?? '']));
}
const idsOf = async (side: Side) => walk.idsIn(Object.values(await rowsOf(side)).join('\n'));

// ---- one object of each kind

/** What no single request can create, and why. The victim and the attacker get theirs by hand, below. */
const createdByHand: Record<string, string> = {
  addPasskey: 'a passkey is created by a browser and an authenticator',
  replayWebhookDelivery: 'a delivery and its endpoint must belong together',
  createAction: 'its schemas, endpoint and steps must match',
};

export const canary = `canary-${Date.now().toString(36)}`;
export const keyFor = ({ id }: Operation): Headers => ({ 'idempotency-key': `${canary}-${id}` });
const creators = operations.filter(
  (operation) =>
    operation.audience === 'member' &&
    !namesTenant(operation) &&
    operation.responses['201'] &&
    !(operation.id in createdByHand),
);

/** Returns the requests that succeeded. */
async function createAll(tenant: TestTenant, text: string, headersFor: (operation: Operation) => Headers = () => ({})) {
  const created = new Map<Operation, RequestValues>();
  const ids = new Map(await idsOf(tenant));
  for (const operation of creators) {
    for (const parts of sample(operation, ids, 30, text)) {
      const response = await sendTo(operation, parts, { ...tenant.headers, ...headersFor(operation) });
      if (response.statusCode !== 201) continue;
      created.set(operation, parts);
      for (const [prefix, found] of walk.idsIn(response.body))
        ids.set(prefix, [...new Set([...(ids.get(prefix) ?? []), ...found])]);
      break;
    }
    const hint = `${operation.id}: of 30 valid requests none returned 201. If no single request can create it, say why in createdByHand`;
    expect(created.has(operation), hint).toBe(true);
  }
  return created;
}

/** Created by operators only. */
const plantSupportRequest = ({ tenantId }: TestTenant, reason: string) =>
  admin
    .insertInto('supportRequests')
    .values({ tenantId, id: newId('supportRequest'), operatorId: 'usr_operator', operatorName: 'Olga', reason })
    .execute();

// ---- the victim

export const victim = await aTenant({ plan: 'enterprise' });
export const everyKeyPermission = { permissions: KeyPermission.options };

await victim.patch('/tenant', { name: canary });
await admin.updateTable('bots').set({ name: canary }).where('id', '=', victim.botId).execute();
await sql`update directory.users set name = ${canary} where user_id = ${victim.userId}`.execute(admin);
export const victimChat = await aChat(victim, canary);
await plantActions(victim, (await plantWebhook(victim, canary))[0] ?? '', { text: canary });
await plantSupportRequest(victim, canary);
await createAll(victim, canary);
// Again, with neutral content, so that another tenant can send the very same request.
export const createdByVictim = await createAll(victim, 'Repeated', keyFor);

const makeKey = (tenant: TestTenant, more: Record<string, unknown> = {}) => aKey(tenant, { name: canary, ...more });
export const victimKeys = {
  full: await makeKey(victim, everyKeyPermission),
  powerless: await makeKey(victim),
  widget: await makeKey(victim, { keyType: 'public_widget', boundBotId: victim.botId }),
  revoked: await makeKey(victim, everyKeyPermission),
  expired: await makeKey(victim, everyKeyPermission),
  rotated: await makeKey(victim, everyKeyPermission),
};
await victim.post(`/api-keys/${victimKeys.revoked.id}/revoke`);
await victim.post(`/api-keys/${victimKeys.rotated.id}/rotate`, { overlapSeconds: 0 });
await admin
  .updateTable('apiKeys')
  .set({ expiresAt: new Date(0) })
  .where('id', '=', victimKeys.expired.id)
  .execute();
export const operator = await anOperator();
await operator.patch(`/admin/tenants/${victim.tenantId}/entitlements`, { overrides: { 'bots.max': 77 } });

/** In both pools the victim also has a user with a password, sessions and passkeys. */
const victimPeople = [await aSignedInPerson('customer', victim), await aSignedInPerson('admin')];
for (const person of victimPeople) await addOwnThings(person, canary);

// ---- the attacker

export const attacker = await aTenant({ plan: 'enterprise' });
export const attackerChat = await aChat(attacker, 'Mine');
await plantActions(attacker, (await plantWebhook(attacker, 'Mine'))[0] ?? '');
await plantSupportRequest(attacker, 'Mine');
await createAll(attacker, 'Mine');
for (let n = 0; n < 12; n++) await aUser([{ tenantId: attacker.tenantId, roles: ['viewer'] }]);
export const attackerKeys = {
  full: await aKey(attacker, everyKeyPermission),
  widget: await aKey(attacker, { keyType: 'public_widget', boundBotId: attacker.botId }),
};
/** However long the test takes, they authenticated a moment ago. */
const inAnHour = Math.floor(Date.now() / 1_000) + 3_600;
export const attackerHeaders = bearer(await customers.sign({ sub: attacker.subject, auth_time: inAnHour }));
export const attackerPeople = {
  stranger: await aSignedInPerson('customer', attacker),
  operator: await aSignedInPerson('admin'),
  /** In the victim's own tenant, which gives no access to other people's accounts. */
  colleague: await aSignedInPerson('customer', victim, ['viewer']),
};
for (const person of Object.values(attackerPeople)) await addOwnThings(person);
/** Owners of the attacker's tenant and viewers of the victim's. */
export const dualMemberships = [
  { tenantId: attacker.tenantId, roles: ['owner'] },
  { tenantId: victim.tenantId, roles: ['viewer'] },
];
export const dualMembers = await Promise.all(
  [dualMemberships, dualMemberships.toReversed()].map((memberships) =>
    aUser(memberships, { tenant_id: victim.tenantId }),
  ),
);

/** Objects of the attacker that belong together, for paths that name several of them. */
const relatedIds = await createRelated();
async function createRelated(): Promise<Record<string, string[]>> {
  const { body } = await attacker.post('/bots', { name: 'Mine', workspaceId: attacker.workspaceId });
  const [bot = ''] = walk.idsIn(body).get('bot') ?? [];
  const versions: string[] = [];
  for (const title of ['One', 'Two']) {
    const revision = versions.length + 1;
    await attacker.patch(`/bots/${bot}/draft`, { revision, draft: { title } });
    const response = await attacker.post(`/bots/${bot}/versions`, {});
    versions.push(response.json<{ version: { id: string } }>().version.id);
  }
  await attacker.post(`/bots/${bot}/deployments`, {
    environmentId: attacker.environmentId,
    versionId: versions[0],
  });
  return { bot: [bot], bver: versions, wsp: [attacker.workspaceId], env: [attacker.environmentId] };
}

/** Deleted many times during the test: there are more. */
for (let n = 0; n < 30; n++) await plantModel(attacker.tenantId);

/** Recreates what the operation is about to use up. Returns the ids that the attacker may use. */
export async function replenish(operation: Operation, isVisitor: boolean): Promise<Ids> {
  const prefixes = new Set(walk.positionsOf(operation).map(({ prefix }) => prefix));
  const { tenantId } = attacker;
  const own = new Map(await unchangedIds(operation));
  if (prefixes.has('ksrc')) {
    const [botId = ''] = relatedIds['bot'] ?? [];
    const fresh = (['text', 'file', 'qa', 'file'] as const).map((kind) => plantSource({ tenantId, botId }, kind));
    own.set(
      'ksrc',
      (await Promise.all(fresh)).map(([id]) => id),
    );
  }
  if (prefixes.has('whk')) {
    // An endpoint's deliveries must be its own; deletions need several endpoints.
    const planted = await plantWebhook(attacker, 'Mine');
    const more = operation.method === 'DELETE' ? await Promise.all([1, 2, 3, 4].map(() => plantWebhook(attacker))) : [];
    const ids = walk.idsIn([planted, ...more].flat().join(' '));
    for (const [prefix, found] of ids) own.set(prefix, found);
  }
  if (prefixes.has('act') || prefixes.has('arun')) {
    const [webhookId = ''] = own.get('whk') ?? [];
    const fresh = walk.idsIn((await plantActions(attacker, webhookId, { count: 6 })).join(' '));
    for (const [prefix, found] of [...fresh, ['env', [attacker.environmentId]] as const]) own.set(prefix, found);
  }
  if (isVisitor) {
    const { session } = attackerChat.visitor;
    const { versionId } = attackerChat.bot;
    const owner = { ...session, versionId, contactId: null };
    const [id, , replyId, runId] = await plantConversation(owner, { state: 'human' });
    return new Map([...own, ['conv', [id]], ['msg', [replyId]], ['arun', [runId]]]);
  }
  const usesRelated = Object.keys(relatedIds).filter((prefix) => prefixes.has(prefix)).length > 1;
  return usesRelated ? new Map([...own, ...Object.entries(relatedIds)]) : own;
}

/** Gives the attacker back what was transferred, and renames their tenant: a request with its name would delete it. */
export async function restoreAttacker({ pathTemplate }: Pick<Operation, 'pathTemplate'>) {
  const { tenantId, userId } = attacker;
  if (pathTemplate.includes('/conversations'))
    await sql`update conversations set state = 'human', assignee_id = ${userId} where tenant_id = ${tenantId}`.execute(
      admin,
    );
  if (pathTemplate.includes('/contacts') && attackerContacts.length > 0)
    await admin
      .insertInto('contacts')
      .values(attackerContacts)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  // An unchanged draft cannot be published again.
  if (pathTemplate.includes('/bots'))
    await sql`update bots set status = 'active', draft = draft || jsonb_build_object('title', ${newId('request')}::text)
      where tenant_id = ${tenantId} and id <> ${attacker.botId}`.execute(admin);
  if (pathTemplate.endsWith('/policies')) await resetPolicies();
  await admin.updateTable('tenants').set({ name: 'Test' }).where('tenantId', '=', attacker.tenantId).execute();
  await admin
    .updateTable('memberships')
    .set({ roles: ['owner'] })
    .where('tenantId', '=', attacker.tenantId)
    .where('userId', 'in', [attacker.userId, attackerPeople.stranger.userId])
    .execute();
}

/** Policies that the attacker set for its own tenant would otherwise refuse all its later requests. */
async function resetPolicies() {
  const none = { allowedEmailDomains: [], memberIpRanges: [], serverKeyIpRanges: [] };
  await admin
    .updateTable('tenants')
    .set({ requireTwoFactor: false, maxSessionHours: null, ...none })
    .where('tenantId', '=', attacker.tenantId)
    .execute();
  services.notify('cache:tenant', attacker.tenantId);
  const canRead = async () => (await attacker.get('/tenant')).statusCode;
  await expect.poll(canRead, { timeout: 10_000 }).toBe(200);
}

export const resetLimits = () => resetLimitsOf(attacker.tenantId, attackerChat.visitor.session.visitorId);

// ---- what each side owns

const ownIds = (people: readonly { userId: string }[]) => people.map(({ userId }) => userId);
export const victimSide: Side = {
  tenantId: victim.tenantId,
  also: ownIds(victimPeople),
  except: ownIds([attackerPeople.colleague, ...dualMembers]),
};
const attackerSide: Side = { tenantId: attacker.tenantId, also: ownIds(Object.values(attackerPeople)) };

/** Objects that operators read and that belong to no tenant: an erasure receipt, an announcement and a key rotation. */
const receiptId = newId('erasure');
await sql`insert into directory.erasures (id, tenant_hash, requested_by, deleted_at, erased_at)
  values (${receiptId}, sha256(${receiptId}), 'owner', now(), now())`.execute(admin);
const announcementId = newId('announcement');
await sql`insert into deployment.announcements (id, title, text, kind, starts_at, created_by)
  values (${announcementId}, 'Planned', '', 'info', now() + interval '1 day', 'test')`.execute(admin);
const rotationId = newId('keyRotation');
await sql`insert into deployment.key_rotations (id, status, master_key_id, reason, started_by, finished_at)
  values (${rotationId}, 'finished', 'test', 'A test', 'test', now())`.execute(admin);

export const idsOfVictim = async (): Promise<Ids> =>
  new Map([...(await idsOf(victimSide)), ['ers', [receiptId]], ['ann', [announcementId]], ['krot', [rotationId]]]);
export const idsOfAttacker = () => idsOf(attackerSide);

/** Without the attacker's own credentials, which deletions would invalidate. */
export async function deletableIds(): Promise<Ids> {
  const people = Object.values(attackerPeople);
  const own = new Set([
    attacker.userId,
    attackerKeys.full.id,
    attackerChat.bot.botId, // its visitor's session depends on it
    attackerChat.bot.keyId,
    attackerChat.contact.keyId,
    ...ownIds(dualMembers),
    ...people.flatMap(({ userId, sid }) => [userId, sid]),
  ]);
  const others = [...(await idsOfAttacker())].map(
    ([prefix, found]) => [prefix, found.filter((id) => !own.has(id))] as const,
  );
  return new Map([...others, ['ten', [attacker.tenantId]]]);
}

let idsBeforeReads: Promise<Ids> | undefined;
/** Read again after routes that may have changed them. */
function unchangedIds({ method }: Operation): Promise<Ids> {
  const ids = (method === 'GET' && idsBeforeReads) || deletableIds();
  idsBeforeReads = method === 'GET' ? ids : undefined;
  return ids;
}

/** To be restored after the attacker erased them. */
const attackerContacts = await admin
  .selectFrom('contacts')
  .select(['tenantId', 'id', 'environmentId', 'externalUserId', 'email'])
  .where('tenantId', '=', attacker.tenantId)
  .execute();
