import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../platform/context.ts';
import { AppError, conflict, invalid, notFound, orNotFound } from '../../platform/errors.ts';
import { emit } from '../../platform/events.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { newId } from '../../platform/ids.ts';
import type { ListQuery } from '../../platform/lists.contract.ts';
import { readCursor, toPage } from '../../platform/lists.ts';
import { clearTimer, setTimer } from '../../platform/timers.ts';
import {
  Config,
  type Content,
  type CreateSource,
  type ListDocuments,
  type Schedule,
  type UpdateSource,
} from './knowledge.contract.ts';
import * as events from './knowledge.events.ts';
import * as store from './knowledge.store.ts';
import { messageFor, Unreadable } from './ingest/problems.ts';
import { sniff, type RawFile } from './ingest/reader/sniff.ts';
import { recordGivenBytes, givenBytesOf, readStorage, requireStorage } from './ingest/storage.ts';

const maxSources = 200;
export const syncTimer = 'knowledge-sync';

export async function createSource(ctx: Context, botId: string, input: CreateSource) {
  if (!(await store.botExists(ctx.tx, botId))) throw notFound('bot');
  if ((await store.countSources(ctx.tx, botId)) >= maxSources)
    throw conflict(
      'source_limit_reached',
      `A bot can have up to ${maxSources} knowledge sources. To add many pages, use one website source.`,
    );
  const { kind, name, schedule, language, ...config } = input;
  const id = newId('knowledgeSource');
  await requireStorage(ctx, botId);
  await store.insert(ctx.tx, { id, botId, kind, name, schedule, language, config, createdBy: ctx.actor.id });
  await recordGivenBytes(ctx, { id, botId }, givenBytesOf(config));
  if (kind !== 'file') await requestSync(ctx, { id, botId }); // a file source is synced after the upload
  return { source: await publishEvent(ctx, events.knowledgeCreated, id) };
}

export async function listSources(ctx: Context, botId: string, { cursor, limit }: ListQuery) {
  if (!(await store.botExists(ctx.tx, botId))) throw notFound('bot');
  const page = toPage(await store.list(ctx.tx, botId, { before: readCursor(cursor), limit: limit + 1 }), limit);
  const { usedBytes, limitBytes } = await readStorage(ctx, botId);
  return { ...page, storage: { usedBytes, limitBytes } };
}

export async function getSource(ctx: Context, id: string) {
  const { kind, config } = orNotFound('knowledge_source', await store.read(ctx.tx, id));
  const bytes = kind === 'file' ? { bytes: await store.fileSize(ctx.tx, id) } : {};
  return { source: await show(ctx, id), content: { kind, ...(config as object), ...bytes } as Content };
}

export async function updateSource(ctx: Context, id: string, input: UpdateSource) {
  const before = await lock(ctx, id);
  const { name, isEnabled, schedule, language, ...content } = input;
  const config = { ...(before.config as object), ...contentOf(before.kind, content) };
  const isNewContent = !isDeepStrictEqual(config, before.config);
  if (isNewContent && before.kind !== 'file') await recordGivenBytes(ctx, before, givenBytesOf(config));
  const isNewLanguage = language !== undefined && language !== before.language;
  await store.update(ctx.tx, id, {
    config,
    ...(name !== undefined && { name }),
    ...(isEnabled !== undefined && { isEnabled }),
    ...(schedule !== undefined && { schedule }),
    ...(language !== undefined && { language }),
  });
  const mustSync = isNewContent || isNewLanguage;
  if (mustSync && (await hasContent(ctx, before))) await requestSync(ctx, before);
  else if (schedule !== undefined && schedule !== before.schedule && !isSyncing(before))
    await planSync(ctx, id, schedule);
  return { source: await publishEvent(ctx, events.knowledgeUpdated, id) };
}

/** Rejects fields of another kind of source. */
function contentOf(kind: store.StoredSource['kind'], content: object): object {
  const own = Object.keys(Config[kind].shape);
  const foreign = Object.keys(content).filter((field) => !own.includes(field));
  if (foreign.length === 0) return content;
  throw invalid(
    'wrong_source_kind',
    foreign.map((field) => ({ path: `/${field}`, message: `A '${kind}' source has no such field.` })),
  );
}

/** Published versions that include the source stop using it. */
export async function deleteSource(ctx: Context, id: string) {
  await lock(ctx, id);
  const source = await publishEvent(ctx, events.knowledgeDeleted, id);
  await clearTimer(ctx, syncTimer, id);
  await store.remove(ctx.tx, id);
  return { source };
}

