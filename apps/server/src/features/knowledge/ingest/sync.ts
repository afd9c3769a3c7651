import { LRUCache } from 'lru-cache';
import { asSystem, inTenant, type Context, type Services } from '../../../platform/context.ts';
import type { Tx } from '../../../platform/db.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { newId } from '../../../platform/ids.ts';
import type { SafeFetch } from '../../../platform/safe-fetch.ts';
import { setTimer } from '../../../platform/timers.ts';
import { startCrawl, type Crawl } from './crawl.ts';
import { fetchDocument, locationsOf } from './documents.ts';
import * as events from '../knowledge.events.ts';
import { planSync, syncTimer, publishEvent } from '../knowledge.service.ts';
import type { StoredSource } from '../knowledge.store.ts';
import { countTokens, deleteChunks, saveChunks } from '../chunk/chunks.store.ts';
import { isTransient, Unreadable, type Problem } from './problems.ts';
import type { ReadDocument } from './reader/document.ts';
import type { Reader, RunInThread } from './reader/reader.ts';
import { hasRoomFor } from './storage.ts';
import { recount } from './storage.store.ts';
import * as store from './sync.store.ts';
import type { Embedder } from '../search/vectors.ts';
import { hasVectors, saveVectors, chunksWithoutVector } from '../search/vectors.store.ts';

export interface SyncCall {
  tenantId: Id<'tenant'>;
  sourceId: string;
  syncId: string;
}

/** Limits of one workflow step: short enough to repeat after a crash, long enough to justify a journal entry. */
const batch = { documents: 20, ms: 20_000, chunks: 64 };
/** How long a sync may make no progress before the sweeper restarts it. */
const silenceMs = 5 * 60_000;

