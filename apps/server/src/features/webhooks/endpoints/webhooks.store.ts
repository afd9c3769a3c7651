import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { isTenantActive } from '../../tenants/index.ts';
import { newHealth, type Health } from './health.ts';
import type { CreateWebhook, Status, UpdateWebhook, Webhook } from '../webhooks.contract.ts';

// No `where tenantId` anywhere below: row-level security adds it.

/** An endpoint as it is kept. */
export interface Endpoint {
  id: Webhook['id'];
  url: string;
  description: string;
  eventTypes: string[];
  /** Of those, what the server key that set it up may read. null: a person set it up. */
  readableEventTypes: string[] | null;
  environmentId: Webhook['environmentId'];
  /** The environment of the endpoint, or the tenant's live one: for events that concern none. */
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
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
  createdAt: Date;
  createdBy: string;
  /** Somebody fetches what it would be sent. */
  isListenedTo: boolean;
  /** Those that are good at this moment, newest first. */
  secrets: Secret[];
}

export interface Secret {
  version: number;
  /** In base64. */
  encrypted: string;
  hint: string;
  notAfter: string | null;
}

const liveSecrets = sql<Secret[]>`(
  select coalesce(jsonb_agg(jsonb_build_object('version', version, 'encrypted', encode(encrypted, 'base64'), 'hint', hint, 'notAfter', not_after)
    order by version desc), '[]') from webhook_secrets s where s.webhook_id = webhooks.id and (not_after is null or not_after > now()))`;

const ownEnvironmentId = sql<string>`coalesce(webhooks.environment_id,
  (select e.id from environments e order by e.name <> 'live', e.id limit 1), '')`;

const endpoints = (tx: Tx) =>
  tx
    .selectFrom('webhooks')
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
      'health',
      'lastSuccessAt',
      'lastFailureAt',
      'createdAt',
      'createdBy',
      sql<boolean>`coalesce((listener ->> 'until')::timestamptz > now(), false)`.as('isListenedTo'),
      liveSecrets.as('secrets'),
    ])
    .$castTo<Endpoint>();

const whole = <E extends Endpoint>(endpoint: E): E => ({ ...endpoint, health: { ...newHealth(), ...endpoint.health } });
const wholeOr = (endpoint: Endpoint | undefined) => endpoint && whole(endpoint);

export const find = async (tx: Tx, id: string) => wholeOr(await endpoints(tx).where('id', '=', id).executeTakeFirst());
export const exists = async (tx: Tx, id: string) =>
  (await tx.selectFrom('webhooks').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
/** Read after the lock is had, not with it: what was rotated while it waited is seen. */
export async function lock(tx: Tx, id: string) {
  await tx.selectFrom('webhooks').select('id').where('id', '=', id).forNoKeyUpdate().execute();
  return find(tx, id);
}
/** In one go, for the one that delivers: a secret that was replaced while it waited counts as replaced a moment later. */
export async function lockToDeliver(tx: Tx, id: string): Promise<Delivering | undefined> {
  const isAwake = sql<boolean>`awake_until > now() + interval '15 seconds'`.as('isAwake');
  const endpoint = await endpoints(tx)
    .select([isAwake, isTenantActive.as('isTenantActive')])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return endpoint && whole(endpoint);
}
/** With whether for some time yet nobody will wake it, and whether its tenant is neither suspended nor deleted. */
export type Delivering = Endpoint & { isAwake: boolean; isTenantActive: boolean };

export async function list(
  tx: Tx,
  { before, status, limit }: { before: string | undefined; status: Status | undefined; limit: number },
): Promise<Endpoint[]> {
  let query = endpoints(tx).orderBy('id', 'desc').limit(limit);
  if (before !== undefined) query = query.where('id', '<', before);
  if (status !== undefined) query = query.where('status', '=', status);
  return (await query.execute()).map(whole);
}

export async function count(tx: Tx): Promise<number> {
  const { n } = await tx
    .selectFrom('webhooks')
    .select((eb) => eb.fn.countAll<string>().as('n'))
    .executeTakeFirstOrThrow();
  return Number(n);
}

/** Whether visitors meet this environment: it is named "live", or is the first of its workspace. */
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

type Readable = Pick<Endpoint, 'readableEventTypes'>;
type New = Omit<CreateWebhook, 'headers'> & Readable & { id: string; headers: Buffer | null; createdBy: string };
export const insert = (tx: Tx, row: New) => tx.insertInto('webhooks').values(row).execute();

type Update = Omit<UpdateWebhook, 'headers'> & Readable & { headers?: Buffer | null };
export const update = (tx: Tx, id: string, change: Update) =>
  tx.updateTable('webhooks').set(change).where('id', '=', id).execute();

export async function remove(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('webhookQueue').where('webhookId', '=', id).execute();
  await tx.deleteFrom('webhooks').where('id', '=', id).execute();
}

interface Change {
  status?: Status;
  disabledReason?: Endpoint['disabledReason'];
  health?: Health;
  lastSuccessAt?: Date;
  lastFailureAt?: Date;
  /** Until then nobody needs to wake it. Null: from now on anybody may. */
  awakeUntil?: Date | null;
}
/** How it does, as against what it is. */
export async function note(tx: Tx, id: string, { health, awakeUntil, ...rest }: Change): Promise<void> {
  const change = {
    ...rest,
    ...(health && { health: JSON.stringify(health) }),
    ...(awakeUntil !== undefined && { awakeUntil: awakeUntil ?? sql<Date>`'-infinity'` }),
  };
  if (Object.keys(change).length > 0) await tx.updateTable('webhooks').set(change).where('id', '=', id).execute();
}

export const insertSecret = (tx: Tx, row: { webhookId: string; version: number; encrypted: Buffer; hint: string }) =>
  tx.insertInto('webhookSecrets').values(row).execute();
export const endSecret = (tx: Tx, webhookId: string, version: number, notAfter: Date) =>
  tx
    .updateTable('webhookSecrets')
    .set({ notAfter })
    .where('webhookId', '=', webhookId)
    .where('version', '=', version)
    .execute();

/** What no call is signed with any more. */
export const dropEndedSecrets = (tx: Tx, webhookId: string) =>
  tx
    .deleteFrom('webhookSecrets')
    .where('webhookId', '=', webhookId)
    .where('notAfter', '<=', sql<Date>`now()`)
    .execute();

export const setInboundSecret = (tx: Tx, id: string, inboundSecret: Buffer) =>
  tx.updateTable('webhooks').set({ inboundSecret }).where('id', '=', id).execute();
export const inboundSecretOf = async (tx: Tx, id: string) =>
  (await tx.selectFrom('webhooks').select('inboundSecret').where('id', '=', id).executeTakeFirst())?.inboundSecret;
