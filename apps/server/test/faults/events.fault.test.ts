import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { admin, aKey, aTenant, settings, urlAs } from '../harness.ts';
import { startChild, type Child } from './child.ts';
import { codeOf, createClient } from './client.ts';
import { readLedger } from './events-ledger.ts';
import { randomFrom, rounds, seed } from './random.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-events-'));
const deliveredPosition = join(folder, 'handed-on.jsonl');
const client = createClient();
const random = randomFrom(seed);
const log = { LOG_LEVEL: 'info' };

const startApi = () => startChild('src/api.ts', settings(log));
const startDoomedApi = (wake: number) =>
  startChild('test/faults/events-api.ts', settings({ ...log, KILL_AT_WAKE: String(wake) }));
const startRelay = (killAfter = '') =>
  startChild(
    'test/faults/events-relay.ts',
    settings({
      ...log,
      ADMIN_URL: urlAs('postgres'),
      HANDED_ON: deliveredPosition,
      SEED: String(random.between(0, 2 ** 31)),
      LEASE_SECONDS: '2',
      KILL_AFTER: killAfter,
    }),
  );

/** Addresses of the APIs that answer now. */
const addresses = new Set<string>();
const kills = { 'API at random': 0, 'API before the wake': 0, 'relay at random': 0, 'relay in mid-batch': 0 };
const killed = () => Object.values(kills).reduce((sum, n) => sum + n, 0);
const children = new Set<Child>();
let [isQuiet, isOver] = [false, false];

afterAll(async () => {
  isOver = true;
  client.close();
  for (const child of children) child.signal('SIGKILL');
  await Promise.all([...children].map((child) => child.ended));
  rmSync(folder, { recursive: true, force: true });
});

interface Victim {
  child: Child;
  /** What it is when it was killed from outside. */
  atRandom: keyof typeof kills;
  /** What it is when it killed itself where it was told to; it may not get there, and is then killed from outside. */
  byItself?: keyof typeof kills;
}
/** The first is killed from outside and the second kills itself, so that there is one of each; then it is left to chance. */
const isSelfKilled = (n: number, probability: number) => (n < 2 ? n === 1 : random.chance(probability));
const aDoomedApi = (n: number): Victim => ({
  atRandom: 'API at random',
  ...(isSelfKilled(n, 0.5)
    ? { child: startDoomedApi(random.between(1, 8)), byItself: 'API before the wake' }
    : { child: startApi() }),
});
const aDoomedRelay = (n: number): Victim => ({
  atRandom: 'relay at random',
  ...(isSelfKilled(n, 0.6)
    ? { child: startRelay(String(random.between(1, 40))), byItself: 'relay in mid-batch' }
    : { child: startRelay() }),
});

/** Runs a process, kills it and runs the next, for so many kills; `places` of them side by side. */
async function killAgainAndAgain(start: (n: number) => Victim, { times, places }: { times: number; places: number }) {
  let [left, started] = [times, 0];
  const place = async () => {
    while (left > 0 && !isOver) {
      const { child, atRandom, byItself } = start(started++);
      children.add(child);
      const { url } = await child.ready;
      if (url) addresses.add(url);
      await Promise.race([child.ended, sleep(byItself ? 30_000 : random.between(20, 700))]);
      const wasAlive = child.signal('SIGKILL');
      const { signal } = await child.ended;
      if (url) addresses.delete(url);
      children.delete(child);
      expect(signal, child.lines.join('\n')).toBe('SIGKILL'); // it never ends for a reason of its own
      kills[wasAlive ? atRandom : (byItself ?? atRandom)]++;
      left--;
    }
  };
  await Promise.all(Array.from({ length: places }, place));
}

interface Intent {
  tenantId: string;
  name: string;
  workspaceId: string;
}
const acknowledged: Intent[] = [];
const outcomes = new Map<string, number>();
const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);

/** Makes workspaces, each until it is acknowledged: a request that got no answer is sent again under the same key. */
async function post(tenant: { tenantId: string; headers: Record<string, string> }, poster: number) {
  for (let n = 0; !isQuiet && !isOver; n++) {
    const name = `${poster}-${n}`;
    while (!isOver) {
      await sleep(random.between(20, 120));
      const url = random.pick([...addresses]);
      const headers = { ...tenant.headers, 'idempotency-key': name };
      const answer = await client.call('POST', `${url}/workspaces`, headers, { name }).catch(codeOf);
      count(typeof answer === 'string' ? answer : String(answer.status));
      if (typeof answer === 'string' || answer.status !== 201) continue;
      const { workspace } = JSON.parse(answer.body) as { workspace: { id: string } };
      acknowledged.push({ tenantId: tenant.tenantId, name, workspaceId: workspace.id });
      break;
    }
  }
}

