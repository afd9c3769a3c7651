import { hintOf } from '../../../apps/server/src/features/webhooks/delivery/hints.ts';
import {
  claim,
  finish,
  retryLater,
  type ClaimedDelivery,
} from '../../../apps/server/src/features/webhooks/delivery/queue.store.ts';
import { retryAfterMs } from '../../../apps/server/src/features/webhooks/delivery/schedule.ts';
import type { Attempt } from '../../../apps/server/src/features/webhooks/delivery/send.ts';
import { updateState } from '../../../apps/server/src/features/webhooks/endpoints/webhooks.store.ts';
import { asSystem, inTenant, type Services } from '../../../apps/server/src/platform/context.ts';
import type { Id } from '../../../apps/server/src/platform/ids.contract.ts';
import { timeOfId } from '../../../apps/server/src/platform/ids.ts';
import type { Random } from './clock.ts';

export interface Outage {
  from: number;
  until: number;
}

/** The delivery log, as a backend would have received it: fast, with an outage that recovered and a few failures. */
export async function logDeliveries(
  services: Services,
  {
    tenantId,
    webhookId,
    outage,
    random,
  }: { tenantId: Id<'tenant'>; webhookId: string; outage: Outage; random: Random },
) {
  const isOut = ({ eventId, attempts }: ClaimedDelivery) =>
    attempts < 4 && timeOfId(eventId) >= outage.from && timeOfId(eventId) < outage.until;
  // One event that the shop's backend had no route for. Its last attempt was three days after the first.
  const isFailing = ({ eventId, eventType }: ClaimedDelivery) =>
    eventType === 'action.failed' && timeOfId(eventId) < Date.now() - 4 * 86_400_000;
  for (;;) {
    const claimed = await inTenant(services, asSystem(tenantId, 'webhooks'), async ({ tx }) => {
      const one = { tenantId, webhookId, max: 500, isOrdered: false, isProbe: false, isNew: false };
      const rows = await claim(tx, '0', [one], { eventsSince: '~' }); // without their bodies
      const retried = rows.filter((row) => isOut(row) || (isFailing(row) && retryAfterMs(row.attempts) !== undefined));
      await retryLater(
        tx,
        retried.map((row) => ({
          ...row,
          retryCount: row.attempts,
          nextAttemptAt: new Date(0),
          attempt: attemptOf(row, random, isOut(row) ? 503 : 404),
        })),
      );
      await finish(
        tx,
        rows
          .filter((row) => !retried.includes(row))
          .map((row) => ({
            ...row,
            status: isFailing(row) ? 'exhausted' : 'succeeded',
            attempt: attemptOf(row, random, isFailing(row) ? 404 : 200),
          })),
      );
      return rows.length;
    });
    if (claimed === 0) break;
  }
  await inTenant(services, asSystem(tenantId, 'webhooks'), ({ tx }) =>
    updateState(tx, webhookId, {
      lastSuccessAt: new Date(),
      lastFailureAt: new Date(outage.until),
      lastFailureStatus: 503,
    }),
  );
}

const bodies: Record<number, string> = { 200: 'ok', 404: 'Not Found', 503: 'upstream connect error' };

function attemptOf({ eventId, attempts }: ClaimedDelivery, random: Random, status: 200 | 404 | 503): Attempt {
  const waits = Array.from({ length: attempts - 1 }, (_, failures) => retryAfterMs(failures + 1, () => 0.5) ?? 0);
  const delay = waits.reduce((sum, ms) => sum + ms, 0);
  const firstByteMs = random.between(18, 140);
  return {
    id: `att_${random.between(1e9, 9e9)}`,
    number: attempts,
    at: new Date(timeOfId(eventId) + delay + random.between(40, 400)).toISOString(),
    outcome: status === 200 ? 'succeeded' : 'failed',
    status,
    error: null,
    hint: hintOf(status, null),
    timings: { dnsMs: 1, connectMs: 4, tlsMs: 9, firstByteMs, totalMs: firstByteMs + 15 },
    ip: '198.51.100.24',
    response: bodies[status] ?? null,
  };
}
