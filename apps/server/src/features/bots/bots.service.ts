import { canonical } from '../../platform/canonical.ts';
import type { Context } from '../../platform/context.ts';
import { conflict, notFound, orNotFound } from '../../platform/errors.ts';
import { emit } from '../../platform/events.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { newId } from '../../platform/ids.ts';
import { readCursor, toPage } from '../../platform/lists.ts';
import { requireRoom } from '../entitlements/index.ts';
import { missingModels } from '../models/index.ts';
import { BotContent, type DraftChange } from './bot-content.contract.ts';
import {
  BotLimits,
  type Bot,
  type CreateBot,
  type ListBots,
  type UpdateBot,
  type UpdateDraft,
} from './bots.contract.ts';
import * as events from './bots.events.ts';
import * as store from './bots.store.ts';
import { changeDraft } from './version-content.ts';

/** Invalidates the cached bot on all nodes. Called after the commit. */
export type InvalidateBot = (tenantId: Id<'tenant'>, botId: string) => void;

export async function createBot(
  ctx: Context,
  { workspaceId, limits, draft, ...input }: CreateBot,
  invalidate: InvalidateBot,
) {
  await requireRoom(ctx, 'bots.max', () => store.countLive(ctx.tx));
  await assertModels(ctx, draft);
  const id = newId('bot');
  await store.insert(ctx.tx, {
    ...input,
    id,
    workspaceId: workspaceId ?? orNotFound('workspace', await store.firstWorkspace(ctx.tx)),
    limits: BotLimits.parse(limits),
    draft: changeDraft(BotContent.parse({}), draft),
    createdBy: ctx.actor.id,
  });
  return { bot: await publishEvent(ctx, events.botCreated, id, invalidate) };
}

export const listBots = async ({ tx }: Context, { cursor, limit, ...filter }: ListBots) =>
  toPage(
    await store.list(tx, {
      before: readCursor(cursor),
      status: filter.status,
      workspaceId: filter.workspaceId,
      q: filter.q,
      limit: limit + 1,
    }),
    limit,
  );

export const getBot = async (ctx: Context, id: string) => ({ bot: await readBot(ctx, id) });

export async function updateBot(ctx: Context, id: string, input: UpdateBot, invalidate: InvalidateBot) {
  const before = await lockBot(ctx, id);
  const { limits, ...fields } = input;
  const after = { ...before, ...fields, limits: { ...before.limits, ...limits } } as Bot;
  if (canonical(after) === canonical(before)) return { bot: before };
  const isArchived = after.status === 'archived';
  if (before.status === 'archived' && !isArchived) await requireRoom(ctx, 'bots.max', () => store.countLive(ctx.tx));
  const { name, status, allowedOrigins, retentionDays } = after;
  await store.update(ctx.tx, id, { name, status, allowedOrigins, retentionDays, limits: after.limits });
  const isNowArchived = isArchived && before.status !== 'archived';
  return { bot: await publishEvent(ctx, isNowArchived ? events.botArchived : events.botUpdated, id, invalidate) };
}

/** Archiving is idempotent. Conversations are kept for their retention period. */
export const archiveBot = (ctx: Context, id: string, invalidate: InvalidateBot) =>
  updateBot(ctx, id, { status: 'archived' }, invalidate);

/** Optimistic locking: a concurrent edit is rejected instead of overwritten. */
export async function updateDraft(
  ctx: Context,
  id: string,
  { revision, draft }: UpdateDraft,
  invalidate: InvalidateBot,
) {
  const before = await lockBot(ctx, id);
  await assertModels(ctx, draft);
  assertLive(before);
  if (before.revision !== revision)
    throw conflict(
      'draft_changed',
      `The draft has changed since you loaded it and is now at revision ${before.revision}. Load it again and repeat your change.`,
    );
  const changed = changeDraft(before.draft, draft);
  if (canonical(changed) === canonical(before.draft)) return { bot: before };
  await store.setDraft(ctx.tx, id, changed);
  return { bot: await publishEvent(ctx, events.botUpdated, id, invalidate) };
}

/** Checks only the models in the change, so that a draft with a deleted model can still be edited. */
async function assertModels({ tx }: Context, { answers }: DraftChange) {
  if ((await missingModels(tx, answers?.models ?? [])).length > 0) throw notFound('model');
}

export const readBot = async ({ tx }: Context, id: string) => orNotFound('bot', await store.find(tx, id));

export async function lockBot(ctx: Context, id: string): Promise<Bot> {
  await store.lock(ctx.tx, id);
  return readBot(ctx, id);
}

/** Throws if the bot is archived. */
export function assertLive({ status }: Bot): void {
  if (status === 'archived') throw conflict('bot_archived', 'This bot is archived. Set its status to active first.');
}

async function publishEvent(
  ctx: Context,
  event: typeof events.botUpdated,
  id: string,
  invalidate: InvalidateBot,
): Promise<Bot> {
  const bot = await readBot(ctx, id);
  ctx.afterCommit(() => invalidate(ctx.tenantId, id));
  await emit(ctx, event, id, { object: bot }, { botId: id });
  return bot;
}
