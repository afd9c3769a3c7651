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
import type { Stored } from '../knowledge.store.ts';
import { countTokens, deleteChunks, saveChunks } from '../chunk/chunks.store.ts';
import { mayPass, Unreadable, type Problem } from './problems.ts';
import type { ReadDocument } from './reader/document.ts';
import type { Reader, RunInThread } from './reader/reader.ts';
import { hasRoomFor } from './storage.ts';
import { recount } from './storage.store.ts';
import * as store from './sync.store.ts';
import type { Embedder } from '../search/vectors.ts';
import { hasVectors, saveVectors, withoutVector } from '../search/vectors.store.ts';

export interface SyncCall {
  tenantId: Id<'tenant'>;
  sourceId: string;
  syncId: string;
}

/** A batch is a step of the workflow: short enough to be repeated after a crash, long enough to be worth noting. */
const batch = { documents: 20, ms: 20_000, chunks: 64 };
/** How long a sync may be silent before the sweeper asks for it again. */
const silenceMs = 5 * 60_000;

/** What a sync does, step by step. All that it knows is in rows, so that any worker can go on from where another ended. */
export function createSyncing(services: Services, fetch: SafeFetch, reader: Reader, embedder?: Embedder) {
  /** A site's robots.txt is read once for a sync, and asked politely by all of its steps. */
  const crawls = new LRUCache<string, Crawl>({ max: 500, ttl: 30 * 60_000 });
  const runFor =
    ({ tenantId }: SyncCall): RunInThread =>
    (task, input) =>
      reader(task, input, tenantId);
  const crawlFor = (call: SyncCall, source: Stored) => () => {
    const { syncId } = call;
    const known = crawls.get(syncId) ?? startCrawl(fetch, runFor(call), (source.config as { url: string }).url);
    crawls.set(syncId, known);
    return known;
  };

  const within = <T>({ tenantId }: SyncCall, work: (ctx: Context) => Promise<T>) =>
    inTenant(services, asSystem(tenantId, 'knowledge-sync'), work);

  /**
   * The source, if this sync is still wanted. Whoever changed or deleted it meanwhile has ended this one; of a tenant that is
   * held it stays as far as it is, with its timer, and goes on with the tenant.
   */
  const locked = async (ctx: Context, { sourceId, syncId }: SyncCall) => {
    const source = await store.lockFor(ctx.tx, sourceId, syncId);
    if (source) await setTimer(ctx, syncTimer, sourceId, new Date(ctx.now.getTime() + silenceMs));
    return source;
  };

  /** Writes down what is to be visited. Says how many, or why that could not be found out; null if nobody wants it. */
  async function list(call: SyncCall): Promise<{ total: number } | { problem: Problem } | null> {
    const { sourceId, syncId } = call;
    const begun = await within(call, async (ctx) => {
      const source = await locked(ctx, call);
      if (source) await store.begin(ctx.tx, sourceId);
      return source && { source, isListed: await store.isListed(ctx.tx, sourceId, syncId) };
    });
    if (!begun) return null;
    if (begun.isListed) return { total: 0 }; // by a worker that ended before it could say so
    const listed = await attempt(() => locationsOf(begun.source, crawlFor(call, begun.source), runFor(call)));
    if ('problem' in listed) return listed;
    const documents = listed.value.map((location) => ({ id: newId('knowledgeDocument'), location }));
    const isWanted = await within(call, async (ctx) => {
      const source = await locked(ctx, call);
      if (source) await store.listAll(ctx.tx, sourceId, syncId, documents);
      return source !== undefined;
    });
    return isWanted ? { total: documents.length } : null;
  }

  /** Visits some of those that wait. Says whether any are left; null if nobody wants it any more. */
  async function visitSome(call: SyncCall): Promise<{ isDone: boolean } | null> {
    const { sourceId, syncId } = call;
    const began = Date.now();
    const found = await within(call, async (ctx) => {
      const source = await locked(ctx, call);
      return source && { source, waiting: await store.waiting(ctx.tx, sourceId, syncId, batch.documents + 1) };
    });
    if (!found) return null;
    for (const [n, document] of found.waiting.entries()) {
      if (n >= batch.documents || Date.now() - began > batch.ms) return { isDone: false };
      const outcome = await attempt(() => visit(call, found.source, document));
      if (!(await within(call, (ctx) => save(ctx, call, document, outcome)))) return null;
    }
    return { isDone: true };
  }

  async function visit(call: SyncCall, source: Stored, { location, hash }: store.Waiting): Promise<ReadDocument> {
    const input = await fetchDocument(source, location, {
      crawl: crawlFor(call, source),
      file: async () => {
        const file = await within(call, ({ tx }) => store.readFile(tx, call.sourceId));
        return file && { bytes: file.content, mediaType: file.mediaType, name: file.name };
      },
    });
    return runFor(call)('readDocument', { input, language: source.language, knownHash: hash });
  }

  /** One document, in one transaction with the count of those that are done. */
  async function save(
    ctx: Context,
    call: SyncCall,
    { id }: store.Waiting,
    outcome: Outcome<ReadDocument>,
  ): Promise<boolean> {
    const { tx } = ctx;
    const { sourceId, syncId } = call;
    const source = await locked(ctx, call);
    if (!source) return false;
    const before = await store.findWaiting(tx, id, syncId);
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
    await store.visited(tx, sourceId, id, ready, bytes - before.bytes);
    return true;
  }

  /** What may be over by the next sync keeps what was read before. */
  async function saveFailure(
    tx: Tx,
    { sourceId }: SyncCall,
    { id, bytes }: { id: string; bytes: number },
    problem: Problem,
  ): Promise<void> {
    const failed = { state: 'failed' as const, error: problem };
    if (mayPass(problem)) return store.visited(tx, sourceId, id, failed);
    await deleteChunks(tx, id);
    await store.visited(tx, sourceId, id, { ...failed, hash: null, bytes: 0 }, -bytes);
  }

  /**
   * Gives some of the chunks that have none their vectors. Says whether that is all that can be done now: a model that
   * fails is asked again by the next sync, as what has no vector is found by its words. Null if nobody wants it any more.
   */
  async function embedSome(call: SyncCall): Promise<{ isDone: boolean } | null> {
    if (!embedder) return { isDone: true };
    const { model } = embedder;
    for (const began = Date.now(); Date.now() - began < batch.ms;) {
      const chunks = await within(call, async (ctx) => {
        if (!(await locked(ctx, call))) return null;
        return (await hasVectors(ctx.tx)) ? withoutVector(ctx.tx, call.sourceId, model, batch.chunks) : [];
      });
      if (!chunks) return null;
      const vectors = chunks.length > 0 && (await embedder.ofChunks(chunks));
      if (!vectors) return { isDone: true };
      const isWanted = await within(call, async (ctx) => {
        const source = await locked(ctx, call);
        if (source) await saveVectors(ctx.tx, model, chunks, vectors);
        return source !== undefined;
      });
      if (!isWanted) return null;
    }
    return { isDone: false };
  }

  /** Drops what was not seen, counts, and tells how it ended. */
  async function finish(call: SyncCall, problem: Problem | null, eventId: Id<'event'>): Promise<void> {
    const { sourceId, syncId } = call;
    await within(call, async (ctx) => {
      const source = await locked(ctx, call);
      if (!source) return;
      // Where the list itself could not be had, nobody knows what is gone.
      if (problem === null) await store.dropUnseen(ctx.tx, sourceId, syncId);
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

  return { list, visitSome, embedSome, finish };
}

type Outcome<T> = { value: T } | { problem: Problem };

/** What is wrong with the document is an outcome; what is wrong with us is thrown, and tried again. */
async function attempt<T>(work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.reason };
    throw error;
  }
}
