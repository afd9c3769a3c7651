import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { ReceivedCall } from '../../../../tools/receiver/index.ts';
import { countOf, isFull } from '../../../../tools/testing/size.ts';
import { createWebhook } from '../../src/features/webhooks/endpoints/webhooks.service.ts';
import { Permission } from '../../src/platform/access.contract.ts';
import { inTenant } from '../../src/platform/context.ts';
import type { Db } from '../../src/platform/db.ts';
import { aBotThatActs, effects, kinds, rejectingActions, type Kind } from '../actions/fault-bot.ts';
import type { Invocation } from '../actions/fixture.ts';
import { aPatientVisitor, type Visitor } from '../actions/patient-visitor.ts';
import { aTenantSystem } from '../actions/stub.ts';
import { waitUntilIdle } from '../actions/truth.ts';
import { emitTestEventIn } from '../webhooks/fixture.ts';
import { waitForEmptyQueue } from '../webhooks/ledger.ts';
import { randomFrom, seed } from './random.ts';
import { aRestoreStack } from './restore-stack.ts';

// A table is dropped under load. The database is restored to a moment before, as docs/runbooks/backup-and-restore.md says,
// and compared with what a tenant's system has received: it remembers what the database no longer knows.

/** Of the database, on top of what the load writes. */
const megabytes = countOf('RESTORE_MEGABYTES', { sample: 0, full: 5_000 });
/** How many visitors are there at a time, how often an event happens, and how many requests arrive before and after the moment. */
const load = isFull
  ? { visitors: 8, eventMs: 50, before: 10, after: 12 }
  : { visitors: 4, eventMs: 150, before: 4, after: 5 };
const timeoutMs = 5_000;
/** How long the tenant's system takes, so that work is in flight at every moment. */
const effectMs = 500;
const deliveryMs = 700;

const random = randomFrom(seed);
const stack = await aRestoreStack();
const { receiver } = stack;
const tenantSystem = aTenantSystem(receiver, { effects, rejectingActions, timeoutMs });
tenantSystem.beforeEffect = () => sleep(effectMs);
const respondToAction = receiver.respond;
receiver.respond = (call, response, request) => {
  if (call.path === '/actions') return respondToAction?.(call, response, request);
  return setTimeout(() => response.writeHead(200).end(), deliveryMs);
};

interface StartedChat {
  visitor: Visitor;
  at: number;
}
const visitors: StartedChat[] = [];
/** By their number: when the event was committed. */
const events: number[] = [];
let isAway = false;

/** Visitors and events, until the visitors go away. */
async function work(
  apiUrl: string,
  bot: Awaited<ReturnType<typeof aBotThatActs>>,
  emitEvent: (n: number) => Promise<unknown>,
) {
  const visit = async () => {
    const n = visitCount++;
    const kind = random.pick(Object.keys(kinds) as Kind[]);
    const visitor = await aPatientVisitor(apiUrl, bot, { kind, n, isAway: () => isAway });
    visitors.push({ visitor, at: Date.now() });
    if (kind !== 'read') {
      await visitor.waitFor('the card', 'confirmation.required', 1);
      await sleep(random.between(0, 1_500)); // so that confirmations are open at every moment
      await visitor.confirm();
    }
    await visitor.end();
  };
  const repeat = async (one: () => Promise<unknown>, pauseMs: number) => {
    while (!isAway) {
      await one().catch(() => {}); // the database is gone
      await sleep(pauseMs);
    }
  };
  const emitNext = async () => {
    const n = emitCount++;
    await emitEvent(n);
    events[n] = Date.now();
  };
  await Promise.all([
    ...Array.from({ length: load.visitors }, () => repeat(visit, 50)),
    repeat(emitNext, load.eventMs),
  ]);
}
let [visitCount, emitCount] = [0, 0];

const writesIn = (calls: readonly ReceivedCall[]) =>
  calls
    .filter(({ path }) => path === '/actions')
    .map(({ body }) => JSON.parse(body) as Invocation)
    .filter(({ type, action }) => type === 'action.invoke' && action !== kinds.read.action)
    .map(({ action, input }) => `${action} ${String(input['orderId'])}`);
const deliveriesIn = (calls: readonly ReceivedCall[]) =>
  calls
    .filter(({ path }) => path === '/events')
    .map(({ headers, body }) => ({
      id: String(headers['idempotency-key']),
      epoch: headers['x-service-restore-epoch'] ?? null,
      n: (JSON.parse(body) as { data: { object: { n: number } } }).data.object.n,
    }));

