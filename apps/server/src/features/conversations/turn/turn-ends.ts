import type { Context } from '../../../platform/context.ts';
import { turnSubject, turnTimer } from '../visitor/accept.ts';
import * as store from '../conversations.store.ts';
import { stopChannel } from '../log/live.ts';
import { append } from '../log/log.store.ts';
import { releaseRuns } from './action-runs.ts';

type Change = Parameters<typeof store.endTurn>[3];

/** The end of one turn, with the timer that watched over it. */
export const endTurn = ({ tx, now }: Context, conversationId: string, turnId: string, change: Change) =>
  store.endTurn(
    tx,
    conversationId,
    turnId,
    { ...change, finishedAt: now },
    { kind: turnTimer, subjectId: turnSubject(conversationId, turnId) },
  );

/** A turn that gets no answer of the bot: said in the log, for whoever waits for it, and to the model that still talks. */
export async function cancelTurn(ctx: Context, conversationId: string, turnId: string, reason: string): Promise<void> {
  await endTurn(ctx, conversationId, turnId, { status: 'cancelled', reason });
  await append(ctx, conversationId, [{ type: 'turn.failed', turnId, payload: { reason } }]);
  await releaseRuns(ctx, conversationId, turnId);
  ctx.afterCommit(() => ctx.notify(stopChannel(turnId), ''));
}

/** Nobody is to answer any more what was asked so far. */
export async function endOpenTurns(ctx: Context, conversationId: string, reason: string): Promise<void> {
  for (;;) {
    const turn = await store.nextOpenTurn(ctx.tx, conversationId);
    if (!turn) return;
    await cancelTurn(ctx, conversationId, turn.id, reason);
  }
}