/** The steps of a sync. All state is in the database, so that any worker can continue where another stopped. */
export function createSyncing(services: Services, fetch: SafeFetch, reader: Reader, embedder?: Embedder) {
  /** Shared by all steps of a sync, so that robots.txt is read once and its crawl delay is respected. */
  const crawls = new LRUCache<string, Crawl>({ max: 500, ttl: 30 * 60_000 });
  const runFor =
    ({ tenantId }: SyncCall): RunInThread =>
    (task, input) =>
      reader(task, input, tenantId);
  const crawlFor = (call: SyncCall, source: StoredSource) => () => {
    const { syncId } = call;
    const known = crawls.get(syncId) ?? startCrawl(fetch, runFor(call), (source.config as { url: string }).url);
    crawls.set(syncId, known);
    return known;
  };

  const inSyncTenant = <T>({ tenantId }: SyncCall, work: (ctx: Context) => Promise<T>) =>
    inTenant(services, asSystem(tenantId, 'knowledge-sync'), work);

  /**
   * Locks the source if this sync is still current. Changing or deleting the source ends the sync. If the tenant is
   * suspended, the sync pauses with its timer set and continues when the tenant is active again.
   */
  const lockSource = async (ctx: Context, { sourceId, syncId }: SyncCall) => {
    const source = await store.lockFor(ctx.tx, sourceId, syncId);
    if (source) await setTimer(ctx, syncTimer, sourceId, new Date(ctx.now.getTime() + silenceMs));
    return source;
  };

  /** Lists the documents to fetch. Returns how many, or the problem; null if the sync is no longer current. */
  async function list(call: SyncCall): Promise<{ total: number } | { problem: Problem } | null> {
    const { sourceId, syncId } = call;
    const started = await inSyncTenant(call, async (ctx) => {
      const source = await lockSource(ctx, call);
      if (source) await store.markSyncing(ctx.tx, sourceId);
      return source && { source, isListed: await store.isListed(ctx.tx, sourceId, syncId) };
    });
    if (!started) return null;
    if (started.isListed) return { total: 0 }; // a worker crashed after listing and before the step was journaled
    const listed = await attempt(() => locationsOf(started.source, crawlFor(call, started.source), runFor(call)));
    if ('problem' in listed) return listed;
    const documents = listed.value.map((location) => ({ id: newId('knowledgeDocument'), location }));
    const isCurrent = await inSyncTenant(call, async (ctx) => {
      const source = await lockSource(ctx, call);
      if (source) await store.saveListing(ctx.tx, sourceId, syncId, documents);
      return source !== undefined;
    });
    return isCurrent ? { total: documents.length } : null;
  }

  /** Fetches a batch of pending documents. Returns whether all are done; null if the sync is no longer current. */
  async function fetchSome(call: SyncCall): Promise<{ isDone: boolean } | null> {
    const { sourceId, syncId } = call;
    const startedAt = Date.now();
    const found = await inSyncTenant(call, async (ctx) => {
      const source = await lockSource(ctx, call);
      return source && { source, pending: await store.listPending(ctx.tx, sourceId, syncId, batch.documents + 1) };
    });
    if (!found) return null;
    for (const [n, document] of found.pending.entries()) {
      if (n >= batch.documents || Date.now() - startedAt > batch.ms) return { isDone: false };
      const outcome = await attempt(() => fetchAndRead(call, found.source, document));
      if (!(await inSyncTenant(call, (ctx) => save(ctx, call, document, outcome)))) return null;
    }
    return { isDone: true };
  }

  async function fetchAndRead(
    call: SyncCall,
    source: StoredSource,
    { location, hash }: store.PendingDocument,
  ): Promise<ReadDocument> {
    const input = await fetchDocument(source, location, {
      crawl: crawlFor(call, source),
      file: async () => {
        const file = await inSyncTenant(call, ({ tx }) => store.readFile(tx, call.sourceId));
        return file && { bytes: file.content, mediaType: file.mediaType, name: file.name };
      },
    });
    return runFor(call)('readDocument', { input, language: source.language, knownHash: hash });
  }

  /** Saves one document and the progress in one transaction. */
  async function save(
    ctx: Context,
    call: SyncCall,
    { id }: store.PendingDocument,
    outcome: Outcome<ReadDocument>,
  ): Promise<boolean> {
    const { tx } = ctx;
    const { sourceId, syncId } = call;
    const source = await lockSource(ctx, call);
    if (!source) return false;
    const before = await store.findPending(tx, id, syncId);
    if (!before) return true;
    const hasRoom = 'problem' in outcome || (await hasRoomFor(ctx, source, outcome.value.bytes - before.bytes));
    const checked: typeof outcome = hasRoom ? outcome : { problem: 'storage_full' };
    if ('problem' in checked) {
      await saveFailure(tx, call, { id, bytes: before.bytes }, checked.problem);
      return true;
    }
    const { title, language, hash, bytes, indexed } = checked.value;
    if (indexed) await saveChunks(tx, { id, sourceId }, indexed);
    const ready = { state: 'ready' as const, error: null, title, language, hash: Buffer.from(hash), bytes };
    await store.saveResult(tx, sourceId, id, ready, bytes - before.bytes);
    return true;
  }

  /** After a transient problem, the previous content is kept. */
  async function saveFailure(
    tx: Tx,
    { sourceId }: SyncCall,
    { id, bytes }: { id: string; bytes: number },
    problem: Problem,
  ): Promise<void> {
    const failed = { state: 'failed' as const, error: problem };
    if (isTransient(problem)) return store.saveResult(tx, sourceId, id, failed);
    await deleteChunks(tx, id);
    await store.saveResult(tx, sourceId, id, { ...failed, hash: null, bytes: 0 }, -bytes);
  }

  /**
   * Embeds a batch of chunks without vectors. `isDone` is also true if the model failed: the next sync retries, and
   * until then these chunks are found by their tokens. null if the sync is no longer current.
   */
  async function embedSome(call: SyncCall): Promise<{ isDone: boolean } | null> {
    if (!embedder) return { isDone: true };
    const { model } = embedder;
    for (const startedAt = Date.now(); Date.now() - startedAt < batch.ms;) {
      const chunks = await inSyncTenant(call, async (ctx) => {
        if (!(await lockSource(ctx, call))) return null;
        return (await hasVectors(ctx.tx)) ? chunksWithoutVector(ctx.tx, call.sourceId, model, batch.chunks) : [];
      });
      if (!chunks) return null;
      const vectors = chunks.length > 0 && (await embedder.embedChunks(chunks));
      if (!vectors) return { isDone: true };
      const isCurrent = await inSyncTenant(call, async (ctx) => {
        const source = await lockSource(ctx, call);
        if (source) await saveVectors(ctx.tx, model, chunks, vectors);
        return source !== undefined;
      });
      if (!isCurrent) return null;
    }
    return { isDone: false };
  }

  /** Deletes unlisted documents, updates the counts and publishes the result. */
  async function finish(call: SyncCall, problem: Problem | null, eventId: Id<'event'>): Promise<void> {
    const { sourceId, syncId } = call;
    await inSyncTenant(call, async (ctx) => {
      const source = await lockSource(ctx, call);
      if (!source) return;
      // If listing failed, it is unknown which documents are gone.
      if (problem === null) await store.deleteUnlisted(ctx.tx, sourceId, syncId);
      await countTokens(ctx.tx, sourceId);
      await recount(ctx.tx, sourceId);
      const { ready, isStorageFull, commonError } = await store.outcome(ctx.tx, sourceId, syncId);
      const error = problem ?? (isStorageFull ? 'storage_full' : ready > 0 ? null : commonError);
      await store.finish(ctx.tx, sourceId, error);
      await planSync(ctx, sourceId, source.schedule);
      await publishEvent(ctx, error === null ? events.knowledgeSynced : events.knowledgeFailed, sourceId, eventId);
    });
    crawls.delete(syncId);
  }

  return { list, fetchSome, embedSome, finish };
}

type Outcome<T> = { value: T } | { problem: Problem };

/** Problems with the document become a result; other errors are thrown, and the step is retried. */
async function attempt<T>(work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.reason };
    throw error;
  }
}
