import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { ActionSpec, type Action } from './actions.contract.ts';

// No `where tenantId` anywhere below: row-level security adds it.

const actions = (tx: Tx) =>
  tx.selectFrom('actions').select([
    'id',
    'botId',
    'name',
    'spec',
    'createdAt',
    'createdBy',
    'updatedAt',
    sql<{ id: string; state: string; createdAt: string } | null>`(
      select jsonb_build_object('id', id, 'state', state, 'createdAt', created_at) from action_runs run
      where run.action_id = actions.id order by run.id desc limit 1)`.as('lastRun'),
  ]);
type Row = Awaited<ReturnType<ReturnType<typeof actions>['executeTakeFirstOrThrow']>>;

const toSpec = ({ id, name, spec }: Pick<Row, 'id' | 'name' | 'spec'>): ActionSpec =>
  ActionSpec.parse({ ...(spec as object), id, name });
const toAction = (row: Row): Action => ({
  ...toSpec(row),
  botId: row.botId as Id<'bot'>,
  createdAt: row.createdAt,
  createdBy: row.createdBy,
  updatedAt: row.updatedAt,
  lastRun: row.lastRun && {
    id: row.lastRun.id as Id<'actionRun'>,
    state: row.lastRun.state,
    createdAt: new Date(row.lastRun.createdAt),
  },
});

export async function list(tx: Tx, botId: string, { before, limit }: { before: string | undefined; limit: number }) {
  let query = actions(tx).where('botId', '=', botId).orderBy('id', 'desc').limit(limit);
  if (before !== undefined) query = query.where('id', '<', before);
  return (await query.execute()).map(toAction);
}

export async function find(tx: Tx, id: string): Promise<Action | undefined> {
  const row = await actions(tx).where('id', '=', id).executeTakeFirst();
  return row && toAction(row);
}

/** All actions of the next version, in a fixed order so that equal actions give equal content. */
export async function specsOfBot(tx: Tx, botId: string): Promise<ActionSpec[]> {
  const rows = await tx
    .selectFrom('actions')
    .select(['id', 'name', 'spec'])
    .where('botId', '=', botId)
    .orderBy('id')
    .execute();
  return rows.map(toSpec);
}

const bot = (tx: Tx, botId: string) =>
  tx.selectFrom('bots').select(['id', 'workspaceId', 'status']).where('id', '=', botId);
export const botOf = (tx: Tx, botId: string) => bot(tx, botId).executeTakeFirst();
/** Actions refer to one another, so changes to the actions of one bot are serialized. */
export const lockBot = (tx: Tx, botId: string) => bot(tx, botId).forNoKeyUpdate().executeTakeFirst();

export async function count(tx: Tx, botId: string): Promise<number> {
  const { n } = await tx
    .selectFrom('actions')
    .select((eb) => eb.fn.countAll<string>().as('n'))
    .where('botId', '=', botId)
    .executeTakeFirstOrThrow();
  return Number(n);
}

interface ActionInput {
  name: string;
  spec: object;
}
export const insert = (tx: Tx, { spec, ...row }: ActionInput & { id: string; botId: string; createdBy: string }) =>
  tx
    .insertInto('actions')
    .values({ ...row, spec: JSON.stringify(spec) })
    .execute();

export const update = (tx: Tx, id: string, { name, spec }: ActionInput) =>
  tx
    .updateTable('actions')
    .set({ name, spec: JSON.stringify(spec), updatedAt: new Date() })
    .where('id', '=', id)
    .execute();

export const remove = (tx: Tx, id: string) => tx.deleteFrom('actions').where('id', '=', id).execute();

/** The requested environment if it belongs to the workspace. By default, the workspace's test environment. */
export async function environmentFor(tx: Tx, workspaceId: string, requestedId: string | undefined) {
  const rows = await tx
    .selectFrom('environments')
    .select(['id', 'name'])
    .where('workspaceId', '=', workspaceId)
    .orderBy('id')
    .execute();
  const found =
    requestedId === undefined
      ? (rows.find(({ name }) => name === 'test') ?? rows[0])
      : rows.find(({ id }) => id === requestedId);
  return found?.id as Id<'environment'> | undefined;
}
