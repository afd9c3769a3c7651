import type { Context } from '../../../platform/context.ts';
import { AppError, notFound, orNotFound } from '../../../platform/errors.ts';
import type { CallerContext } from '../../../platform/http/route.ts';
import { readEntitlements } from '../../entitlements/index.ts';
import { assertMayAssign, close } from '../agent/agents.service.ts';
import { assignConversation } from '../assignment/assign.ts';
import * as store from '../conversations.store.ts';
import type { Bulk } from './inbox.contract.ts';
import { normalizeTags, reopen, setTags } from './inbox.service.ts';
import { countExisting } from './inbox.store.ts';

/**
 * Changes each conversation that can be changed, in a separate transaction: each locks counters and agents until its commit,
 * so two requests that changed several in one transaction, in different orders, would deadlock.
 */
export async function changeAll(caller: CallerContext, input: Bulk) {
  const ids = [...new Set(input.ids)];
  await caller.inTenant(async (ctx) => {
    if (input.action === 'assign') await assertMayAssignAll(ctx, input.assigneeId);
    if ((await countExisting(ctx.tx, ids)) < ids.length) throw notFound('conversation');
  });
  const changed: Bulk['ids'] = [];
  const unchanged: { id: Bulk['ids'][number]; reason: string }[] = [];
  for (const id of ids) {
    const reason = await caller
      .inTenant((ctx) => changeOne(ctx, id, input))
      .catch((error: unknown) => {
        if (error instanceof AppError && error.status < 500) return error.reason;
        throw error;
      });
    if (reason === undefined) changed.push(id);
    else unchanged.push({ id, reason });
  }
  return { changed, unchanged };
}

/** As for `POST /conversations/{id}/assign`: the route of all bulk actions requires less. */
async function assertMayAssignAll(ctx: Context, assigneeId: string) {
  await assertMayAssign(ctx, assigneeId);
  const { entitlements } = await readEntitlements(ctx);
  if (entitlements.human_handoff === 0)
    throw new AppError('FEATURE_NOT_ENTITLED', 'entitlement_missing', "Your plan does not include 'human_handoff'.");
}

async function changeOne(ctx: Context, id: string, input: Bulk): Promise<undefined> {
  switch (input.action) {
    case 'close':
      await close(ctx, id);
      return;
    case 'reopen':
      await reopen(ctx, id);
      return;
    case 'assign':
      await assignConversation(ctx, id, { assigneeId: input.assigneeId });
      return;
    case 'tag':
    case 'untag': {
      const { tags } = orNotFound('conversation', await store.lock(ctx.tx, id));
      const given = normalizeTags(input.tags);
      await setTags(ctx, id, input.action === 'tag' ? [...tags, ...given] : tags.filter((tag) => !given.includes(tag)));
    }
  }
}
