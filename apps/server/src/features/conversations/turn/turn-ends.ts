import type { Context } from '../../../platform/context.ts';
import { later } from '../../../platform/db.ts';
import { turnSubject, turnTimer } from '../visitor/accept.ts';
import * as store from '../conversations.store.ts';
import { stopChannel } from '../log/live.ts';
import { append } from '../log/log.store.ts';
import { releaseRuns } from './action-runs.ts';

type Change = Parameters<typeof store.endTurn>[3];

/** Ends a turn and clears its recovery timer. */
export const endTurn = ({ tx, now }: Context, conversationId: string, turnId: string, change: Change) =>
  store.endTurn(
    tx,
    conversationId,
    turnId,
    { ...change, finishedAt: now },
    { kind: turnTimer, subjectId: turnSubject(conversationId, turnId) },
  );

/** Ends a turn without a reply: logs it for waiting clients, and stops a running model call. */
export async function cancelTurn(ctx: Context, conversationId: string, turnId: string, reason: string): Promise<void> {
  later(ctx.tx, endTurn(ctx, conversationId, turnId, { status: 'cancelled', reason }));
  await append(ctx, conversationId, [{ type: 'turn.failed', turnId, payload: { reason } }]);
  await releaseRuns(ctx, conversationId, turnId);
  ctx.afterCommit(() => ctx.notify(stopChannel(turnId), ''));
}

/** Cancels all unfinished turns. Returns how many. */
export async function endOpenTurns(ctx: Context, conversationId: string, reason: string): Promise<number> {
  for (let count = 0; ; count++) {
    const turn = await store.nextOpenTurn(ctx.tx, conversationId);
    if (!turn) return count;
    await cancelTurn(ctx, conversationId, turn.id, reason);
  }
}
