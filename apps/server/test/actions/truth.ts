import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Db } from '../../src/platform/db.ts';
import { kinds, refusing, type Kind } from './fault-bot.ts';
import { confirmWords, workingWords, type Visitor } from './patient-visitor.ts';
import { isRefused, noWords, words, type TenantSystem } from './stub.ts';

// Two ledgers and what people read: the tenant's own, ours, and each conversation. All three must say the same.

interface Row {
  id: string;
  conversationId: string;
  parentId: string | null;
  name: string;
  state: string;
  outcome: string | null;
  reason: string | null;
  attempts: { kind: string; end: string | null }[];
}

const openRuns = (db: Db) =>
  sql`select spec ->> 'name' as name, state, count(*)::int as n from action_runs
    where state in ('collecting', 'awaiting_confirmation', 'proposed', 'dispatched', 'accepted') group by 1, 2`.execute(
    db,
  );
const openTurns = (db: Db) => sql`select id, status from turns where status in ('queued', 'running')`.execute(db);
const timers = (db: Db) =>
  sql`select kind, subject_id from directory.timers where kind in ('turn', 'action-run')`.execute(db);

/** Waits until nothing is open any more: no run, no turn, no timer. */
export const nothingIsOpen = (db: Db, timeout: number) =>
  expect
    .poll(async () => [...(await openRuns(db)).rows, ...(await openTurns(db)).rows, ...(await timers(db)).rows], {
      timeout,
      interval: 500,
    })
    .toEqual([]);

/** What a visitor must have read, given how the tenant's ledger and ours say it ended. */
function endsOf(kind: Kind, { state, outcome }: Row, orderId: string, receipt: number): string[] {
  const { title, action } = kinds[kind];
  const unknown = `I couldn’t confirm whether this went through: ${title}. Please check before you try again. Our team has been notified.`;
  const done = words(kind === 'workflow' ? 'charge' : action, orderId, receipt);
  const isNews = state === 'reconciled';
  const refusal = isRefused(orderId) && kind !== 'read' ? `\n\n${noWords}` : '';
  if (outcome === 'unknown') return [unknown];
  if (outcome === 'succeeded')
    return isNews ? [unknown, `Update on “${title}”: it went through after all.\n\n${done}`] : [done];
  if (isNews) return [unknown, `Update on “${title}”: it didn’t go through.${refusal}`];
  if (kind === 'read') return [`I couldn’t look that up right now: ${title}. Please try again in a few minutes.`];
  return [`That didn’t work: ${title}. Nothing was changed.${refusal}`];
}

/** As often as it is ever tried: in all, or to ask what became of the last one. */
function isExhausted({ attempts }: Row): boolean {
  const last = attempts.findLastIndex(({ kind }) => kind === 'invoke');
  return attempts.filter(({ kind }) => kind === 'invoke').length >= 5 || attempts.length - 1 - last >= 8;
}

