import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Receiver } from '../../../../tools/receiver/index.ts';
import type { Db } from '../../src/platform/db.ts';

/** Waits until nothing is left to deliver. */
export const drained = (db: Db, timeout: number) =>
  expect
    .poll(async () => (await db.selectFrom('webhookQueue').select('id').limit(1).execute()).length, {
      timeout,
      interval: 500,
    })
    .toBe(0);

/**
 * What was committed against what arrived: nothing is missing, what came twice is the same to the byte and carries the same
 * key, every signature was good and fresh when it came.
 */
export async function compareLedgers(db: Db, { calls }: Pick<Receiver, 'calls'>, what: string) {
  const events = await db
    .selectFrom('events')
    .select(['id', 'body'])
    .where('type', '=', 'test.happened')
    .orderBy('id')
    .execute();
  const known = new Set(events.map(({ id }) => id));
  const arrived = Map.groupBy(
    calls.filter(({ headers }) => known.has(String(headers['idempotency-key']) as never)),
    ({ headers }) => String(headers['idempotency-key']),
  );
  const { rows } = await sql<{ deliveries: number; attempts: number }>`
    select count(*)::int as deliveries, coalesce(sum(attempts), 0)::int as attempts from webhook_deliveries where event_type = 'test.happened'`.execute(
    db,
  );
  const [{ deliveries, attempts }] = rows as [{ deliveries: number; attempts: number }];
  const came = [...arrived.values()].flat().length;
  const lost = events.filter(({ id }) => !arrived.has(id)).map(({ id }) => id);
  const changed = events.filter(({ id, body }) => arrived.get(id)?.some((call) => call.body !== body));
  const stale = calls.filter(({ headers, at }) => at / 1_000 - Number(headers['x-service-timestamp']) > 5);
  const refused = calls.filter(({ problem }) => problem !== null).map(({ problem }) => problem);
  console.log(
    `webhooks: ${what}: ${events.length} events, ${deliveries} deliveries, ${attempts} attempts, ${came} arrived, ${came - arrived.size} repeats, ${lost.length} lost`,
  );
  expect({ lost, changed, stale, refused }).toEqual({ lost: [], changed: [], stale: [], refused: [] });
  return { events: events.length };
}
