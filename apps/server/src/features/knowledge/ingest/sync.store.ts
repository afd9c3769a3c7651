import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { isTenantActive } from '../../tenants/index.ts';
import type { StoredSource } from '../knowledge.store.ts';
import type { Validator } from './crawl.ts';
import type { DocumentEntry } from './site.ts';
import type { SitemapListing } from './sitemap.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

/** Locks the source if this sync is still current and the tenant is active. */
export const lockFor = (tx: Tx, sourceId: string, syncId: string) =>
  tx
    .selectFrom('knowledgeSources')
    .select(['id', 'botId', 'kind', 'name', 'config', 'language', 'schedule', 'state', 'syncId', 'nextSyncAt'])
    .where('id', '=', sourceId)
    .where('syncId', '=', syncId)
    .where('state', 'in', ['waiting', 'syncing'])
    .where(isTenantActive)
    .forNoKeyUpdate()
    .$castTo<StoredSource>()
    .executeTakeFirst();

export const isListed = async (tx: Tx, sourceId: string, syncId: string) =>
  (await tx
    .selectFrom('knowledgeDocuments')
    .select('id')
    .where('sourceId', '=', sourceId)
    .where('syncId', '=', syncId)
    .limit(1)
    .executeTakeFirst()) !== undefined;

/** Where the listing of this sync has stopped. */
export async function readListing(tx: Tx, sourceId: string): Promise<SitemapListing | undefined> {
  const row = await tx
    .selectFrom('knowledgeSources')
    .select('listing')
    .where('id', '=', sourceId)
    .executeTakeFirstOrThrow();
  return (row.listing as SitemapListing | null) ?? undefined;
}
export const saveListingSoFar = (tx: Tx, sourceId: string, listing: SitemapListing) =>
  tx
    .updateTable('knowledgeSources')
    .set({ listing: JSON.stringify(listing) })
    .where('id', '=', sourceId)
    .execute();

export const markSyncing = (tx: Tx, sourceId: string) =>
  tx.updateTable('knowledgeSources').set({ state: 'syncing' }).where('id', '=', sourceId).execute();

/** Saves the documents to fetch. A known document keeps its row and content until it is fetched again. */
export async function saveListing(
  tx: Tx,
  sourceId: string,
  syncId: string,
  documents: readonly NewDocument[],
  isLimited: boolean,
): Promise<void> {
  await saveDocuments(tx, sourceId, syncId, documents);
  await tx
    .updateTable('knowledgeSources')
    .set({ done: 0, total: documents.length, listing: null, isLimited, listedAt: sql<Date>`clock_timestamp()` })
    .where('id', '=', sourceId)
    .execute();
}

export type NewDocument = DocumentEntry & { id: string };

const saveDocuments = (tx: Tx, sourceId: string, syncId: string, documents: readonly NewDocument[]) =>
  sql`
    insert into knowledge_documents (id, source_id, location, depth, sync_id)
    select id, ${sourceId}, location, depth, ${syncId}
    from unnest(${documents.map(({ id }) => id)}::text[], ${documents.map(({ location }) => location)}::text[],
      ${documents.map(({ depth }) => depth)}::int[]) as listed (id, location, depth)
    on conflict on constraint knowledge_document_place
      do update set state = 'waiting', error = null, sync_id = excluded.sync_id, depth = excluded.depth`.execute(tx);

/** Adds pages that a crawl has found and not listed yet, up to a total. */
export async function addPages(
  tx: Tx,
  sourceId: string,
  syncId: string,
  pages: readonly NewDocument[],
  maxTotal: number,
): Promise<void> {
  if (pages.length === 0) return;
  const listed = await tx
    .selectFrom('knowledgeDocuments')
    .select('location')
    .where('sourceId', '=', sourceId)
    .where('syncId', '=', syncId)
    .where(({ eb }) => eb('location', '=', sql<string>`any(${pages.map(({ location }) => location)}::text[])`))
    .execute();
  const known = new Set(listed.map(({ location }) => location));
  const unlisted = pages.filter(({ location }) => !known.has(location));
  const { total } = await tx
    .selectFrom('knowledgeSources')
    .select('total')
    .where('id', '=', sourceId)
    .executeTakeFirstOrThrow();
  const added = unlisted.slice(0, Math.max(0, maxTotal - total));
  if (added.length > 0) await saveDocuments(tx, sourceId, syncId, added);
  if (unlisted.length === 0) return;
  await tx
    .updateTable('knowledgeSources')
    .set({ total: total + added.length, ...(added.length < unlisted.length && { isLimited: true }) })
    .where('id', '=', sourceId)
    .execute();
}

export interface PendingDocument {
  id: string;
  location: string;
  depth: number;
  /** Hash of the content at the last sync. */
  hash: Buffer | null;
  validator: StoredValidator | null;
  links: string[] | null;
}

/** The version of a page, and what else its stored content depends on. */
export interface StoredValidator extends Validator {
  readerVersion: number;
  language: string | null;
}
export const listPending = (tx: Tx, sourceId: string, syncId: string, max: number): Promise<PendingDocument[]> =>
  tx
    .selectFrom('knowledgeDocuments')
    .select(['id', 'location', 'depth', 'hash', 'validator', 'links'])
    .where('sourceId', '=', sourceId)
    .where('syncId', '=', syncId)
    .where('state', '=', 'waiting')
    .orderBy('depth')
    .orderBy(sql`length(location)`) // of two pages with the same content, the one with the shorter URL is kept
    .orderBy('location')
    .limit(max)
    .$castTo<PendingDocument>()
    .execute();

