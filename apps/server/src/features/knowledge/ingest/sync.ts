import { LRUCache } from 'lru-cache';
import { asSystem, inTenant, type Context, type Services } from '../../../platform/context.ts';
import type { Tx } from '../../../platform/db.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { unitMs } from '../../../platform/invocation-limits.ts';
import { newId } from '../../../platform/ids.ts';
import type { SafeFetch } from '../../../platform/safe-fetch.ts';
import { setTimer } from '../../../platform/timers.ts';
import { pageMs, startCrawl, type Crawl } from './crawl.ts';
import { fetchDocument, locationsOf } from './documents.ts';
import type { Configs } from '../knowledge.contract.ts';
import * as events from '../knowledge.events.ts';
import { planSync, syncTimer, publishEvent } from '../knowledge.service.ts';
import type { StoredSource } from '../knowledge.store.ts';
import { countTokens, deleteChunks, saveChunks } from '../chunk/chunks.store.ts';
import { isTransient, Unreadable, type Problem } from './problems.ts';
import type { ReadDocument } from './reader/document.ts';
import type { Reader, RunInThread } from './reader/reader.ts';
import { pagesToFollow, type DocumentEntry } from './site.ts';
import { maxPages } from './sitemap.ts';
import { readerVersion } from './reader/version.ts';
import { hasRoomFor } from './storage.ts';
import { recount } from './storage.store.ts';
import * as store from './sync.store.ts';
import type { Embedder } from '../embed/embedder.ts';
import { saveVectors, chunksWithoutVector } from '../search/vectors.store.ts';

export interface SyncCall {
  tenantId: Id<'tenant'>;
  sourceId: string;
  syncId: string;
}

/** Documents read from the database at a time. */
const maxDocuments = 20;
/** What is left to read a document whose site was slow, and the share of it for its links. */
const minReadMs = unitMs - pageMs;
const minLinksMs = 1_000;
/** How long a sync may make no progress before the sweeper restarts it. */
const silenceMs = 5 * 60_000;

/** What a step journals. If it isn't done, the sync continues in another invocation, after this time. */
export interface StepResult {
  isDone: boolean;
  afterMs: number;
}
const done: StepResult = { isDone: true, afterMs: 0 };

interface SyncDeps {
  services: Services;
  fetch: SafeFetch;
  reader: Reader;
  embedder?: Embedder | undefined;
  /** How long an invocation starts units of work: reading a sitemap, a document, or embedding chunks. */
  startMs: number;
}

/**
 * The steps of a sync. All state is in the database, so that any worker can continue where another stopped. Each step does at
 * least one unit of work, and is done only if there is time left for the next one.
 */
