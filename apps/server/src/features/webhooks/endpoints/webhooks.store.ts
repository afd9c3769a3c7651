import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { newHealth, type Health } from './health.ts';
import type { CreateWebhook, Status, UpdateWebhook, Webhook } from '../webhooks.contract.ts';

// No `where tenantId` anywhere below: row-level security adds it.

/** An endpoint as stored. */
export interface Endpoint {
  id: Webhook['id'];
  url: string;
  description: string;
  eventTypes: string[];
  /** Types that the server key which created it may read. null: created by a user. */
  readableEventTypes: string[] | null;
  environmentId: Webhook['environmentId'];
  /** The environment of the endpoint, or the tenant's live one. Used for events without an environment. */
  ownEnvironmentId: string;
  botIds: Webhook['botIds'];
  headers: Buffer | null;
  rateLimit: number;
  ordering: 'none' | 'conversation';
  autoRecover: boolean;
  hasInboundSecret: boolean;
  status: Status;
  disabledReason: 'failures' | 'gone' | 'receiver' | null;
  health: Health;
  /** Of the health. */
  healthRevision: number;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
  /** Increases with each change of settings, status or secrets. */
  revision: number;
  createdAt: Date;
  createdBy: string;
  /** `parley listen` is running for it. */
  isListenedTo: boolean;
  /** Valid secrets, newest first. */
  secrets: Secret[];
}

export interface Secret {
  version: number;
  /** In base64. */
  encrypted: string;
  hint: string;
  notAfter: string | null;
}

const validSecrets = sql<Secret[]>`(
  select coalesce(jsonb_agg(jsonb_build_object('version', version, 'encrypted', encode(encrypted, 'base64'), 'hint', hint, 'notAfter', not_after)
    order by version desc), '[]') from webhook_secrets s where s.webhook_id = webhooks.id and (not_after is null or not_after > now()))`;

const ownEnvironmentId = sql<string>`coalesce(webhooks.environment_id,
  (select e.id from environments e order by e.name <> 'live', e.id limit 1), '')`;

const endpoints = (tx: Tx) =>
  tx
    .selectFrom('webhooks')
    .leftJoin('webhookHealth as h', 'h.webhookId', 'webhooks.id')
    .select([
      'id',
      'url',
      'description',
      'eventTypes',
      'readableEventTypes',
      'environmentId',
      ownEnvironmentId.as('ownEnvironmentId'),
      'botIds',
      'headers',
      'rateLimit',
      'ordering',
      'autoRecover',
      sql<boolean>`inbound_secret is not null`.as('hasInboundSecret'),
      'status',
      'disabledReason',
      'h.health',
      sql<number>`coalesce(h.revision, 0)`.as('healthRevision'),
      'h.lastSuccessAt',
      'h.lastFailureAt',
      'webhooks.revision',
      'createdAt',
      'createdBy',
      sql<boolean>`coalesce((listener ->> 'until')::timestamptz > now(), false)`.as('isListenedTo'),
      validSecrets.as('secrets'),
    ])
    .$castTo<Endpoint>();

const withHealthDefaults = <E extends Endpoint>(endpoint: E): E => ({
  ...endpoint,
  health: { ...newHealth(), ...endpoint.health },
});