/** Undefined if another worker has already processed it. */
export async function findPending(tx: Tx, id: string, syncId: string): Promise<{ bytes: number } | undefined> {
  const row = await tx
    .selectFrom('knowledgeDocuments')
    .select('bytes')
    .where('id', '=', id)
    .where('syncId', '=', syncId)
    .where('state', '=', 'waiting')
    .executeTakeFirst();
  return row && { bytes: Number(row.bytes) };
}

interface DocumentResult {
  state: 'ready' | 'failed';
  error: string | null;
  title?: string;
  language?: string | null;
  hash?: Buffer | null;
  bytes?: number;
  validator?: StoredValidator | null;
  links?: string[] | null;
}
/** `moreBytes`: the change in stored bytes. */
export async function saveResult(
  tx: Tx,
  sourceId: string,
  documentId: string,
  { validator, ...result }: DocumentResult,
  moreBytes = 0,
): Promise<void> {
  await tx
    .updateTable('knowledgeDocuments')
    .set({
      ...result,
      ...(validator !== undefined && { validator: validator && JSON.stringify(validator) }),
      fetchedAt: sql<Date>`now()`,
    })
    .where('id', '=', documentId)
    .execute();
  await tx
    .updateTable('knowledgeSources')
    .set({ done: sql`done + 1`, textBytes: sql`greatest(0, text_bytes + ${moreBytes}::bigint)` })
    .where('id', '=', sourceId)
    .execute();
}

/** Whether this sync has already stored the same content from another page. */
export const isStored = async (tx: Tx, sourceId: string, syncId: string, { id, hash }: { id: string; hash: Buffer }) =>
  (await tx
    .selectFrom('knowledgeDocuments')
    .select('id')
    .where('sourceId', '=', sourceId)
    .where('hash', '=', hash)
    .where('syncId', '=', syncId)
    .where('state', '=', 'ready')
    .where('id', '<>', id)
    .limit(1)
    .executeTakeFirst()) !== undefined;

/** Whether the start page of a crawl was fetched, so that its links are known. It may have no text. */
export const isStartFetched = async (tx: Tx, sourceId: string, syncId: string) =>
  (await tx
    .selectFrom('knowledgeDocuments')
    .select('id')
    .where('sourceId', '=', sourceId)
    .where('syncId', '=', syncId)
    .where('depth', '=', 0)
    .where(({ eb, or }) => or([eb('state', '=', 'ready'), eb('error', 'in', ['no_text', 'needs_javascript'])]))
    .limit(1)
    .executeTakeFirst()) !== undefined;

/** Deletes documents that this sync did not list. */
export async function deleteUnlisted(tx: Tx, sourceId: string, syncId: string): Promise<void> {
  const unseen = tx
    .selectFrom('knowledgeDocuments')
    .select('id')
    .where('sourceId', '=', sourceId)
    .where('syncId', '<>', syncId);
  await tx.deleteFrom('knowledgeChunks').where('documentId', 'in', unseen).execute();
  await tx.deleteFrom('knowledgeDocuments').where('id', 'in', unseen).execute();
}

/** The number of documents that succeeded, whether storage ran out, and the most common error. */
export async function outcome(tx: Tx, sourceId: string, syncId: string) {
  const rows = await tx
    .selectFrom('knowledgeDocuments')
    .select(['error', ({ fn }) => fn.countAll<string>().as('n')])
    .where('sourceId', '=', sourceId)
    .where('syncId', '=', syncId)
    .groupBy('error')
    .orderBy('n', 'desc')
    .execute();
  const ready = Number(rows.find(({ error }) => error === null)?.n ?? 0);
  const isStorageFull = rows.some(({ error }) => error === 'storage_full');
  return { ready, isStorageFull, commonError: rows.find(({ error }) => error !== null)?.error ?? null };
}

export const finish = (tx: Tx, sourceId: string, error: string | null) =>
  tx
    .updateTable('knowledgeSources')
    .set({
      state: error === null ? 'ready' : 'failed',
      error,
      listing: null,
      ...(error === null && { lastSyncedAt: sql<Date>`now()` }),
    })
    .where('id', '=', sourceId)
    .execute();

export const readFile = (tx: Tx, sourceId: string) =>
  tx
    .selectFrom('knowledgeFiles')
    .select(['name', 'mediaType', 'content'])
    .where('sourceId', '=', sourceId)
    .executeTakeFirst();

/** Suspended tenants and archived bots are not synced. */
export const isInUse = async (tx: Tx, botId: string) =>
  (await tx
    .selectFrom('bots')
    .innerJoin('tenants', 'tenants.tenantId', 'bots.tenantId')
    .select('bots.id')
    .where('bots.id', '=', botId)
    .where('bots.status', '<>', 'archived')
    .where('tenants.status', '=', 'active')
    .executeTakeFirst()) !== undefined;
