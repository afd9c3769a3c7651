import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { prepared } from '../../platform/prepared.ts';
import { BotContent } from './bot-content.contract.ts';
import { BotLimits, type Bot, type BotStatus } from './bots.contract.ts';
import { readContent } from './version-content.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

const bots = (tx: Tx) =>
  tx
    .selectFrom('bots')
    .select([
      'id',
      'workspaceId',
      'name',
      'status',
      'allowedOrigins',
      'draft',
      'revision',
      'retentionDays',
      'limits',
      'createdAt',
      sql`(select coalesce(jsonb_object_agg(environment_id, version_id), '{}') from bot_deployments
        where bot_deployments.bot_id = bots.id)`.as('deployments'),
    ])
    .$narrowType<Bot>();

/** Fills in defaults of fields that were added after the row was written. */
const toBot = (row: Bot): Bot => ({
  ...row,
  draft: readContent(BotContent, row.draft),
  limits: BotLimits.parse(row.limits),
});

interface Filter {
  before: string | undefined;
  status: BotStatus | undefined;
  workspaceId: string | undefined;
  q: string | undefined;
  limit: number;
}
export async function list(tx: Tx, { before, status, workspaceId, q, limit }: Filter): Promise<Bot[]> {
  let query = bots(tx).orderBy('id', 'desc').limit(limit);
  if (before !== undefined) query = query.where('id', '<', before);
  if (status !== undefined) query = query.where('status', '=', status);
  if (workspaceId !== undefined) query = query.where('workspaceId', '=', workspaceId);
  if (q !== undefined) query = query.where(sql<boolean>`strpos(lower(name), lower(${q})) > 0`);
  return (await query.execute()).map(toBot);
}

export async function find(tx: Tx, id: string): Promise<Bot | undefined> {
  const row = await bots(tx).where('id', '=', id).executeTakeFirst();
  return row && toBot(row);
}

/** Locks the bot until the transaction ends, which serializes concurrent publishing. */
export const lock = (tx: Tx, id: string) =>
  tx.selectFrom('bots').select('id').where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

export async function countLive(tx: Tx): Promise<number> {
  const { n } = await tx
    .selectFrom('bots')
    .select((eb) => eb.fn.countAll<string>().as('n'))
    .where('status', '<>', 'archived')
    .executeTakeFirstOrThrow();
  return Number(n); // the driver returns a bigint as text
}

type NewBot = Pick<Bot, 'id' | 'name' | 'workspaceId' | 'allowedOrigins' | 'retentionDays' | 'limits' | 'draft'>;
export const insert = (tx: Tx, { limits, draft, ...bot }: NewBot & { createdBy: string }) =>
  tx
    .insertInto('bots')
    .values({ ...bot, limits: JSON.stringify(limits), draft: JSON.stringify(draft) })
    .execute();

type BotChange = Partial<Pick<Bot, 'name' | 'status' | 'allowedOrigins' | 'retentionDays' | 'limits'>>;
export const update = (tx: Tx, id: string, { limits, ...change }: BotChange) =>
  tx
    .updateTable('bots')
    .set({ ...change, ...(limits && { limits: JSON.stringify(limits) }) })
    .where('id', '=', id)
    .execute();

export const setDraft = (tx: Tx, id: string, draft: BotContent) =>
  tx
    .updateTable('bots')
    .set((eb) => ({ draft: JSON.stringify(draft), revision: eb('revision', '+', 1) }))
    .where('id', '=', id)
    .execute();

/** The default workspace of a new bot. */
export async function firstWorkspace(tx: Tx): Promise<Id<'workspace'> | undefined> {
  const row = await tx.selectFrom('workspaces').select('id').orderBy('id').limit(1).executeTakeFirst();
  return row?.id as Id<'workspace'> | undefined;
}

export const environmentsOf = (tx: Tx, workspaceId: string) =>
  tx
    .selectFrom('environments')
    .select(['id', 'name'])
    .where('workspaceId', '=', workspaceId)
    .orderBy('id')
    .$narrowType<{ id: Id<'environment'> }>()
    .execute();

/** The daily spend limits of a bot, in dollars. */
export async function limitsOf(tx: Tx, id: string) {
  const row = await prepared(tx).selectFrom('bots').select('limits').where('id', '=', id).executeTakeFirst();
  const { spendPerDay = null, spendPerVisitorDay = null } = (row?.limits ?? {}) as Partial<Bot['limits']>;
  return { spendPerDay, spendPerVisitorDay };
}

export async function environmentsOfBot(tx: Tx, id: string) {
  const bot = await tx.selectFrom('bots').select('workspaceId').where('id', '=', id).executeTakeFirst();
  return bot ? environmentsOf(tx, bot.workspaceId) : [];
}

/** Whether all of these are bots of the tenant. */
export async function areBots(tx: Tx, ids: readonly string[]): Promise<boolean> {
  const uniqueIds = [...new Set(ids)];
  if (uniqueIds.length === 0) return true;
  const found = await tx.selectFrom('bots').select('id').where('id', 'in', uniqueIds).execute();
  return found.length === uniqueIds.length;
}