export function createSyncing({ services, fetch, reader, embedder, startMs }: SyncDeps) {
  /** Shared by all steps of a sync, so that robots.txt is read once and its crawl delay is respected. */
  const crawls = new LRUCache<string, Crawl>({ max: 500, ttl: 30 * 60_000 });
  const runFor =
    ({ tenantId }: SyncCall, maxMs?: number): RunInThread =>
    (task, input) =>
      reader(task, input, tenantId, maxMs);
  const crawlFor = (call: SyncCall, source: StoredSource) => (): Crawl => {
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

  /** How long the crawl delay of the site lasts. Waited for between two invocations, because another worker doesn't know it. */
  const crawlWaitMs = ({ syncId }: SyncCall) => crawls.get(syncId)?.waitMs() ?? 0;

  /** Lists the documents to fetch. null if the sync is no longer current. `until`: when to start the last unit of work. */
  async function list(call: SyncCall): Promise<(StepResult & { problem: Problem | null; until: number }) | null> {
    const { sourceId, syncId } = call;
    const started = await inSyncTenant(call, async (ctx) => {
      const source = await lockSource(ctx, call);
      if (!source) return undefined;
      await store.markSyncing(ctx.tx, sourceId);
      const isListed = await store.isListed(ctx.tx, sourceId, syncId);
      return { source, isListed, listing: isListed ? undefined : await store.readListing(ctx.tx, sourceId) };
    });
    if (!started) return null;
    const until = Date.now() + startMs;
    if (started.isListed) return { ...done, problem: null, until };
    const { source, listing } = started;
    const waitMs = crawlWaitMs(call);
    if (waitMs > 0) return { isDone: false, afterMs: waitMs, problem: null, until };
    const listed = await attempt(() =>
      locationsOf(source, { crawl: crawlFor(call, source), run: runFor(call), listing, until }),
    );
    if ('problem' in listed) return { ...done, problem: listed.problem, until };
    const { value } = listed;
    const isCurrent = await inSyncTenant(call, async (ctx) => {
      if (!(await lockSource(ctx, call))) return false;
      if ('listing' in value) await store.saveListingSoFar(ctx.tx, sourceId, value.listing);
      else await store.saveListing(ctx.tx, sourceId, syncId, value.documents.map(toDocument), value.isLimited);
      return true;
    });
    if (!isCurrent) return null;
    const isDone = 'documents' in value && Date.now() < until;
    return { isDone, afterMs: crawlWaitMs(call), problem: null, until };
  }

  /** Fetches pending documents, until all are done or the time is up. null if the sync is no longer current. */
  async function fetchSome(call: SyncCall, until: number): Promise<StepResult | null> {
    const { sourceId, syncId } = call;
    for (let hasWorked = false; ;) {
      const found = await inSyncTenant(call, async (ctx) => {
        const source = await lockSource(ctx, call);
        return source && { source, pending: await store.listPending(ctx.tx, sourceId, syncId, maxDocuments) };
      });
      if (!found) return null;
      if (found.pending.length === 0) return { isDone: !hasWorked || Date.now() < until, afterMs: 0 };
      for (const document of found.pending) {
        const afterMs = crawlWaitMs(call);
        if ((hasWorked || afterMs > 0) && Date.now() + afterMs >= until) return { isDone: false, afterMs };
        const fetched = await fetchAndRead(call, found.source, document);
        if (!(await inSyncTenant(call, (ctx) => save(ctx, call, document, fetched)))) return null;
        hasWorked = true;
      }
    }
  }

  /** Doesn't throw if the document or its site is at fault. */
  async function fetchAndRead(
    call: SyncCall,
    source: StoredSource,
    { location, hash, validator, links }: store.PendingDocument,
  ): Promise<FetchedDocument> {
    const deadline = Date.now() + crawlWaitMs(call) + unitMs;
    const { language } = source;
    const isKnown = hash !== null && validator?.readerVersion === readerVersion && validator.language === language;
    const fetched = await attempt(() =>
      fetchDocument(source, location, {
        crawl: crawlFor(call, source),
        file: async () => {
          const file = await inSyncTenant(call, ({ tx }) => store.readFile(tx, call.sourceId));
          return file && { bytes: file.content, mediaType: file.mediaType, name: file.name };
        },
        known: isKnown ? validator : null,
      }),
    );
    // The links of a page that can't be fetched are not gone, unless the page is.
    if ('problem' in fetched) return { outcome: fetched, links: fetched.problem === 'page_not_found' ? null : links };
    if (!fetched.value) return { outcome: { value: 'unchanged' }, links };
    const { input, page } = fetched.value;
    const leftMs = () => deadline - Date.now();
    const linksMs = source.kind === 'site' ? Math.max(minLinksMs, leftMs() - minReadMs) : 0;
    const found = linksMs > 0 && page && (await attempt(() => runFor(call, linksMs)('readLinks', page)));
    const readMs = Math.max(found ? minReadMs - minLinksMs : minReadMs, leftMs());
    const outcome = await attempt(() => runFor(call, readMs)('readDocument', { input, language, knownHash: hash }));
    return {
      outcome,
      links: found && 'value' in found ? found.value : links,
      validator: page?.validator ? { ...page.validator, readerVersion, language } : null,
    };
  }

  /** Saves one document, the pages it links to, and the progress in one transaction. */
  async function save(
    ctx: Context,
    call: SyncCall,
    document: store.PendingDocument,
    { outcome, links, validator = null }: FetchedDocument,
  ): Promise<boolean> {
    const { tx } = ctx;
    const { sourceId, syncId } = call;
    const { id } = document;
    const source = await lockSource(ctx, call);
    if (!source) return false;
    const before = await store.findPending(tx, id, syncId);
    if (!before) return true;
    if (source.kind === 'site' && links) {
      const pages = pagesToFollow(source.config as Configs['site'], document, links).map(toDocument);
      await store.addPages(tx, sourceId, syncId, pages, maxPages);
    }
    if ('problem' in outcome) {
      await saveFailure(tx, call, { id, bytes: before.bytes, links }, outcome.problem);
      return true;
    }
    const { value } = outcome;
    const state = 'ready' as const;
    const hash = value === 'unchanged' ? document.hash : Buffer.from(value.hash);
    if (hash && hasManyPages(source.kind) && (await store.isStored(tx, sourceId, syncId, { id, hash }))) {
      await deleteChunks(tx, id);
      // Without a hash it is read again at the next sync: the other page may be gone by then.
      const duplicate = { state, error: 'duplicate_content', hash: null, bytes: 0, validator: null, links };
      await store.saveResult(tx, sourceId, id, duplicate, -before.bytes);
      return true;
    }
    if (value === 'unchanged') {
      await store.saveResult(tx, sourceId, id, { state, error: null });
      return true;
    }
    const { title, language, bytes, indexed } = value;
    if (!(await hasRoomFor(ctx, source, bytes - before.bytes))) {
      await saveFailure(tx, call, { id, bytes: before.bytes, links }, 'storage_full');
      return true;
    }
    if (indexed) await saveChunks(tx, { id, sourceId }, indexed);
    const ready = { state, error: null, title, language, hash, bytes, validator, links };
    await store.saveResult(tx, sourceId, id, ready, bytes - before.bytes);
    return true;
  }

  /** After a transient problem, the previous content is kept. */
  async function saveFailure(
    tx: Tx,
    { sourceId }: SyncCall,
    { id, bytes, links }: { id: string; bytes: number; links: string[] | null },
    problem: Problem,
  ): Promise<void> {
    const failed = { state: 'failed' as const, error: problem, links };
    if (isTransient(problem)) return store.saveResult(tx, sourceId, id, failed);
    await deleteChunks(tx, id);
    await store.saveResult(tx, sourceId, id, { ...failed, hash: null, bytes: 0 }, -bytes);
  }

  /**
   * Embeds chunks without vectors, until none is left or the time is up. Also done if the model failed: the next sync
   * retries, and until then these chunks are found by their tokens. null if the sync is no longer current.
   */
  async function embedSome(call: SyncCall, until: number): Promise<StepResult | null> {
    if (!embedder) return done;
    for (;;) {
      const chunks = await inSyncTenant(call, async (ctx) => {
        if (!(await lockSource(ctx, call))) return null;
        return chunksWithoutVector(ctx.tx, call.sourceId, embedder, embedder.batchSize);
      });
      if (!chunks) return null;
      const vectors = chunks.length > 0 && (await embedder.embedChunks(chunks));
      if (!vectors) return done;
      const isCurrent = await inSyncTenant(call, async (ctx) => {
        const source = await lockSource(ctx, call);
        if (source) await saveVectors(ctx.tx, embedder.model, chunks, vectors);
        return source !== undefined;
      });
      if (!isCurrent) return null;
      if (Date.now() >= until) return { isDone: false, afterMs: 0 };
    }
  }

  /** Deletes unlisted documents, updates the counts and publishes the result. */
  async function finish(call: SyncCall, problem: Problem | null, eventId: Id<'event'>): Promise<void> {
    const { sourceId, syncId } = call;
    await inSyncTenant(call, async (ctx) => {
      const source = await lockSource(ctx, call);
      if (!source) return;
      // If listing failed, or the page that leads to the others, it is unknown which documents are gone.
      const isListed =
        problem === null && (source.kind !== 'site' || (await store.isStartFetched(ctx.tx, sourceId, syncId)));
      if (isListed) await store.deleteUnlisted(ctx.tx, sourceId, syncId);
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

const toDocument = (entry: DocumentEntry) => ({ id: newId('knowledgeDocument'), ...entry });

/** Pages of a site often have several URLs. */
const hasManyPages = (kind: StoredSource['kind']) => kind === 'site' || kind === 'sitemap';

interface FetchedDocument {
  outcome: Outcome<ReadDocument | 'unchanged'>;
  /** The pages of the site that it links to, as far as known. */
  links: string[] | null;
  validator?: store.StoredValidator | null;
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