/** What is wrong with one of them, in words; nothing if all is true. */
function problemsOf(visitor: Visitor, rows: readonly Row[], said: readonly string[], tenantSystem: TenantSystem) {
  const { kind, orderId, conversationId } = visitor;
  const problems: string[] = [];
  const [run, ...more] = rows.filter((row) => row.conversationId === conversationId && row.parentId === null);
  if (!run || more.length > 0) return { run, problems: [`${orderId} has ${more.length + (run ? 1 : 0)} runs`] };
  const wrong = (what: string) =>
    problems.push(
      `${kind} ${orderId} ${run.state} ${run.outcome} ${run.reason}: ${what} ${JSON.stringify(run.attempts)}`,
    );
  const done = (action: string) => tenantSystem.effectsOf(action, orderId).length;
  const main = kind === 'workflow' ? 'charge' : kinds[kind].action;
  const isNo = isRefused(orderId) && refusing.has(main);
  const isWrite = kind !== 'read';

  // A read may be made again, and changes nothing. Nothing else is done twice, and what is said to be done is.
  const max = isWrite ? 1 : Number.POSITIVE_INFINITY;
  if (done(main) > max) wrong(`done ${done(main)} times`);
  if (run.outcome === 'succeeded' && done(main) === 0) wrong('said to be done, and is not');
  if (isWrite && run.outcome === 'failed' && done(main) > 0) wrong('said to have failed, and is done');
  // The end of patience is an end too; until then what can be found out is found out.
  if ((kind === 'idempotent' || kind === 'reconcile') && !isExhausted(run)) {
    if (run.outcome !== (isNo ? 'failed' : 'succeeded')) wrong('ended otherwise than the tenant’s system did');
    if (done(main) !== (isNo ? 0 : 1)) wrong(`done ${done(main)} times`);
  }
  if (kind === 'workflow') {
    const [reserved, released] = [done('reserve'), done('release')];
    if (reserved > 1 || released > 1) wrong(`reserved ${reserved} times, released ${released} times`);
    if (run.outcome === 'succeeded' && (reserved !== 1 || released !== 0)) wrong('done by halves');
    if (run.outcome === 'failed' && reserved !== released) wrong(`reserved ${reserved}, released ${released}`);
  }
  if (run.outcome === null) wrong('is open');

  const receipts = tenantSystem.effectsOf(main, orderId).map(({ receipt }) => receipt);
  const isTrue = (receipt: number) => {
    const ends = endsOf(kind, run, orderId, receipt);
    const whole = isWrite ? [[confirmWords, ...ends]] : [ends, [workingWords(kinds.read.title), ...ends]];
    return whole.some((texts) => JSON.stringify(texts) === JSON.stringify(said));
  };
  if (![0, ...receipts].some(isTrue)) wrong(`the visitor read ${JSON.stringify(said)}`);
  const streamed = [...visitor.seen.values()].flatMap(({ data: { message } }) =>
    message?.role === 'bot' ? [message.text] : [],
  );
  if (JSON.stringify(streamed) !== JSON.stringify(said.slice(0, streamed.length)))
    wrong(`the stream brought ${JSON.stringify(streamed)}, the log has ${JSON.stringify(said)}`);
  return { run, problems };
}

/** Compares all that was asked for, and says how it went. */
export async function compareAll(db: Db, tenantSystem: TenantSystem, visitors: readonly Visitor[]) {
  const { rows } = await sql<Row>`
    select id, conversation_id, parent_id, spec ->> 'name' as name, state, outcome, reason, attempts
    from action_runs order by id`.execute(db);
  const messages = await db
    .selectFrom('conversationEvents')
    .select(['conversationId', 'payload'])
    .where('type', 'in', ['message.created', 'reply.completed'])
    .orderBy('seq')
    .execute();
  const saidIn = Map.groupBy(
    messages.map(({ conversationId, payload }) => ({
      conversationId,
      ...(payload as { role: string; text: string }),
    })),
    ({ conversationId }) => conversationId,
  );
  const tally: Record<string, Record<string, number>> = {};
  let exhausted = 0;
  const problems = visitors.flatMap((visitor) => {
    const said = (saidIn.get(visitor.conversationId) ?? [])
      .filter(({ role }) => role === 'bot')
      .map(({ text }) => text);
    const found = problemsOf(visitor, rows, said, tenantSystem);
    const ofKind = (tally[visitor.kind] ??= {});
    const end = `${found.run?.state} ${found.run?.outcome}`;
    ofKind[end] = (ofKind[end] ?? 0) + 1;
    if (visitor.kind === 'idempotent' || visitor.kind === 'reconcile') {
      // One answer may have been lost with whoever was killed; of the second something should have been heard.
      const isAnswered = (tenantSystem.answered.get(found.run?.id ?? '') ?? 0) >= 2;
      exhausted += found.run && isExhausted(found.run) && found.run.outcome !== 'succeeded' && isAnswered ? 1 : 0;
    }
    return found.problems;
  });
  const finished = sql<{ runId: string; n: number }>`
    select payload ->> 'runId' as run_id, count(*)::int as n from conversation_events
    where type = 'action.finished' group by 1 having count(*) > 1`;
  const reconciled = new Set(rows.filter(({ state }) => state === 'reconciled').map(({ id }) => id));
  const twice = (await finished.execute(db)).rows.filter(({ runId, n }) => n > (reconciled.has(runId) ? 2 : 1));
  const found = { problems, twice, signatures: tenantSystem.problems };
  expect(found, JSON.stringify(found)).toEqual({ problems: [], twice: [], signatures: [] });
  return { tally, exhausted };
}
