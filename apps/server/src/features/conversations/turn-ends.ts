import type { Context } from '../../platform/context.ts';
import { turnSubject, turnTimer } from './accept.ts';
import * as store from './conversations.store.ts';

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

/** Nobody is to answer any more what was asked so far. */
export async function endOpenTurns(ctx: Context, conversationId: string, reason: string): Promise<void> {
  for (;;) {
    const turn = await store.nextOpenTurn(ctx.tx, conversationId);
    if (!turn) return;
    await endTurn(ctx, conversationId, turn.id, { status: 'cancelled', reason });
  }
}
