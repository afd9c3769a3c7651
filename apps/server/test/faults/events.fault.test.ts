import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { admin, aKey, aTenant, listen, settings, urlAs } from '../harness.ts';
import { startChild, type Child } from './child.ts';
import { codeOf, createClient } from './client.ts';
import { readDeliveredLog } from './events-log.ts';
import { randomFrom, rounds, seed } from './random.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-events-'));
const deliveredFile = join(folder, 'delivered.jsonl');
const client = createClient();
const random = randomFrom(seed);
const log = { LOG_LEVEL: 'info' };

const startApi = () => startChild('src/api.ts', settings(log));
const startSelfKillingApi = (wake: number) =>
  startChild('test/faults/events-api.ts', settings({ ...log, KILL_AT_WAKE: String(wake) }));
const startRelay = (killAfter = '') =>
  startChild(
    'test/faults/events-relay.ts',
    settings({
      ...log,
      ADMIN_URL: urlAs('postgres'),
      DELIVERED_FILE: deliveredFile,
      SEED: String(random.between(0, 2 ** 31)),
      LEASE_SECONDS: '2',
      KILL_AFTER: killAfter,
    }),
  );

/** URLs of the running APIs. */
const urls = new Set<string>();
const kills = { 'API at random': 0, 'API before the wake': 0, 'relay at random': 0, 'relay in mid-batch': 0 };
const killed = () => Object.values(kills).reduce((sum, n) => sum + n, 0);
const children = new Set<Child>();
let [isStopping, isOver] = [false, false];

afterAll(async () => {
  isOver = true;
  client.close();
  for (const child of children) child.signal('SIGKILL');
  await Promise.all([...children].map((child) => child.ended));
  rmSync(folder, { recursive: true, force: true });
});

interface Victim {
  child: Child;
  /** How a kill from outside is counted. */
  atRandom: keyof typeof kills;
  /** How its own kill is counted; it may not get there, and is then killed from outside. */
  selfKilled?: keyof typeof kills;
}
/** The first is killed from outside and the second kills itself, so that there is one of each; then at random. */
const isSelfKilled = (n: number, probability: number) => (n < 2 ? n === 1 : random.chance(probability));
const apiToKill = (n: number): Victim => ({
  atRandom: 'API at random',
  ...(isSelfKilled(n, 0.5)
    ? { child: startSelfKillingApi(random.between(1, 8)), selfKilled: 'API before the wake' }
    : { child: startApi() }),
});
const relayToKill = (n: number): Victim => ({
  atRandom: 'relay at random',
  ...(isSelfKilled(n, 0.6)
    ? { child: startRelay(String(random.between(1, 40))), selfKilled: 'relay in mid-batch' }
    : { child: startRelay() }),
});