/** If a sync is running, it continues: a second one would find little more. */
export async function syncSource(ctx: Context, id: string) {
  const source = await lock(ctx, id);
  if (!(await hasContent(ctx, source))) throw conflict('file_missing', 'Upload the file first.');
  if (!isSyncing(source)) await requestSync(ctx, source);
  return { source: await show(ctx, id) };
}

export async function putFile(ctx: Context, id: string, { bytes, mediaType }: { bytes: Buffer; mediaType: string }) {
  const source = await lock(ctx, id);
  if (source.kind !== 'file')
    throw conflict('not_a_file', 'Only file sources accept an upload. Create one, then upload to it.');
  const { fileName: name } = source.config as { fileName: string };
  assertSupportedType({ bytes, mediaType, name });
  await recordGivenBytes(ctx, source, bytes.length);
  await store.saveFile(ctx.tx, { sourceId: id, name, mediaType: mediaType.slice(0, 200), content: bytes });
  await requestSync(ctx, source);
  return { source: await publishEvent(ctx, events.knowledgeUpdated, id) };
}

/** Checked at upload, so that the caller sees the error immediately and not only after the sync. */
function assertSupportedType(raw: RawFile): void {
  try {
    sniff(raw);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    throw new AppError('UNPROCESSABLE', error.reason, messageFor(error.reason));
  }
}

export async function listDocuments(ctx: Context, id: string, { cursor, limit, state }: ListDocuments) {
  await show(ctx, id);
  const rows = await store.listDocuments(ctx.tx, id, { before: readCursor(cursor), state, limit: limit + 1 });
  return toPage(rows, limit);
}

/** In document order, which shows how the document was split. */
export async function listChunks({ tx }: Context, documentId: string, { cursor, limit }: ListQuery) {
  if (!(await store.documentExists(tx, documentId))) throw notFound('knowledge_document');
  const rows = await store.listChunks(tx, documentId, { after: decodeCursor(cursor), limit: limit + 1 });
  const data = rows.slice(0, limit);
  const last = rows.length > limit ? data.at(-1) : undefined;
  return { data, nextCursor: last ? Buffer.from(String(last.position)).toString('base64url') : null };
}

/** Chunks have no id, so the cursor is the position of the last one. */
function decodeCursor(cursor: string | undefined): number {
  if (cursor === undefined) return -1;
  const position = Buffer.from(cursor, 'base64url').toString();
  if (/^\d{1,9}$/.test(position)) return Number(position);
  throw invalid('invalid_cursor', [{ path: '/cursor', message: 'Send `nextCursor` exactly as it was returned.' }]);
}

/**
 * Queues a sync in the same transaction as the change. The event id is the sync id, so redelivery does not start a
 * second one.
 */
export async function requestSync(ctx: Context, { id, botId }: { id: string; botId: string }): Promise<void> {
  const syncId = newId('event');
  await store.queueSync(ctx.tx, id, syncId);
  await setTimer(ctx, syncTimer, id, ctx.now);
  const object = { id: id as Id<'knowledgeSource'> };
  await emit(ctx, events.syncRequested, id, { object }, { id: syncId, botId });
}

const dayMs = 86_400_000;
const periods: Record<Schedule, number | null> = { none: null, daily: dayMs, weekly: 7 * dayMs };

/** Schedules the next sync. The event sets Restate's timer; the timer row is the fallback. */
export async function planSync(ctx: Context, id: string, schedule: Schedule): Promise<void> {
  const period = periods[schedule];
  const nextSyncAt = period === null ? null : new Date(ctx.now.getTime() + period);
  await store.update(ctx.tx, id, { nextSyncAt });
  if (nextSyncAt) await setTimer(ctx, syncTimer, id, nextSyncAt);
  else await clearTimer(ctx, syncTimer, id);
}

export const isSyncing = ({ state, syncId }: Pick<store.StoredSource, 'state' | 'syncId'>) =>
  syncId !== null && (state === 'waiting' || state === 'syncing');

const hasContent = async ({ tx }: Context, { id, kind }: store.StoredSource) =>
  kind !== 'file' || (await store.fileSize(tx, id)) !== null;

const show = async ({ tx }: Context, id: string) => orNotFound('knowledge_source', await store.find(tx, id));
const lock = async ({ tx }: Context, id: string) => orNotFound('knowledge_source', await store.lock(tx, id));

/** Publishes the event and returns the source. */
export async function publishEvent(
  ctx: Context,
  event: typeof events.knowledgeSynced,
  id: string,
  eventId?: Id<'event'>,
) {
  const source = await show(ctx, id);
  await emit(ctx, event, id, { object: source }, { botId: source.botId, ...(eventId && { id: eventId }) });
  return source;
}