const rowsOf = async <T>(root: Db, query: ReturnType<typeof sql<T>>) => (await query.execute(root)).rows;

test(
  'nothing is sent twice to a tenant’s system after the database was restored, and repeated deliveries say so',
  { timeout: 240_000 + megabytes * 400 },
  async () => {
    await stack.runCli('migrate');
    const before = stack.open();
    if (megabytes > 0) {
      await stack.backup('full'); // the repository must exist, or all of this would wait to be archived
      await fill(before.root, megabytes);
      await waitForArchive(before.root, 600_000);
    }
    const backupStartedAt = Date.now();
    await stack.backup('full');
    const backupMs = Date.now() - backupStartedAt;
    await stack.startServers();

    const bot = await aBotThatActs(before.services, `${receiver.url}/actions`, timeoutMs);
    const { tenantId } = bot;
    const caller = {
      tenantId,
      actor: { type: 'system', id: 'test' } as const,
      permissions: new Set(Permission.options),
    };
    const endpoint = { url: `${receiver.url}/events`, description: '', eventTypes: ['test.*'], headers: {} };
    const more = { environmentId: null, botIds: [], rateLimit: 1_000, ordering: 'none' as const, autoRecover: true };
    const { secret } = await inTenant(before.services, caller, (ctx) =>
      createWebhook(ctx, { ...endpoint, ...more }, () => {}),
    );
    receiver.secrets = [bot.secret, secret];
    const working = work(stack.apiUrl, bot, (n) => emitTestEventIn(before.services, tenantId, n));
    await expect.poll(() => writesIn(receiver.calls).length, { timeout: 60_000 }).toBeGreaterThan(load.before);

    // The moment to restore to. The load continues, and all that follows will be lost.
    const [moment] = await rowsOf(before.root, sql<{ at: string }>`select clock_timestamp()::text as at`);
    const [to, toMs, callsAtMoment] = [moment?.at ?? '', Date.now(), receiver.calls.length];
    const since = () => receiver.calls.slice(callsAtMoment);
    await expect
      .poll(() => Math.min(writesIn(since()).length, deliveriesIn(since()).length), { timeout: 60_000 })
      .toBeGreaterThan(load.after);
    const drop = () => sql`drop table action_runs cascade`.execute(before.root);
    await expect.poll(() => drop().then(() => 'dropped', String)).toBe('dropped'); // or a deadlock with the load
    const incidentAt = Date.now();
    isAway = true;
    await stack.killServers();
    await working;
    await waitForArchive(before.root);
    await Promise.all([before.root.destroy(), before.services.db.destroy()]);
    const callsBefore = receiver.calls.length;

    const restoreStartedAt = Date.now();
    await stack.restore(to);
    const restoreMs = Date.now() - restoreStartedAt;
    const report = await stack.runCli('after-restore', '--restored-to', to);
    expect(report).toContain('Restate is empty.');
    const epoch = /Restore epoch (\d+)/.exec(report)?.[1] ?? '';
    expect(await stack.runCli('after-restore', '--restored-to', to)).toContain(`epoch ${epoch} was set`);

    isAway = false;
    await stack.startServers();
    const n = visitCount + (visitCount % 10 === 0 ? 1 : 0); // not one of the orders that are always rejected
    const first = await aPatientVisitor(stack.apiUrl, bot, { kind: 'at_most_once', n });
    expect(await first.end(), stack.logs()).toContain('is done, receipt');
    const rtoMs = Date.now() - incidentAt;

    // The first backup of the new timeline, and the quarterly drill next to the database in production.
    const drilling = stack.backup('incr').then(stack.drill);

    // Everyone reloads the page, and confirms what is asked.
    const after = stack.open();
    const conversations = new Set(
      (await rowsOf(after.root, sql<{ id: string }>`select id from conversations`)).map(({ id }) => id),
    );
    const survivors = visitors.filter(({ visitor }) => conversations.has(visitor.conversationId));
    await Promise.all(
      survivors.map(async ({ visitor }) => {
        visitor.reload();
        await visitor.end();
      }),
    );
    await emitTestEventIn(after.services, tenantId, emitCount);
    const drillReport = await drilling;
    expect(drillReport).toMatch(/tenants: 1 rows\n[^]*RTO: \d+ s[^]*RPO: -?\d+ s/);
    await waitUntilIdle(after.root, 120_000);
    await waitForEmptyQueue(after.root, 120_000);

    // Actions: whatever the tenant's system got before is not sent again, under any key.
    const [callsThen, callsSince] = [receiver.calls.slice(0, callsBefore), receiver.calls.slice(callsBefore)];
    const earlier = new Set(writesIn(callsThen));
    const sentTwice = writesIn(callsSince).filter((write) => earlier.has(write));
    const doneTwice = [...Map.groupBy(tenantSystem.done, ({ action, orderId }) => `${action} ${orderId}`)]
      .filter(([write, done]) => done.length > 1 && !write.startsWith(kinds.read.action))
      .map(([write]) => write);
    const runs = await rowsOf(
      after.root,
      sql<{
        conversationId: string;
        outcome: string;
        reason: string | null;
      }>`select conversation_id, outcome, reason from action_runs`,
    );
    const unknown = runs.filter(({ outcome, reason }) => outcome === 'unknown' && reason === 'restored');
    const texts = new Map(
      survivors.map(({ visitor }) => [
        visitor.conversationId,
        [...visitor.entries.values()].map(({ data }) => data.message?.text ?? '').join('\n'),
      ]),
    );
    const untold = unknown.filter(
      ({ conversationId }) => !texts.get(conversationId)?.includes('I couldn’t confirm whether this went through'),
    );

    // Deliveries: what the database still knows arrived, and what arrived before has the same id and says so.
    const [delivered, deliveredSince] = [deliveriesIn(callsThen), deliveriesIn(callsSince)];
    const known = await rowsOf(
      after.root,
      sql<{
        id: string;
        n: number;
      }>`select id, (body::jsonb #>> '{data,object,n}')::int as n from events where type = 'test.happened'`,
    );
    const knownNumbers = new Set(known.map(({ n }) => n));
    const arrivedBefore = new Set(delivered.map(({ id }) => id));
    const repeats = deliveredSince.filter(({ id }) => arrivedBefore.has(id));
    const arrived = new Set([...delivered, ...deliveredSince].map(({ id }) => id));
    const lostEvents = events.flatMap((at, n) => (knownNumbers.has(n) ? [] : [{ n, at }]));
    const lostChats = visitors.filter(({ visitor }) => !conversations.has(visitor.conversationId));

    console.log(
      `restore: FAULT_SEED=${seed}; backup ${seconds(backupMs)}, restore ${seconds(restoreMs)}, RTO ${seconds(rtoMs)} from the dropped table to an answered chat, ${megabytes} MB more; ` +
        `RPO ${seconds(incidentAt - toMs)}: lost ${lostChats.length} of ${visitors.length} chats, ${lostEvents.length} of ${events.length} events; ` +
        `${repeats.length} deliveries repeated, ${runs.length} runs, ${unknown.length} unknown, ${sentTwice.length} sent twice`,
    );
    console.log(`restore: the drill, into an empty folder: ${/RTO: .*/.exec(drillReport)?.[0]}`);
    expect({ sentTwice, doneTwice, untold }).toEqual({ sentTwice: [], doneTwice: [], untold: [] });
    expect(unknown.length, 'actions were in flight').toBeGreaterThan(0);
    expect(repeats.length, 'deliveries were in flight').toBeGreaterThan(0);
    expect(deliveredSince.filter(({ n, epoch: given }) => given !== (n === emitCount ? null : epoch))).toEqual([]);
    expect(known.filter(({ id }) => !arrived.has(id))).toEqual([]);
    expect([...lostEvents, ...lostChats].filter(({ at }) => at < toMs)).toEqual([]);
    await Promise.all([after.root.destroy(), after.services.db.destroy()]);
  },
);

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

/** The archive has everything up to now. */
async function waitForArchive(root: Db, timeout = 60_000) {
  const [current] = await rowsOf(root, sql<{ file: string }>`select pg_walfile_name(pg_switch_wal()) as file`);
  const lastArchived = async () =>
    (await rowsOf(root, sql<{ file: string | null }>`select last_archived_wal as file from pg_stat_archiver`))[0]
      ?.file ?? '';
  await expect.poll(async () => (await lastArchived()) >= (current?.file ?? ''), { timeout }).toBe(true);
}

/** A table of this size that can't be compressed, like files and embeddings. */
async function fill(root: Db, size: number) {
  await sql`create extension pgcrypto schema public`.execute(root);
  await sql`create table filler (n int, data bytea)`.execute(root);
  await sql`alter table filler alter data set storage external`.execute(root);
  for (let n = 0; n < size; n += 50)
    await sql`insert into filler select g, string_agg(gen_random_bytes(1024), '')
      from generate_series(1, 50) g, generate_series(1, 1024) part group by g`.execute(root);
}
