import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { onTestFinished } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { admin } from '../harness.ts';
import { codeOf, createClient } from '../faults/client.ts';
import type { Random } from '../faults/random.ts';

type Headers = Record<string, string>;

const writes = ['POST /workspaces', 'PATCH /tenant'];
/** Requests that take longer are listed, to find what they waited for. */
const slowMs = 700;

/** Reads and writes of several tenants until stopped, each with two requests at a time. */
export function startLoad(url: string, tenants: readonly Headers[], random: Random) {
  const client = createClient();
  const outcomes: Record<string, number> = {};
  const failures: string[] = [];
  const durationsMs: number[] = [];
  const slow: string[] = [];
  let isStopped = false;
  let created = 0;
  const requests = ['GET /tenant', 'GET /webhooks', 'GET /events?limit=20', 'GET /workspaces', ...writes];
  const call = async (headers: Headers) => {
    while (!isStopped) {
      await sleep(random.between(0, 40));
      const [request, startedAt] = [random.pick(requests), performance.now()];
      const [method = '', path = ''] = request.split(' ');
      const body = writes.includes(request) ? { name: `Name ${created++}` } : undefined;
      const response = await client.call(method, url + path, headers, body).catch(codeOf);
      const ms = performance.now() - startedAt;
      durationsMs.push(ms);
      if (ms > slowMs) slow.push(`${new Date().toISOString()} ${request}: ${Math.round(ms)} ms`);
      const outcome = typeof response === 'string' ? response : String(response.status);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      if (outcome !== '200' && outcome !== '201')
        failures.push(typeof response === 'string' ? response : `${response.status} ${response.body}`);
    }
  };
  const calling = Promise.all([...tenants, ...tenants].map(call)).finally(client.close);
  const stop = async () => {
    isStopped = true;
    await calling;
    return { outcomes, failures, slow, durationsMs: durationsMs.toSorted((a, b) => a - b) };
  };
  onTestFinished(async () => {
    await stop();
  });
  return { completed: () => durationsMs.length, stop };
}

/** The longest time that the server's queries waited for a lock of the migrator, or behind one that it waits for. */
export function watchLockWaits() {
  let isStopped = false;
  let longestMs = 0;
  const watching = (async () => {
    while (!isStopped) {
      const { rows } = await sql<{ ms: number | null }>`
        select max(extract(epoch from clock_timestamp() - waitstart) * 1000)::float8 as ms
        from pg_locks join pg_stat_activity using (pid)
        where not granted and usename = 'parley_app' and datname = current_database() and exists (
          select from pg_stat_activity as migrator
          where migrator.usename = 'parley_owner' and migrator.pid = any (pg_blocking_pids(pg_locks.pid)))`.execute(
        admin,
      );
      longestMs = Math.max(longestMs, rows[0]?.ms ?? 0);
      await sleep(isFull ? 20 : 100);
    }
  })();
  const stop = async () => {
    isStopped = true;
    await watching;
    return longestMs;
  };
  onTestFinished(async () => {
    await stop();
  });
  return stop;
}
