import type { Context } from '../../../platform/context.ts';
import { AppError } from '../../../platform/errors.ts';
import { readEntitlements } from '../../entitlements/index.ts';
import * as store from './storage.store.ts';

const limit = 'knowledge_megabytes.per_bot';
const megabyte = 1_000_000;
const inMegabytes = (bytes: number) => (bytes / megabyte).toFixed(1);

export async function readStorage(ctx: Pick<Context, 'tx'>, botId: string) {
  const { plan, entitlements } = await readEntitlements(ctx);
  return { plan, usedBytes: await store.usedBytes(ctx.tx, botId), limitBytes: entitlements[limit] * megabyte };
}

/**
 * The size of the content in the request itself. Pages are counted when they are synced, a file when it is uploaded.
 */
export function givenBytesOf({ text, pairs }: { text?: unknown; pairs?: unknown; [other: string]: unknown }): number {
  if (typeof text === 'string') return Buffer.byteLength(text);
  return pairs === undefined ? 0 : Buffer.byteLength(JSON.stringify(pairs));
}

/** Throws if the bot's knowledge storage is full. Locks the bot until the transaction ends. */
export async function requireStorage(ctx: Context, botId: string): Promise<void> {
  await store.lockBot(ctx.tx, botId);
  const { plan, usedBytes, limitBytes } = await readStorage(ctx, botId);
  if (usedBytes >= limitBytes) throw full(plan, usedBytes, limitBytes);
}

/**
 * Records the size of the given content, or throws if it exceeds the storage limit. A smaller size is always accepted.
 */
export async function recordGivenBytes(
  ctx: Context,
  source: { id: string; botId: string },
  bytes: number,
): Promise<void> {
  await store.lockBot(ctx.tx, source.botId);
  const { plan, usedBytes, limitBytes } = await readStorage(ctx, source.botId);
  const after = await store.usedBytes(ctx.tx, source.botId, { sourceId: source.id, givenBytes: bytes });
  if (after > limitBytes && after > usedBytes) throw full(plan, usedBytes, limitBytes);
  await store.setGivenBytes(ctx.tx, source.id, bytes);
}

/** Whether this many more bytes fit. If so, the bot stays locked until the transaction ends. */
export async function hasRoomFor(ctx: Context, source: { id: string; botId: string }, moreBytes: number) {
  if (moreBytes <= 0) return true;
  await store.lockBot(ctx.tx, source.botId);
  const { usedBytes, limitBytes } = await readStorage(ctx, source.botId);
  const after = await store.usedBytes(ctx.tx, source.botId, { sourceId: source.id, moreTextBytes: moreBytes });
  return after <= limitBytes || after <= usedBytes;
}

const full = (plan: string, usedBytes: number, limitBytes: number) =>
  new AppError(
    'PAYLOAD_TOO_LARGE',
    'knowledge_storage_full',
    `Your plan '${plan}' allows ${inMegabytes(limitBytes)} MB of knowledge for each bot ('${limit}'), and ${inMegabytes(usedBytes)} MB are used. Delete a source, or ask for more.`,
  );
