import type { Context } from '../../../platform/context.ts';
import { clearTimer, setTimer } from '../../../platform/timers.ts';
import type { Conversation } from '../conversations.contract.ts';

export const waitingTimer = 'waiting'; // stored: renaming it abandons the time limits of waiting conversations

type Waiting = Pick<Conversation, 'id' | 'isTest' | 'waitingSince'>;

/** Starts the time limits of a conversation that waits from another time on, and ends those of one that no longer waits. */
export async function changeTimer(ctx: Context, { id, isTest, waitingSince }: Waiting, next: Date | null) {
  if (isTest || next?.getTime() === waitingSince?.getTime()) return;
  if (next) await setTimer(ctx, waitingTimer, id, ctx.now);
  else await clearTimer(ctx, waitingTimer, id);
}

/** A visitor who waits already keeps their time; a conversation that is snoozed waits from now on. */
export const waitingSinceOf = ({ waitingSince }: Pick<Waiting, 'waitingSince'>, now: Date): Date =>
  waitingSince !== null && waitingSince <= now ? waitingSince : now;
