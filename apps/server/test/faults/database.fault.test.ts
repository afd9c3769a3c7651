import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { connect } from '../../src/platform/db.ts';
import { settings } from '../harness.ts';
import { startChild } from './child.ts';
import { codeOf, createClient } from './client.ts';
import { startOwnDatabase } from './own-database.ts';
import { randomFrom, rounds, seed } from './random.ts';

const random = randomFrom(seed);
const { postgres, urlAs, headers, remove } = await startOwnDatabase('database');
const api = startChild('src/api.ts', settings({ LOG_LEVEL: 'info', DATABASE_URL: urlAs('parley_app') }));
const client = createClient();
const root = connect(urlAs('postgres'), { max: 1 });

afterAll(async () => {
  api.signal('SIGKILL');
  client.close();
  await root.destroy();
  await remove();
});

/** Responses other than a success or 503 with Retry-After. */
const unexpected: string[] = [];
let created = 0;
const [clients, maxPauseMs] = isFull ? [8, 15] : [4, 40];

/** Reads and writes until stopped; records the outcomes and the time of the last failure. */
function load(url: string) {
  const [outcomes, acknowledged]: [Record<string, number>, string[]] = [{}, []];
  let [isStopped, lastFailure] = [false, 0];
  const call = async () => {
    while (!isStopped) {
      await sleep(random.between(0, maxPauseMs));
      const name = `Workspace ${created++}`;
      const isWrite = random.chance(0.5);
      const response = await (
        isWrite
          ? client.call('POST', `${url}/workspaces`, headers, { name })
          : client.call('GET', `${url}/workspaces`, headers)
      ).catch(codeOf);
      const outcome = typeof response === 'string' ? response : String(response.status);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      if (outcome === '201') acknowledged.push(name);
      if (outcome === '200' || outcome === '201') continue;
      lastFailure = Date.now();
      const isExpected =
        typeof response === 'object' && response.status === 503 && response.headers['retry-after'] !== undefined;
      if (!isExpected) unexpected.push(typeof response === 'string' ? response : `${response.status} ${response.body}`);
    }
  };
  const calling = Promise.all(Array.from({ length: clients }, call));
  const stop = async () => {
    isStopped = true;
    await calling;
    const rows = await root.selectFrom('workspaces').select('name').execute();
    const stored = new Set(rows.map(({ name }) => name));
    return { outcomes, lost: acknowledged.filter((name) => !stored.has(name)) };
  };
  const successes = () => (outcomes['200'] ?? 0) + (outcomes['201'] ?? 0);
  return { stop, successes, lastFailure: () => lastFailure };
}

const restarts = Math.ceil(rounds / 10);
test(
  `does not lose acknowledged writes when PostgreSQL restarts under load (${restarts} times), and recovers within 5 s`,
  { timeout: 30_000 + restarts * 15_000 },
  async () => {
    console.log(`database: FAULT_SEED=${seed} FAULT_ROUNDS=${rounds}`);
    const { url = '' } = await api.ready;
    const { stop, lastFailure, successes } = load(url);
    const recoveryMs: number[] = [];
    for (let restart = 0; restart < restarts; restart++) {
      await sleep(random.between(300, 800));
      const pid = postgres.pid() ?? 0;
      process.kill(pid, 'SIGQUIT'); // immediate shutdown
      await postgres.stop(); // waits for the exit
      await sleep(random.between(0, 1_500));
      await postgres.start();
      const [startedAt, before] = [Date.now(), successes()];
      // Half a second of responses without a failure.
      await expect.poll(() => Date.now() - Math.max(startedAt, lastFailure()), { timeout: 5_000 }).toBeGreaterThan(500);
      expect(successes()).toBeGreaterThan(before);
      recoveryMs.push(Math.max(0, lastFailure() - startedAt));
    }
    const { outcomes, lost } = await stop();
    console.log(
      `database: ${JSON.stringify(outcomes)}, recovered after ${recoveryMs.join(', ')} ms, ${lost.length} lost`,
    );
    expect(lost, 'acknowledged, but missing').toEqual([]);
    expect(outcomes['503']).toBeGreaterThan(0);
  },
);

test(
  `does not lose acknowledged writes when every connection of the API is cut ${rounds} times`,
  { timeout: 30_000 + rounds * 1_000 },
  async () => {
    const { url = '' } = await api.ready;
    const { stop } = load(url);
    for (let cut = 0; cut < rounds; cut++) {
      await sleep(random.between(20, 150));
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'parley_app'`.execute(root);
    }
    const { outcomes, lost } = await stop();
    console.log(`database: connections cut, ${JSON.stringify(outcomes)}, ${lost.length} lost`);
    expect(lost, 'acknowledged, but missing').toEqual([]);
  },
);

test('returns a success or 503 with Retry-After, never 500, while the database is down', () => {
  const causes = api.lines.flatMap(
    (line) => /"err":\{"type":"\w+","message":"([^"]*)".*"msg":"internal_error"/.exec(line)?.[1] ?? [],
  );
  expect(unexpected, [...new Set(causes)].join('; ')).toEqual([]);
});
