import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { admin, services } from '../../test/harness.ts';
import { newId } from './ids.ts';
import { startSweeper } from './sweeper.ts';
import { createLog } from './telemetry.ts';

const log = createLog('test', 'silent');
const kind = 'probe';

/** Timers of a new tenant that became due an hour ago. */
async function overdue(count: number) {
  const tenantId = newId('tenant');
  await sql`insert into directory.timers
    select ${kind}, ${tenantId}, 'subject_' || n, now() - interval '1 hour' from generate_series(1, ${count}) as n`.execute(
    admin,
  );
  return tenantId;
}

test('three sweepers at the same time run each overdue timer once, in one sweep, also when there are more than fit in a page', async () => {
  const tenantId = await overdue(1_200);
  const calls: string[] = [];
  let [open, maxOpen] = [0, 0];
  const handlers = {
    [kind]: async (timer: { tenantId: string; subjectId: string }) => {
      if (timer.tenantId !== tenantId) return;
      maxOpen = Math.max(maxOpen, ++open);
      await sql`select 1`.execute(services.db);
      calls.push(timer.subjectId);
      open--;
    },
  };
  const sweepers = [1, 2, 3].map(() => startSweeper({ services, handlers, log }));
  await expect.poll(() => calls.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(1_200);
  for (const { wake } of sweepers) wake();
  await Promise.all(sweepers.map(({ stop }) => stop())); // waits for the second sweep
  expect(calls.toSorted()).toEqual([...new Set(calls)].toSorted());
  expect(calls.length).toBe(1_200);
  expect(maxOpen).toBeGreaterThan(1);
});

test('a timer that fails is run again when its lease has expired, and not before', async () => {
  const tenantId = await overdue(1);
  let calls = 0;
  const handlers = {
    [kind]: async (timer: { tenantId: string }) => {
      if (timer.tenantId !== tenantId) return;
      calls++;
      throw new Error('no');
    },
  };
  const sweeper = startSweeper({ services, handlers, log, everyMs: 50 });
  await expect.poll(() => calls, { timeout: 10_000 }).toBe(1);
  for (let n = 0; n < 3; n++) await sql`select pg_sleep(0.1)`.execute(services.db);
  expect(calls).toBe(1);
  await sql`update directory.timers set leased_until = now() where tenant_id = ${tenantId}`.execute(admin);
  await expect.poll(() => calls, { timeout: 10_000 }).toBe(2);
  await sweeper.stop();
});

test('when all calls of a page fail, the sweep ends, and the other timers are not leased', async () => {
  const tenantId = await overdue(1_200);
  let calls = 0;
  const handlers = {
    [kind]: async (timer: { tenantId: string }) => {
      if (timer.tenantId !== tenantId) return;
      calls++;
      throw new Error('Restate is down');
    },
  };
  const sweeper = startSweeper({ services, handlers, log });
  await expect.poll(() => calls).toBeGreaterThan(0);
  await sweeper.stop();
  const leased = await sql`select from directory.timers where tenant_id = ${tenantId} and leased_until > now()`.execute(
    admin,
  );
  expect([calls, leased.rows.length]).toEqual([500, 500]);
});

test('leases no timer while Restate does not know the worker, and runs them when it does', async () => {
  const tenantId = await overdue(1);
  let [isReady, calls] = [false, 0];
  const handlers = {
    [kind]: async (timer: { tenantId: string }) => {
      if (timer.tenantId === tenantId) calls++;
    },
  };
  const sweeper = startSweeper({ services, handlers, log, isReady: () => isReady });
  await sweeper.stop(); // waits for the first sweep
  const { rows } =
    await sql`select from directory.timers where tenant_id = ${tenantId} and leased_until > now()`.execute(admin);
  expect([rows.length, calls]).toEqual([0, 0]);
  isReady = true;
  const next = startSweeper({ services, handlers, log, isReady: () => isReady });
  await expect.poll(() => calls, { timeout: 10_000 }).toBe(1);
  await next.stop();
});
