import type { Random } from '../apps/server/test/faults/random.ts';
import { sleepUntil } from './arrivals.ts';
import { discard, retryAfterOf, type Client, type Reply } from './client.ts';
import type { Measures } from './measures.ts';
import type { Target } from './target.ts';

export interface VisitDeps {
  target: Pick<Target, 'apiUrl' | 'siteUrl'>;
  client: Client;
  measures: Measures;
  /** The run is over: nothing new is sent. */
  isOver: AbortSignal;
  /** Divides think time, for tests. */
  hurry?: number;
  /** How long a visitor keeps sending a refused message, and waits for an answer before asking something else. */
  giveUpMs?: number;
  /** After a visit, the answer to an accepted message is waited for this much longer. */
  settleMs?: number;
}

export const defaults = { giveUpMs: 60_000, settleMs: 90_000 };

/** When to try again after this response, as the widget does. */
export const retryAt = (reply: Reply | undefined, waitMs: number, random: Random): number => {
  const retrySeconds = reply && retryAfterOf(reply);
  const ms =
    retrySeconds === undefined ? waitMs * (0.5 + random.next()) : retrySeconds * 1_000 * (1 + random.next() / 2);
  return performance.now() + ms;
};

/** Repeats a request as the widget does, until it succeeds, fails permanently, or takes too long. */
export async function retryUntilAccepted(
  { measures, isOver, giveUpMs = defaults.giveUpMs }: VisitDeps,
  random: Random,
  attempt: () => Promise<Reply | undefined>,
): Promise<Reply | undefined> {
  const until = performance.now() + giveUpMs;
  for (let waitMs = 500; ; waitMs = Math.min(waitMs * 2, 30_000)) {
    const reply = await attempt();
    if (reply && reply.status < 400) return reply;
    if (reply) await discard(reply);
    if (reply && reply.status < 500 && reply.status !== 429) {
      measures.total('requests rejected');
      return undefined;
    }
    const next = retryAt(reply, waitMs, random);
    if (next > until || isOver.aborted) return undefined;
    await sleepUntil(next, isOver);
    measures.total('requests repeated');
  }
}
