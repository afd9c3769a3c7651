import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import { newHealth, type Health } from './health.ts';
import type { CreateWebhook, Status, UpdateWebhook, Webhook } from './webhooks.contract.ts';

// No `where tenantId` anywhere below: row-level security adds it.

/** An endpoint as it is kept. */
export interface Endpoint {
  id: Webhook['id'];
  url: string;
  description: string;
  eventTypes: string[];
  environmentId: Webhook['environmentId'];
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
}

const endpoints = (tx: Tx) =>
  tx
    .selectFrom('webhooks')
    .select([
      'id',
      'url',
      'description',
      'eventTypes',
      'environmentId',
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
    ])
    .$castTo<Endpoint>();

const whole = <E extends Endpoint>(endpoint: E): E => ({ ...endpoint, health: { ...newHealth(), ...endpoint.health } });
const wholeOr = (endpoint: Endpoint | undefined) => endpoint && whole(endpoint);

export const find = async (tx: Tx, id: string) => wholeOr(await endpoints(tx).where('id', '=', id).executeTakeFirst());
export const lock = async (tx: Tx, id: string) =>
  wholeOr(await endpoints(tx).where('id', '=', id).forNoKeyUpdate().executeTakeFirst());

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

type New = Omit<CreateWebhook, 'headers'> & { id: string; headers: Buffer | null; createdBy: string };
export const insert = (tx: Tx, row: New) => tx.insertInto('webhooks').values(row).execute();

type Change = Omit<UpdateWebhook, 'headers'> & { headers?: Buffer | null };
export const update = (tx: Tx, id: string, change: Change) =>
  tx.updateTable('webhooks').set(change).where('id', '=', id).execute();

export async function remove(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('webhookQueue').where('webhookId', '=', id).execute();
  await tx.deleteFrom('webhooks').where('id', '=', id).execute();
}

interface Judgement {
  status: Status;
  disabledReason: Endpoint['disabledReason'];
  health: Health;
  lastSuccessAt?: Date;
  lastFailureAt?: Date;
}
export const judgeAs = (tx: Tx, id: string, { health, ...rest }: Judgement) =>
  tx
    .updateTable('webhooks')
    .set({ ...rest, health: JSON.stringify(health) })
    .where('id', '=', id)
    .execute();

/** Until then nobody needs to wake it. Null: from now on anybody may. */
export const setAwake = (tx: Tx, id: string, until: Date | null) =>
  tx
    .updateTable('webhooks')
    .set({ awakeUntil: until ?? sql<Date>`'-infinity'` })
    .where('id', '=', id)
    .execute();

export interface Secret {
  version: number;
  sealed: Buffer;
  hint: string;
  notAfter: Date | null;
}
/** Newest first; those that are good at this moment. */
export const liveSecrets = (tx: Tx, webhookId: string): Promise<Secret[]> =>
  tx
    .selectFrom('webhookSecrets')
    .select(['version', 'sealed', 'hint', 'notAfter'])
    .where('webhookId', '=', webhookId)
    .where((eb) => eb.or([eb('notAfter', 'is', null), eb('notAfter', '>', sql<Date>`now()`)]))
    .orderBy('version', 'desc')
    .execute();

export const newestVersions = (tx: Tx, webhookIds: readonly string[]) =>
  tx
    .selectFrom('webhookSecrets')
    .select(['webhookId', 'version', 'hint', 'notAfter'])
    .where('webhookId', 'in', [...webhookIds])
    .where((eb) => eb.or([eb('notAfter', 'is', null), eb('notAfter', '>', sql<Date>`now()`)]))
    .orderBy('version', 'desc')
    .execute();

export const insertSecret = (tx: Tx, row: { webhookId: string; version: number; sealed: Buffer; hint: string }) =>
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