test(
  `${rounds} kills of API and relay at random points: no event is lost, and each tenant's order is kept`,
  { timeout: 240_000 + rounds * 5_000 },
  async () => {
    console.log(`events: FAULT_SEED=${seed} FAULT_ROUNDS=${rounds}`);
    const tenants = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const tenant = await aTenant();
        return { tenantId: tenant.tenantId, headers: (await aKey(tenant, { permissions: ['tenant.manage'] })).headers };
      }),
    );
    const survivor = startApi(); // as behind a load balancer: a request that was cut finds another
    children.add(survivor);
    addresses.add((await survivor.ready).url ?? '');
    const posters = tenants.flatMap((tenant) => [1, 2].map((poster) => post(tenant, poster)));
    const ofApis = Math.ceil(rounds * 0.3);
    await Promise.all([
      killAgainAndAgain(aDoomedApi, { times: ofApis, places: 2 }),
      // Two at once for most of the time. The last one lives, and finds what the others left.
      killAgainAndAgain(aDoomedRelay, { times: rounds - ofApis, places: 2 }).then(() => children.add(startRelay())),
    ]);
    const enough = 10 * rounds;
    await expect.poll(() => acknowledged.length, { timeout: 120_000 }).toBeGreaterThanOrEqual(enough);
    isQuiet = true;
    await Promise.all(posters);

    const streams = sql<{ tenantId: string; lastPosition: string; deliveredPosition: string }>`
      select tenant_id, last_position, delivered_position from directory.event_streams`;
    await expect
      .poll(async () => (await streams.execute(admin)).rows.filter((s) => s.deliveredPosition !== s.lastPosition), {
        timeout: 60_000,
        interval: 200,
      })
      .toEqual([]);

    const rows = await admin
      .selectFrom('events')
      .select(['tenantId', 'id', 'position', 'type', 'subjectId'])
      .orderBy('tenantId')
      .orderBy('position')
      .execute();
    const ledger = readLedger(deliveredPosition);
    const isRow = new Set(rows.map(({ tenantId, id, position }) => `${tenantId} ${position} ${id}`));
    const delivered = new Set(
      [...ledger.firsts].flatMap(([tenantId, ids]) => ids.map((id, place) => `${tenantId} ${place + 1} ${id}`)),
    );
    const lost = [...isRow].filter((event) => !delivered.has(event));
    const made = rows
      .filter(({ type }) => type === 'workspace.created')
      .map((row) => `${row.tenantId} ${row.subjectId}`);
    const unheard = acknowledged.filter(({ tenantId, workspaceId }) => !made.includes(`${tenantId} ${workspaceId}`));

    console.log(
      `events: ${acknowledged.length} acknowledged, ${rows.length} rows, ${delivered.size} handed on, ` +
        `${ledger.repeats} repeats, ${killed()} kills, ${lost.length + unheard.length} lost`,
    );
    const { batches, stale, slow } = ledger;
    console.log('events:', JSON.stringify({ kills, outcomes: Object.fromEntries(outcomes), batches, stale, slow }));
    expect(lost, 'rows that no relay handed on').toEqual([]);
    expect(unheard, 'acknowledged workspaces without their event').toEqual([]);
    expect(
      [...delivered].filter((event) => !isRow.has(event)),
      'handed on, but no row',
    ).toEqual([]);
    expect(ledger.problems, 'order, gaps, and batches that skip').toEqual([]);
    for (const { tenantId, lastPosition } of (await streams.execute(admin)).rows) {
      const positions = rows.filter((row) => row.tenantId === tenantId).map(({ position }) => Number(position));
      expect(positions, 'positions are dense').toEqual(Array.from({ length: Number(lastPosition) }, (_, i) => i + 1));
    }

    // Every intent was repeated until it was acknowledged: it is there once, and its event too.
    const workspaces = await admin.selectFrom('workspaces').select(['tenantId', 'id', 'name']).execute();
    expect(workspaces).toHaveLength(acknowledged.length + tenants.length); // each tenant began with one
    expect(new Set(made).size).toBe(made.length);
    expect(made).toHaveLength(workspaces.length);

    expect([...outcomes.keys()].filter((outcome) => outcome.startsWith('5') && outcome !== '503')).toEqual([]);
    expect(killed()).toBeGreaterThanOrEqual(rounds);
    for (const [kind, times] of Object.entries(kills)) expect(times, kind).toBeGreaterThan(0);
    expect(ledger.repeats, 'kills in mid-batch make repeats').toBeGreaterThan(0);
    expect(stale, 'of relays that were never held up').toBeLessThanOrEqual(batches * 0.05);
  },
);
