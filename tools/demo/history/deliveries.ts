import { claim, finish, retryLater, type Claimed } from '../../../apps/server/src/features/webhooks/queue.store.ts';
import type { Attempt } from '../../../apps/server/src/features/webhooks/sending.ts';
import { asSystem, inTenant, type Ground } from '../../../apps/server/src/platform/context.ts';
import type { Id } from '../../../apps/server/src/platform/ids.contract.ts';
import { timeOfId } from '../../../apps/server/src/platform/ids.ts';
import type { Random } from './clock.ts';

export interface Outage {
  from: number;
  until: number;
}

/** The log of what was sent, as a backend would have received it: quick, with an outage that healed and a few that failed. */
export async function logDeliveries(
  ground: Ground,
  {
    tenantId,
    webhookId,
    outage,
    random,
  }: { tenantId: Id<'tenant'>; webhookId: string; outage: Outage; random: Random },
) {
  const isOut = ({ eventId }: Claimed) => timeOfId(eventId) >= outage.from && timeOfId(eventId) < outage.until;
  for (;;) {
    const left = await inTenant(ground, asSystem(tenantId, 'webhooks'), async ({ tx }) => {
      const rows = await claim(tx, webhookId, 500, false);
      const failing = rows.filter((row) => isOut(row) && row.attempts < 4);
      await retryLater(
        tx,
        failing.map((row) => ({
          ...row,
          tries: row.attempts,
          nextAttemptAt: new Date(0),
          attempt: attemptOf(row, random, 503),
        })),
      );
      const over = rows.filter((row) => !failing.includes(row));
      // A deleted order: its system answers 404 however often it is asked.
      const isExhausted = (row: Claimed) => row.eventType === 'action.failed';
      await finish(
        tx,
        over.map((row) => ({
          ...row,
          status: isExhausted(row) ? 'exhausted' : 'succeeded',
          attempt: attemptOf(row, random, isExhausted(row) ? 404 : 200),
        })),
      );
      return rows.length;
    });
    if (left === 0) return;
  }
}

const waits = [0, 5_000, 300_000, 1_800_000];
const hints: Record<number, string> = {
  200: 'Delivered.',
  404: 'Nothing answers at this URL. Check the path of the endpoint.',
  503: 'Your server was temporarily unavailable. We retry automatically.',
};
const bodies: Record<number, string> = { 200: 'ok', 404: 'Not Found', 503: 'upstream connect error' };

function attemptOf({ eventId, attempts }: Claimed, random: Random, status: 200 | 404 | 503): Attempt {
  const delay = waits.slice(0, attempts).reduce((sum, ms) => sum + ms, 0);
  const firstByteMs = random.between(18, 140);
  return {
    id: `att_${random.between(1e9, 9e9)}`,
    number: attempts,
    at: new Date(timeOfId(eventId) + delay + random.between(40, 400)).toISOString(),
    outcome: status === 200 ? 'succeeded' : 'failed',
    status,
    error: null,
    hint: hints[status] ?? '',
    timings: { dnsMs: 1, connectMs: 4, tlsMs: 9, firstByteMs, totalMs: firstByteMs + 15 },
    address: '198.51.100.24',
    response: bodies[status] ?? null,
  };
}
