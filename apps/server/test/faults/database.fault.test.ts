import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
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

/** Answers that were neither a success nor 503 with Retry-After. */
const unclean: string[] = [];
let made = 0;

/** Reads and writes without end; says what was answered, and when an answer last was not a success. */
function load(url: string) {
  const [outcomes, acknowledged]: [Record<string, number>, string[]] = [{}, []];
  let [isOver, lastFailure] = [false, 0];
  const call = async () => {
    while (!isOver) {
      await sleep(random.between(0, 15));
      const name = `Workspace ${made++}`;
      const isWrite = random.chance(0.5);
      const answer = await (
        isWrite
          ? client.call('POST', `${url}/workspaces`, headers, { name })
          : client.call('GET', `${url}/workspaces`, headers)
      ).catch(codeOf);
      const outcome = typeof answer === 'string' ? answer : String(answer.status);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      if (outcome === '201') acknowledged.push(name);
      if (outcome === '200' || outcome === '201') continue;
      lastFailure = Date.now();
      const isClean =
        typeof answer === 'object' && answer.status === 503 && answer.headers['retry-after'] !== undefined;
      if (!isClean) unclean.push(typeof answer === 'string' ? answer : `${answer.status} ${answer.body}`);
    }
  };
  const calling = Promise.all(Array.from({ length: 8 }, call));
  const stop = async () => {
    isOver = true;
    await calling;
    const rows = await root.selectFrom('workspaces').select('name').execute();
    const there = new Set(rows.map(({ name }) => name));
    return { outcomes, lost: acknowledged.filter((name) => !there.has(name)) };
  };
  const successes = () => (outcomes['200'] ?? 0) + (outcomes['201'] ?? 0);
  return { stop, successes, lastFailure: () => lastFailure };
}

const restarts = Math.max(2, Math.ceil(rounds / 10));
test(
  `PostgreSQL restarted ${restarts} times in the middle of work: nothing acknowledged is lost, and it is well again within 5 s`,
  { timeout: 30_000 + restarts * 15_000 },
  async () => {
    console.log(`database: FAULT_SEED=${seed} FAULT_ROUNDS=${rounds}`);
    const { url = '' } = await api.ready;
    const { stop, lastFailure, successes } = load(url);
    const healing: number[] = [];
    for (let restart = 0; restart < restarts; restart++) {
      await sleep(random.between(300, 800));
      const pid = postgres.pid() ?? 0;
      process.kill(pid, 'SIGQUIT'); // immediate: no session is told more than that it ends
      await postgres.stop(); // waits until it is gone
      await sleep(random.between(0, 1_500));
      await postgres.start();
      const [began, before] = [Date.now(), successes()];
      // Half a second of answers, none of them a failure.
      await expect.poll(() => Date.now() - Math.max(began, lastFailure()), { timeout: 5_000 }).toBeGreaterThan(500);
      expect(successes()).toBeGreaterThan(before);
      healing.push(Math.max(0, lastFailure() - began));
    }
    const { outcomes, lost } = await stop();
    console.log(
      `database: ${JSON.stringify(outcomes)}, well again after ${healing.join(', ')} ms, ${lost.length} lost`,
    );
    expect(lost, 'acknowledged, but not there').toEqual([]);
    expect(outcomes['503']).toBeGreaterThan(0);
  },
);

test(
  `every connection of the API cut, ${rounds} times: nothing acknowledged is lost`,
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
    expect(lost, 'acknowledged, but not there').toEqual([]);
  },
);

test('while the database was away every answer was a success or 503 with Retry-After, never 500', () => {
  const causes = api.lines.flatMap(
    (line) => /"err":\{"type":"\w+","message":"([^"]*)".*"msg":"internal_error"/.exec(line)?.[1] ?? [],
  );
  expect(unclean, [...new Set(causes)].join('; ')).toEqual([]);
});