/** Runs a process, kills it and runs the next, for `times` kills; `parallel` of them in parallel. */
async function killRepeatedly(start: (n: number) => Victim, { times, parallel }: { times: number; parallel: number }) {
  let [remaining, started] = [times, 0];
  const worker = async () => {
    while (remaining > 0 && !isOver) {
      const { child, atRandom, selfKilled } = start(started++);
      children.add(child);
      const { url } = await child.ready;
      if (url) urls.add(url);
      await Promise.race([child.ended, sleep(selfKilled ? 30_000 : random.between(20, 700))]);
      const wasAlive = child.signal('SIGKILL');
      const { signal } = await child.ended;
      if (url) urls.delete(url);
      children.delete(child);
      expect(signal, child.lines.join('\n')).toBe('SIGKILL'); // it never exits for another reason
      kills[wasAlive ? atRandom : (selfKilled ?? atRandom)]++;
      remaining--;
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}

interface Intent {
  tenantId: string;
  name: string;
  workspaceId: string;
}
const acknowledged: Intent[] = [];
const outcomes = new Map<string, number>();
const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);

/** Creates workspaces, each until it is acknowledged: a request without a response is retried with the same key. */
async function post(tenant: { tenantId: string; headers: Record<string, string> }, poster: number) {
  for (let n = 0; !isStopping && !isOver; n++) {
    const name = `${poster}-${n}`;
    while (!isOver) {
      await sleep(random.between(20, 120));
      const url = random.pick([...urls]);
      const headers = { ...tenant.headers, 'idempotency-key': name };
      const response = await client.call('POST', `${url}/workspaces`, headers, { name }).catch(codeOf);
      count(typeof response === 'string' ? response : String(response.status));
      if (typeof response === 'string' || response.status !== 201) continue;
      const { workspace } = JSON.parse(response.body) as { workspace: { id: string } };
      acknowledged.push({ tenantId: tenant.tenantId, name, workspaceId: workspace.id });
      break;
    }
  }
}

test(
  `loses no event and keeps each tenant's order through ${rounds} kills of API and relay at random points`,
  { timeout: 240_000 + rounds * 5_000 },
  async () => {
    console.log(`events: FAULT_SEED=${seed} FAULT_ROUNDS=${rounds}`);
    const tenants = await Promise.all(
      Array.from({ length: isFull ? 6 : 3 }, async () => {
        const tenant = await aTenant();
        return { tenantId: tenant.tenantId, headers: (await aKey(tenant, { permissions: ['tenant.manage'] })).headers };
      }),
    );
    urls.add(await listen()); // as behind a load balancer: a retry reaches another process, which is not killed
    const posters = tenants.flatMap((tenant) => [1, 2].map((poster) => post(tenant, poster)));
    const ofApis = Math.ceil(rounds * 0.3);
    await Promise.all([
      killRepeatedly(apiToKill, { times: ofApis, parallel: 2 }),
      // Two in parallel most of the time. The last one keeps running and delivers what the others left.
      killRepeatedly(relayToKill, { times: rounds - ofApis, parallel: 2 }).then(() => children.add(startRelay())),
    ]);
    const enough = 10 * rounds;
    await expect.poll(() => acknowledged.length, { timeout: 120_000 }).toBeGreaterThanOrEqual(enough);
    isStopping = true;
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
    const deliveredLog = readDeliveredLog(deliveredFile);
    const isRow = new Set(rows.map(({ tenantId, id, position }) => `${tenantId} ${position} ${id}`));
    const delivered = new Set(
      [...deliveredLog.firsts].flatMap(([tenantId, ids]) => ids.map((id, index) => `${tenantId} ${index + 1} ${id}`)),
    );
    const lost = [...isRow].filter((event) => !delivered.has(event));
    const createdEvents = rows
      .filter(({ type }) => type === 'workspace.created')
      .map((row) => `${row.tenantId} ${row.subjectId}`);
    const withoutEvent = acknowledged.filter(
      ({ tenantId, workspaceId }) => !createdEvents.includes(`${tenantId} ${workspaceId}`),
    );

    console.log(
      `events: ${acknowledged.length} acknowledged, ${rows.length} rows, ${delivered.size} delivered, ` +
        `${deliveredLog.repeats} repeats, ${killed()} kills, ${lost.length + withoutEvent.length} lost`,
    );
    const { batches, stale, slow } = deliveredLog;
    console.log('events:', JSON.stringify({ kills, outcomes: Object.fromEntries(outcomes), batches, stale, slow }));
    expect(lost, 'rows that no relay delivered').toEqual([]);
    expect(withoutEvent, 'acknowledged workspaces without their event').toEqual([]);
    expect(
      [...delivered].filter((event) => !isRow.has(event)),
      'delivered, but not stored',
    ).toEqual([]);
    expect(deliveredLog.problems, 'order, gaps, and batches that skip').toEqual([]);
    for (const { tenantId, lastPosition } of (await streams.execute(admin)).rows) {
      const positions = rows.filter((row) => row.tenantId === tenantId).map(({ position }) => Number(position));
      expect(positions, 'positions are dense').toEqual(Array.from({ length: Number(lastPosition) }, (_, i) => i + 1));
    }

    // Every request was retried until it was acknowledged: it is stored once, and so is its event.
    const workspaces = await admin.selectFrom('workspaces').select(['tenantId', 'id', 'name']).execute();
    expect(workspaces).toHaveLength(acknowledged.length + tenants.length); // each tenant starts with one
    expect(new Set(createdEvents).size).toBe(createdEvents.length);
    expect(createdEvents).toHaveLength(workspaces.length);

    expect([...outcomes.keys()].filter((outcome) => outcome.startsWith('5') && outcome !== '503')).toEqual([]);
    expect(killed()).toBeGreaterThanOrEqual(rounds);
    for (const [kind, times] of Object.entries(kills)) expect(times, kind).toBeGreaterThan(0);
    expect(deliveredLog.repeats, 'kills in mid-batch cause repeats').toBeGreaterThan(0);
    expect(stale, 'of relays that were never delayed').toBeLessThanOrEqual(batches * 0.05);
  },
);
