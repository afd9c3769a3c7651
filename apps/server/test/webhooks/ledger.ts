import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Receiver } from '../../../../tools/receiver/index.ts';
import type { Db } from '../../src/platform/db.ts';
import type { Id } from '../../src/platform/ids.contract.ts';

export const waitForEmptyQueue = (db: Db, timeout: number) =>
  expect
    .poll(async () => (await db.selectFrom('webhookQueue').select('id').limit(1).execute()).length, {
      timeout,
      interval: 500,
    })
    .toBe(0);

/**
 * Compares committed events with received requests: none is missing, repeats have the same bytes and key, and every request
 * was signed anew, with a valid and recent signature.
 */
export async function compareLedgers(
  db: Db,
  { calls }: Pick<Receiver, 'calls'>,
  label: string,
  { types = ['test.happened'], tenantId }: { types?: readonly string[]; tenantId?: Id<'tenant'> } = {},
) {
  const events = await db
    .selectFrom('events')
    .select(['id', 'body'])
    .where('type', 'in', types)
    .where((eb) => (tenantId === undefined ? eb.lit(true) : eb('tenantId', '=', tenantId)))
    .orderBy('id')
    .execute();
  const eventIds = new Set(events.map(({ id }) => id));
  const arrived = Map.groupBy(
    calls.filter(({ headers }) => eventIds.has(String(headers['idempotency-key']) as never)),
    ({ headers }) => String(headers['idempotency-key']),
  );
  const { rows } = await sql<{ deliveries: number; attempts: number }>`
    select count(*)::int as deliveries, coalesce(sum(attempts), 0)::int as attempts from webhook_deliveries
    where event_type = any(${types})`.execute(db);
  const [{ deliveries, attempts }] = rows as [{ deliveries: number; attempts: number }];
  const arrivals = [...arrived.values()].flat().length;
  const lost = events.filter(({ id }) => !arrived.has(id)).map(({ id }) => id);
  const changed = events.filter(({ id, body }) => arrived.get(id)?.some((call) => call.body !== body));
  // Receivers reject a timestamp after 300 s. A busy machine can take seconds to accept a connection.
  const ages = calls.map(({ headers, at }) => at / 1_000 - Number(headers['x-service-timestamp']));
  const stale = ages.filter((seconds) => seconds > 60);
  const reused = [...arrived.values()].filter(
    (requests) => new Set(requests.map(({ headers }) => headers['x-service-timestamp'])).size < requests.length,
  );
  const invalid = calls.filter(({ problem }) => problem !== null).map(({ problem }) => problem);
  console.log(
    `webhooks: ${label}: ${events.length} events, ${deliveries} deliveries, ${attempts} attempts, ${arrivals} arrived, ${arrivals - arrived.size} repeats, ${lost.length} lost`,
  );
  expect({ lost, changed, stale, reused, invalid }).toEqual({
    lost: [],
    changed: [],
    stale: [],
    reused: [],
    invalid: [],
  });
  return { events: events.length };
}
