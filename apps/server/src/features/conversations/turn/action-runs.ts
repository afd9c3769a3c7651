import type { Context } from '../../../platform/context.ts';
import { emit } from '../../../platform/events.ts';
import { newId } from '../../../platform/ids.ts';
import {
  cancelUnsent,
  deleteUnknownRun,
  runsOfTurn,
  deleteRunsOf,
  updateRun,
  type Chats,
  type Run,
} from '../../actions/index.ts';
import { eventContext } from '../visitor/accept.ts';
import * as events from '../conversations.events.ts';
import * as store from '../conversations.store.ts';
import { append, toMessage, type MessageBody } from '../log/log.store.ts';
import { describeRun } from './run-labels.ts';

/** How a run of an action reports to its conversation. */
export const runChats: Chats = {
  lock: ({ tx }, runId) => store.lockOfRun(tx, runId),
  note: async (ctx, { conversationId, turnId }, type, payload) => {
    const entry = { type, payload, ...(turnId !== null && { turnId }) };
    return (await append(ctx, conversationId ?? '', [entry]))[0] ?? 0;
  },
  notifyEnd: notifyChat,
  notifyWaiting: notifyChat,
};

/**
 * Sends a bot message outside of a turn, when no turn waits for the run any longer. Not while an agent has the conversation:
 * they see the result in the log, and tell the visitor.
 */
async function notifyChat(ctx: Context, run: Run): Promise<void> {
  const conversation = await store.lock(ctx.tx, run.conversationId ?? ''); // so that no claim comes in between
  if (!conversation || conversation.visitorId === null) return; // erased
  if (conversation.state === 'human') return;
  const messageId = newId('message');
  const payload: MessageBody = {
    role: 'bot',
    text: describeRun(run),
    isAnswer: run.outcome !== 'failed',
    finish: 'complete',
  };
  const [seq = 0] = await append(ctx, conversation.id, [{ type: 'message.created', messageId, payload }]);
  const message = toMessage({ seq, type: '', messageId, payload, createdAt: ctx.now });
  if (message) await emit(ctx, events.messageCreated, messageId, { object: message }, eventContext(conversation, seq));
}

/** The turn ended without reporting its runs: each reports its own result, now or when it ends. */
export async function releaseRuns(ctx: Context, conversationId: string, turnId: string): Promise<void> {
  for (const run of await runsOfTurn(ctx.tx, conversationId, turnId)) {
    if (!run.isAwaited) continue;
    await updateRun(ctx.tx, run.id, { isAwaited: false });
    if (run.outcome !== null) await notifyChat(ctx, run);
  }
}

export const cancelRuns = (ctx: Context, conversationId: string, reason: string) =>
  cancelUnsent(ctx, runChats, conversationId, reason);

/** With their arguments and results. A request already sent to the tenant's system cannot be recalled. */
export async function eraseRuns(ctx: Context, conversationIds: readonly string[]): Promise<void> {
  for (const { id, state } of await deleteRunsOf(ctx.tx, conversationIds))
    if (state === 'unknown') await deleteUnknownRun(ctx.tx, id);
}