export async function find(tx: Tx, id: string): Promise<Endpoint | undefined> {
  const endpoint = await endpoints(tx).where('id', '=', id).executeTakeFirst();
  return endpoint && withHealthDefaults(endpoint);
}
export const exists = async (tx: Tx, id: string) =>
  (await tx.selectFrom('webhooks').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
/** Reads after the lock is acquired, to see secrets that were rotated while it waited. */
export async function lock(tx: Tx, id: string) {
  await tx.selectFrom('webhooks').select('id').where('id', '=', id).forNoKeyUpdate().execute();
  return find(tx, id);
}
export async function list(
  tx: Tx,
  { before, status, limit }: { before: string | undefined; status: Status | undefined; limit: number },
): Promise<Endpoint[]> {
  let query = endpoints(tx).orderBy('id', 'desc').limit(limit);
  if (before !== undefined) query = query.where('id', '<', before);
  if (status !== undefined) query = query.where('status', '=', status);
  return (await query.execute()).map(withHealthDefaults);
}

export const listIds = async (tx: Tx): Promise<string[]> =>
  (await tx.selectFrom('webhooks').select('id').execute()).map(({ id }) => id);

export async function count(tx: Tx): Promise<number> {
  const { n } = await tx
    .selectFrom('webhooks')
    .select((eb) => eb.fn.countAll<string>().as('n'))
    .executeTakeFirstOrThrow();
  return Number(n);
}

/** Whether this is the environment for visitors: named "live", or the first one of its workspace. */
export async function isLiveEnvironment(tx: Tx, id: string): Promise<boolean> {
  const { workspaceId } =
    (await tx.selectFrom('environments').select('workspaceId').where('id', '=', id).executeTakeFirst()) ?? {};
  if (workspaceId === undefined) return false;
  const live = await tx
    .selectFrom('environments')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .orderBy(sql`name <> 'live'`)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return live?.id === id;
}

type ReadableTypes = Pick<Endpoint, 'readableEventTypes'>;
type NewWebhookRow = Omit<CreateWebhook, 'headers'> &
  ReadableTypes & { id: string; headers: Buffer | null; createdBy: string };
export const insert = (tx: Tx, row: NewWebhookRow) => tx.insertInto('webhooks').values(row).execute();

type WebhookUpdate = Omit<UpdateWebhook, 'headers'> & ReadableTypes & { headers?: Buffer | null };
export const update = (tx: Tx, id: string, change: WebhookUpdate) =>
  tx.updateTable('webhooks').set(change).where('id', '=', id).execute();

export async function remove(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('webhookQueue').where('webhookId', '=', id).execute();
  await tx.deleteFrom('webhooks').where('id', '=', id).execute();
}

interface StateChange {
  status?: Status;
  disabledReason?: Endpoint['disabledReason'];
  health?: Health;
  lastSuccessAt?: Date;
  lastFailureAt?: Date;
  /** null: no response. */
  lastFailureStatus?: number | null;
}
/** Updates health and status, as opposed to settings. */
export async function updateState(
  tx: Tx,
  id: string,
  { status, disabledReason, health, ...last }: StateChange,
): Promise<void> {
  if (status !== undefined || disabledReason !== undefined)
    await tx
      .updateTable('webhooks')
      .set({ ...(status !== undefined && { status }), ...(disabledReason !== undefined && { disabledReason }) })
      .where('id', '=', id)
      .execute();
  if (!health && Object.keys(last).length === 0) return;
  const change = { ...last, ...(health && { health: JSON.stringify(health) }) };
  await tx
    .insertInto('webhookHealth')
    .values({ webhookId: id, revision: 1, ...change })
    .onConflict((conflict) =>
      conflict.columns(['tenantId', 'webhookId']).doUpdateSet({
        ...change,
        revision: sql<number>`webhook_health.revision + 1`,
      }),
    )
    .execute();
}

export const insertSecret = (tx: Tx, row: { webhookId: string; version: number; encrypted: Buffer; hint: string }) =>
  tx.insertInto('webhookSecrets').values(row).execute();
export const expireSecret = (tx: Tx, webhookId: string, version: number, notAfter: Date) =>
  tx
    .updateTable('webhookSecrets')
    .set({ notAfter })
    .where('webhookId', '=', webhookId)
    .where('version', '=', version)
    .execute();

export const deleteExpiredSecrets = (tx: Tx, webhookId: string) =>
  tx
    .deleteFrom('webhookSecrets')
    .where('webhookId', '=', webhookId)
    .where('notAfter', '<=', sql<Date>`now()`)
    .execute();

export const setInboundSecret = (tx: Tx, id: string, inboundSecret: Buffer) =>
  tx.updateTable('webhooks').set({ inboundSecret }).where('id', '=', id).execute();
export const inboundSecretOf = async (tx: Tx, id: string) =>
  (await tx.selectFrom('webhooks').select('inboundSecret').where('id', '=', id).executeTakeFirst())?.inboundSecret;
