import { sql, type SqlBool } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import type { Document, Schedule, Source, SourceKind } from './knowledge.contract.ts';
import { messageFor } from './ingest/problems.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

const problem = (error: string | null) => (error === null ? null : { reason: error, message: messageFor(error) });

const sources = (tx: Tx) =>
  tx.selectFrom('knowledgeSources as source').select([
    'id',
    'botId',
    'kind',
    'name',
    'isEnabled',
    'schedule',
    'language',
    'state',
    'syncId',
    'done',
    'total',
    'isLimited',
    'error',
    sql<number | null>`extract(epoch from now() - listed_at)::float8`.as('fetchingSeconds'),
    'lastSyncedAt',
    'nextSyncAt',
    'createdAt',
    'createdBy',
    sql<number>`(select count(*)::int from knowledge_documents d where d.source_id = source.id and d.state = 'ready')`.as(
      'ready',
    ),
    sql<number>`(select count(*)::int from knowledge_documents d where d.source_id = source.id and d.state = 'failed')`.as(
      'failed',
    ),
    // The empty token counts all chunks: see countTokens.
    sql<number>`coalesce((select w.chunks from knowledge_tokens w where w.source_id = source.id and w.token = ''), 0)`.as(
      'chunks',
    ),
    sql<string>`greatest(given_bytes, text_bytes)`.as('bytes'),
  ]);

type SourceRow = Awaited<ReturnType<ReturnType<typeof sources>['executeTakeFirstOrThrow']>>;

const toSource = (row: SourceRow): Source => {
  const { state, done, total, isLimited, fetchingSeconds, error, lastSyncedAt, nextSyncAt, ...others } = row;
  const { ready, failed, bytes, syncId: _internal, ...rest } = others;
  const secondsLeft = state === 'syncing' ? secondsLeftOf(done, total, fetchingSeconds) : null;
  const sync = { state, done, total, secondsLeft, isLimited, error: problem(error), lastSyncedAt, nextSyncAt };
  return { ...rest, sync, documents: { ready, failed }, bytes: Number(bytes) } as Source;
};

/** The first documents say little: the site's robots.txt is read, and threads and connections are opened. */
const minDone = 5;
const secondsLeftOf = (done: number, total: number, seconds: number | null) =>
  seconds === null || done < minDone ? null : Math.round((seconds / done) * (total - done));

export async function list(tx: Tx, botId: string, { before, limit }: { before: string | undefined; limit: number }) {
  let query = sources(tx).where('botId', '=', botId).orderBy('id', 'desc').limit(limit);
  if (before !== undefined) query = query.where('id', '<', before);
  return (await query.execute()).map(toSource);
}

export async function find(tx: Tx, id: string): Promise<Source | undefined> {
  const row = await sources(tx).where('id', '=', id).executeTakeFirst();
  return row && toSource(row);
}

export const botExists = async (tx: Tx, botId: string) =>
  (await tx.selectFrom('bots').select('id').where('id', '=', botId).executeTakeFirst()) !== undefined;

/** Locks the bot, so that concurrent requests cannot exceed the limit. */
export async function countSources(tx: Tx, botId: string): Promise<number> {
  await tx.selectFrom('bots').select('id').where('id', '=', botId).forNoKeyUpdate().execute();
  const { n } = await tx
    .selectFrom('knowledgeSources')
    .select(({ fn }) => fn.countAll<string>().as('n'))
    .where('botId', '=', botId)
    .executeTakeFirstOrThrow();
  return Number(n);
}

export interface StoredSource {
  id: string;
  botId: string;
  kind: SourceKind;
  name: string;
  config: unknown;
  language: string | null;
  schedule: Schedule;
  state: Source['sync']['state'];
  syncId: string | null;
  nextSyncAt: Date | null;
}

/** Locks the source until the transaction ends, which serializes syncs, changes and deletion. */
export const lock = (tx: Tx, id: string) => stored(tx).where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
export const read = (tx: Tx, id: string) => stored(tx).where('id', '=', id).executeTakeFirst();

