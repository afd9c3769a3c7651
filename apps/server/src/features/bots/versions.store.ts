import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { prepared } from '../../platform/prepared.ts';
import { VersionContent } from './bot-content.contract.ts';
import type { BotDeployment, BotVersion, BotVersionHead } from './bots.contract.ts';
import { readContent } from './version-content.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

const heads = (tx: Tx) =>
  tx
    .selectFrom('botVersions')
    .select(['id', 'botId', 'number', 'notes', 'createdBy', 'createdAt'])
    .select(sql<string>`encode(content_hash, 'hex')`.as('contentHash'))
    .$narrowType<BotVersionHead>();

/** Newest first, by number: ids of different processes may be out of order. */
export async function list(tx: Tx, botId: string, before: string | undefined, limit: number) {
  let query = heads(tx)
    .where('botId', '=', botId)
    .where('number', 'is not', null)
    .orderBy('number', 'desc')
    .limit(limit);
  if (before !== undefined)
    query = query.where('number', '<', (eb) => eb.selectFrom('botVersions').select('number').where('id', '=', before));
  return query.execute();
}

/** Undefined if the version belongs to another bot. */
export async function find(tx: Tx, botId: string, id: string): Promise<BotVersion | undefined> {
  const row = await heads(tx)
    .select('content')
    .where('botId', '=', botId)
    .where('id', '=', id)
    .$narrowType<BotVersionHead>()
    .executeTakeFirst();
  return row && { ...row, content: readContent(VersionContent, row.content) };
}

export const newest = (tx: Tx, botId: string): Promise<BotVersionHead | undefined> =>
  heads(tx)
    .where('botId', '=', botId)
    .where('number', 'is not', null)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();

/** A conversation uses the same version until it ends. */
export async function contentOf(tx: Tx, versionId: string): Promise<VersionContent | undefined> {
  const row = await tx.selectFrom('botVersions').select('content').where('id', '=', versionId).executeTakeFirst();
  return row && readContent(VersionContent, row.content);
}

interface NewVersion {
  id: Id<'botVersion'>;
  botId: string;
  contentHash: Buffer;
  content: VersionContent;
  createdBy: string;
}
export const insert = (tx: Tx, { content, ...version }: NewVersion & { number: number; notes: string }) =>
  tx
    .insertInto('botVersions')
    .values({ ...version, content: JSON.stringify(content) })
    .execute();

/** A draft is frozen only once. A concurrent insert waits, then reads the existing row. */
export async function insertUnnumbered(tx: Tx, { content, ...version }: NewVersion): Promise<Id<'botVersion'>> {
  await tx
    .insertInto('botVersions')
    .values({ ...version, content: JSON.stringify(content) })
    .onConflict((same) => same.columns(['tenantId', 'botId', 'contentHash']).where('number', 'is', null).doNothing())
    .execute();
  const { id } = await tx
    .selectFrom('botVersions')
    .select('id')
    .where('botId', '=', version.botId)
    .where('contentHash', '=', version.contentHash)
    .where('number', 'is', null)
    .executeTakeFirstOrThrow();
  return id as Id<'botVersion'>;
}

export const findDeployment = (tx: Tx, botId: string, environmentId: string): Promise<BotDeployment | undefined> =>
  prepared(tx)
    .selectFrom('botDeployments')
    .innerJoin('botVersions', 'botVersions.id', 'botDeployments.versionId')
    .select(['botDeployments.botId', 'environmentId', 'versionId', 'number', 'deployedBy', 'deployedAt'])
    .where('botDeployments.botId', '=', botId)
    .where('environmentId', '=', environmentId)
    .$narrowType<BotDeployment>()
    .executeTakeFirst();

export const deploy = (tx: Tx, { number: _number, ...deployment }: BotDeployment) =>
  tx
    .insertInto('botDeployments')
    .values(deployment)
    .onConflict((same) => same.columns(['tenantId', 'botId', 'environmentId']).doUpdateSet(deployment))
    .execute();

/** The deployed versions of a bot with their content. */
export async function deployedContents(tx: Tx, botId: string) {
  const rows = await tx
    .selectFrom('botDeployments')
    .innerJoin('botVersions', 'botVersions.id', 'botDeployments.versionId')
    .select(['environmentId', 'versionId', 'content'])
    .where('botDeployments.botId', '=', botId)
    .$narrowType<{ environmentId: Id<'environment'>; versionId: Id<'botVersion'> }>()
    .execute();
  return rows.map((row) => ({ ...row, content: readContent(VersionContent, row.content) }));
}
