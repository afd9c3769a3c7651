import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { admin, services } from '../../test/harness.ts';
import { startChores } from './chores.ts';
import { createLog } from './telemetry.ts';

const log = createLog('test', 'silent');
const soon = { timeout: 20_000 };
beforeEach(() => sql`delete from directory.chores`.execute(admin));

const start = (run: () => Promise<unknown>, options: { leaseSeconds?: number; everySeconds?: number } = {}) => {
  const { everySeconds = 3_600, leaseSeconds = 120 } = options;
  const worker = startChores({ services, chores: { probe: { everySeconds, run } }, log, pollMs: 50, leaseSeconds });
  onTestFinished(worker.stop);
  return worker;
};

test('three workers run a due chore once, and again when it is due again', async () => {
  let runs = 0;
  for (let n = 0; n < 3; n++) start(async () => void runs++);
  await expect.poll(() => runs, soon).toBe(1);
  await sleep(300);
  expect(runs).toBe(1);
  await sql`update directory.chores set due_at = now()`.execute(admin);
  await expect.poll(() => runs, soon).toBe(2);
});

test('a long chore keeps its lease; that of a worker that died runs in another one', async () => {
  let [runs, isDone] = [0, false];
  onTestFinished(() => void (isDone = true)); // or a failed test would wait for it
  start(
    async () => {
      runs++;
      while (!isDone) await sleep(20);
    },
    { leaseSeconds: 1 },
  );
  await expect.poll(() => runs, soon).toBe(1);
  start(async () => void runs++, { leaseSeconds: 1 });
  await sleep(2_500); // longer than the lease
  expect(runs).toBe(1);
  isDone = true;
  await sql`update directory.chores set leased_by = 'dead', leased_until = now() - interval '1 s', due_at = now()`.execute(
    admin,
  );
  await expect.poll(() => runs, soon).toBe(2);
});

test('a chore that fails is tried again within a minute, and counted until it succeeds', async () => {
  let isBroken = true;
  start(async () => {
    if (isBroken) throw new Error('no');
  });
  const row = async () => {
    const { rows } = await sql<{ failures: number; seconds: number; isFinished: boolean }>`
      select failures, extract(epoch from due_at - now())::float8 as seconds, finished_at is not null as is_finished
      from directory.chores`.execute(admin);
    return rows[0];
  };
  await expect.poll(row, soon).toMatchObject({ failures: 1, isFinished: false });
  expect((await row())?.seconds).toBeLessThanOrEqual(60);
  isBroken = false;
  await sql`update directory.chores set due_at = now()`.execute(admin);
  await expect.poll(row, soon).toMatchObject({ failures: 0, isFinished: true });
  expect((await row())?.seconds).toBeGreaterThan(3_000);
});
