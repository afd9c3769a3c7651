import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { rounds, seed } from '../faults/random.ts';
import type { Kind } from './fault-bot.ts';
import { aFaultStack, type Part } from './fault-stack.ts';
import type { Invocation } from './fixture.ts';
import { aPatientVisitor, type Visitor } from './patient-visitor.ts';
import { compareAll, nothingIsOpen } from './truth.ts';

// A run of each mode, and a workflow at each of its steps and at what undoes one, are all brought to the same place, and
// there a part of the system dies. The places are all there are between two things that are kept.

const timeoutMs = 5_000;
const { apiUrl, bot, root, door, tenantSystem, children, restate, killing, starting } = await aFaultStack(
  'boundaries',
  timeoutMs,
);

/** The call that each of them is to be caught at, and how often its visitor agrees to something before. */
const targets = [
  { kind: 'idempotent', at: 'cancel_order', before: 0 },
  { kind: 'reconcile', at: 'book_courier', before: 0 },
  { kind: 'at_most_once', at: 'send_voucher', before: 0 },
  { kind: 'workflow', at: 'reserve', before: 1 },
  { kind: 'workflow', at: 'charge', before: 2 },
  { kind: 'workflow', at: 'release', before: 2 },
] satisfies Target[];

interface Target {
  kind: Kind;
  at: string;
  before: number;
}
type Caught = Visitor & Target;
const visitors: Visitor[] = [];
let broughtUp = 0; // also those that did not all come

/** One more of each, every one of them a word before its call. */
async function bringUp(): Promise<Caught[]> {
  const round = broughtUp++;
  const caught = await Promise.all(
    targets.map(async (target, place) => {
      // Orders whose number ends with 0 are refused at the charge: then what was reserved is released.
      const n = 20 * round + (target.at === 'release' ? 0 : 1 + place);
      const visitor = await aPatientVisitor(apiUrl, bot, { kind: target.kind, n });
      for (let agreed = 0; agreed < target.before; agreed++) await visitor.confirm();
      await visitor.sees('the card', 'confirmation.required', target.before + 1);
      return { ...visitor, ...target };
    }),
  );
  visitors.push(...caught);
  return caught;
}