const stored = (tx: Tx) =>
  tx
    .selectFrom('knowledgeSources')
    .select(['id', 'botId', 'kind', 'name', 'config', 'language', 'schedule', 'state', 'syncId', 'nextSyncAt'])
    .$castTo<StoredSource>();

interface NewSource {
  id: string;
  botId: string;
  kind: string;
  name: string;
  config: object;
  schedule: string;
  language: string | null;
  createdBy: string;
}
export const insert = (tx: Tx, source: NewSource) =>
  tx
    .insertInto('knowledgeSources')
    .values({ ...source, config: JSON.stringify(source.config) })
    .execute();

interface SourceChange {
  name?: string;
  isEnabled?: boolean;
  schedule?: string;
  language?: string | null;
  config?: object;
  nextSyncAt?: Date | null;
}
export const update = (tx: Tx, id: string, { config, ...change }: SourceChange) =>
  tx
    .updateTable('knowledgeSources')
    .set({ ...change, ...(config && { config: JSON.stringify(config) }) })
    .where('id', '=', id)
    .execute();

/** Queues a sync. A running sync with another id ends at its next step. */
export const queueSync = (tx: Tx, id: string, syncId: string) =>
  tx
    .updateTable('knowledgeSources')
    .set({
      syncId,
      state: 'waiting',
      done: 0,
      total: 0,
      error: null,
      nextSyncAt: null,
      listing: null,
      listedAt: null,
      isLimited: false,
    })
    .where('id', '=', id)
    .execute();

/** Deletes the source with all its content. */
export async function remove(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('knowledgeChunks').where('sourceId', '=', id).execute();
  await tx.deleteFrom('knowledgeTokens').where('sourceId', '=', id).execute();
  await tx.deleteFrom('knowledgeDocuments').where('sourceId', '=', id).execute();
  await tx.deleteFrom('knowledgeFiles').where('sourceId', '=', id).execute();
  await tx.deleteFrom('knowledgeSources').where('id', '=', id).execute();
}

export const saveFile = (tx: Tx, file: { sourceId: string; name: string; mediaType: string; content: Buffer }) =>
  tx
    .insertInto('knowledgeFiles')
    .values(file)
    .onConflict((same) =>
      same.columns(['tenantId', 'sourceId']).doUpdateSet({
        name: file.name,
        mediaType: file.mediaType,
        content: file.content,
        createdAt: sql`now()`,
      }),
    )
    .execute();

export async function fileSize(tx: Tx, sourceId: string): Promise<number | null> {
  const size = sql<number>`octet_length(content)`.as('bytes');
  const file = await tx.selectFrom('knowledgeFiles').select(size).where('sourceId', '=', sourceId).executeTakeFirst();
  return file?.bytes ?? null;
}

export async function sourceNames(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.selectFrom('knowledgeSources').select(['id', 'name']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export const documentExists = async (tx: Tx, id: string) =>
  (await tx.selectFrom('knowledgeDocuments').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;

export const listChunks = (tx: Tx, documentId: string, { after, limit }: { after: number; limit: number }) =>
  tx
    .selectFrom('knowledgeChunks')
    .select(['place as position', 'heading', 'body as text'])
    .where('documentId', '=', documentId)
    .where('place', '>', after)
    .orderBy('place')
    .limit(limit)
    .execute();

interface DocumentFilter {
  before: string | undefined;
  state: string | undefined;
  limit: number;
}
export async function listDocuments(tx: Tx, sourceId: string, { before, state, limit }: DocumentFilter) {
  const rows = await tx
    .selectFrom('knowledgeDocuments')
    .select(['id', 'location', 'title', 'language', 'state', 'error', 'fetchedAt'])
    .where('sourceId', '=', sourceId)
    .where(before === undefined ? sql<SqlBool>`true` : sql<SqlBool>`id < ${before}`)
    .where(state === undefined ? sql<SqlBool>`true` : sql<SqlBool>`state = ${state}`)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ error, ...row }) => ({ ...row, error: problem(error) }) as Document);
}