/** Where all wait for each other, each at its own call, and go on together. */
function aMeeting(caught: readonly Pick<Caught, 'orderId' | 'at'>[]) {
  const there = new Set<string>();
  const [everybody, mayGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const come = async ({ action, input }: Invocation) => {
    const orderId = String(input['orderId']);
    if (there.has(orderId) || !caught.some((one) => one.orderId === orderId && one.at === action)) return;
    there.add(orderId);
    if (there.size === caught.length) everybody.resolve();
    await mayGo.promise;
  };
  return { come, everybody: everybody.promise, go: () => mayGo.resolve() };
}

const sayYes = (caught: readonly Caught[]) => Promise.all(caught.map((one) => one.confirm()));

/** The row of the call that each is caught at. */
async function rowsOf(caught: readonly Caught[]) {
  const { rows } = await sql<{ conversationId: string; name: string; isOpenCall: boolean; isEnded: boolean }>`
    select conversation_id, spec ->> 'name' as name, outcome is not null as is_ended,
      jsonb_array_length(attempts) = 1 and attempts -> 0 ->> 'end' is null as is_open_call
    from action_runs where conversation_id = any(${caught.map((one) => one.conversationId)})`.execute(root);
  return caught.map((one) => rows.find((row) => row.conversationId === one.conversationId && row.name === one.at));
}
const until = (what: string, isSo: () => Promise<boolean>) =>
  expect.poll(isSo, { timeout: 20_000, interval: 20, message: what }).toBe(true);
const allOf = (caught: readonly Caught[], what: 'isOpenCall' | 'isEnded') => async () =>
  (await rowsOf(caught)).every((row) => row?.[what]);
const callsOf = (caught: readonly Caught[]) =>
  caught.flatMap((one) => tenantSystem.effectsOf(one.at, one.orderId)).length;

async function die(part: Part) {
  await killing[part]();
  await sleep(100);
}

/** Each brings them to its place and has the part die there. It is started again afterwards. */
const places: Record<string, (caught: Caught[], part: Part) => Promise<void>> = {
  async 'agreed, and nobody has heard of it'(caught, part) {
    children.worker.signal('SIGSTOP'); // whoever is told sleeps
    await sayYes(caught);
    await Promise.all([die(part), part === 'worker' ? killing.api() : undefined]);
    children.worker.signal('SIGCONT');
    if (part === 'worker') await starting.api();
    expect(callsOf(caught)).toBe(0);
  },
  async 'written down, and not yet sent'(caught, part) {
    const undone = caught.filter(({ at }) => at === 'release'); // comes by itself, after the charge
    const held = aMeeting(undone.map((one) => ({ ...one, at: 'charge' })));
    tenantSystem.afterEffect = held.come;
    await sayYes(undone);
    await held.everybody;
    door.shut();
    held.go();
    await sayYes(caught.filter((one) => !undone.includes(one)));
    await until('every call is written down', allOf(caught, 'isOpenCall'));
    await die(part);
    expect(callsOf(caught)).toBe(0);
    door.open();
  },
  async 'sent, and not yet done'(caught, part) {
    const meeting = aMeeting(caught);
    tenantSystem.beforeEffect = meeting.come;
    await sayYes(caught);
    await meeting.everybody;
    await die(part);
    expect(callsOf(caught)).toBe(0);
    meeting.go();
  },
  async 'done, and not yet answered'(caught, part) {
    const meeting = aMeeting(caught);
    tenantSystem.afterEffect = meeting.come;
    await sayYes(caught);
    await meeting.everybody;
    await die(part);
    expect(callsOf(caught)).toBe(caught.length);
    meeting.go();
  },
  async 'answered, and not yet written down'(caught, part) {
    const meeting = aMeeting(caught);
    tenantSystem.afterEffect = meeting.come;
    await sayYes(caught);
    await meeting.everybody;
    await root
      .transaction()
      .execute(async (tx) => {
        const ids = caught.map((one) => one.conversationId);
        await sql`select from conversations where id = any(${ids}) for update`.execute(tx);
        const mine = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
        meeting.go();
        const kept = sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
          where ${mine.rows[0]?.pid ?? 0}::int = any(pg_blocking_pids(pid))`;
        await until(
          'all are kept from writing',
          async () => ((await kept.execute(tx)).rows[0]?.n ?? 0) >= caught.length,
        );
        await die(part);
      })
      .catch((error: unknown) => {
        if (part !== 'postgres') throw error;
      });
  },
  async 'written down, and the engine has not heard'(caught, part) {
    const meeting = aMeeting(caught);
    tenantSystem.afterEffect = meeting.come;
    await sayYes(caught);
    await meeting.everybody;
    process.kill(restate.pid() ?? 0, 'SIGSTOP');
    meeting.go();
    await until('every end is written down', allOf(caught, 'isEnded'));
    await Promise.all([die('worker'), killing.restate()]); // what lies unread in between goes with them
    if (part !== 'restate') await starting.restate();
    if (part !== 'worker') await starting.worker();
    if (part === 'postgres' || part === 'api') await die(part);
  },
};

/** What can be said of the one that is never sent twice, where the worker dies. */
const isKnown = (place: string) => /^agreed|has not heard$/.test(place);

const parts: readonly Part[] = rounds >= 100 ? ['worker', 'restate', 'postgres', 'api'] : ['worker'];
/** A run of every day takes half of them, another half each time. */
const chosen = Object.keys(places).filter((_, n) => rounds >= 100 || n % 2 === seed % 2);
const deaths = parts.flatMap((part) => chosen.map((place) => ({ part, place })));

test(
  `${parts.join(', ')} killed at each of ${chosen.length} places of a call: one effect each, never two, all undone that is to be, and a true end for every visitor`,
  { timeout: 120_000 + deaths.length * 30_000 },
  async () => {
    const ends: Promise<string>[] = [];
    for (const { part, place } of deaths) {
      const caught = await bringUp();
      await places[place]?.(caught, part);
      await starting[part]();
      [tenantSystem.beforeEffect, tenantSystem.afterEffect] = [undefined, undefined];
      const told = caught.map((one) => one.end());
      ends.push(...told);
      // The others may take longer, and the next death may find them under way.
      const end = await told[2];
      if (part === 'worker') expect(end, place).toMatch(isKnown(place) ? /is done, receipt/ : /^I couldn’t confirm/);
    }
    await Promise.all(ends);
    await nothingIsOpen(root, 90_000);
    const { tally, exhausted } = await compareAll(root, tenantSystem, visitors);
    console.log(
      `actions: FAULT_SEED=${seed} ${deaths.length} deaths at ${chosen.length} places, ${visitors.length} runs; the tenant’s system was called ${JSON.stringify(tenantSystem.counts)}; ended ${JSON.stringify(tally)}`,
    );
    expect(exhausted).toBe(0);
  },
);

test(
  'a call that is cut, and begun behind that within its deadline, is done once: nothing is sent again before what became of it is final',
  { timeout: 120_000 },
  async () => {
    const cut = new Set<string>();
    tenantSystem.mannerOf = ({ id, type }) =>
      type === 'action.invoke' && cut.size < cut.add(id).size ? 'resets, then begins' : 'well';
    const kindsOfWrites = ['idempotent', 'reconcile', 'at_most_once', 'workflow'] as const;
    const asking = kindsOfWrites.map((kind, place) => aPatientVisitor(apiUrl, bot, { kind, n: 5_001 + place }));
    const here = await Promise.all(asking);
    await Promise.all(here.map((visitor) => visitor.end()));
    await sleep(timeoutMs); // whatever was cut has had its time to begin
    tenantSystem.mannerOf = () => 'well';
    await nothingIsOpen(root, 60_000);
    const { tally } = await compareAll(root, tenantSystem, here);
    expect(cut.size).toBe(5); // the workflow's two steps are two calls
    expect(tally).toMatchObject({ reconcile: { 'succeeded succeeded': 1 }, workflow: { 'succeeded succeeded': 1 } });
    expect(here.flatMap(({ orderId }) => tenantSystem.effectsOf('send_voucher', orderId))).toHaveLength(1);
  },
);
