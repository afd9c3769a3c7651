import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Db } from '../../src/platform/db.ts';
import { kinds, rejectingActions, type Kind } from './fault-bot.ts';
import { confirmText, workingText, type Visitor } from './patient-visitor.ts';
import { isRejectedOrder, rejectionText, successText, type TenantSystem } from './stub.ts';

// Compares the backend's records, our runs and what each visitor read. All three must agree.

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

/** Waits until there is no open run, turn or timer. */
export const waitUntilIdle = (db: Db, timeout: number) =>
  expect
    .poll(async () => [...(await openRuns(db)).rows, ...(await openTurns(db)).rows, ...(await timers(db)).rows], {
      timeout,
      interval: 500,
    })
    .toEqual([]);

/** The messages that a visitor must have received, given the outcome. */
function expectedMessages(kind: Kind, { state, outcome }: Row, orderId: string, receipt: number): string[] {
  const { title, action } = kinds[kind];
  const unknown = `I couldn’t confirm whether this went through: ${title}. Please check before you try again. Our team has been notified.`;
  const done = successText(kind === 'workflow' ? 'charge' : action, orderId, receipt);
  const isReconciled = state === 'reconciled';
  const refusal = isRejectedOrder(orderId) && kind !== 'read' ? `\n\n${rejectionText}` : '';
  if (outcome === 'unknown') return [unknown];
  if (outcome === 'succeeded')
    return isReconciled ? [unknown, `Update on “${title}”: it went through after all.\n\n${done}`] : [done];
  if (isReconciled) return [unknown, `Update on “${title}”: it didn’t go through.${refusal}`];
  if (kind === 'read') return [`I couldn’t look that up right now: ${title}. Please try again in a few minutes.`];
  return [`That didn’t work: ${title}. Nothing was changed.${refusal}`];
}

/** Whether all attempts were used up, either to send the call or to request its status. */
function isExhausted({ attempts }: Row): boolean {
  const last = attempts.findLastIndex(({ kind }) => kind === 'invoke');
  return attempts.filter(({ kind }) => kind === 'invoke').length >= 5 || attempts.length - 1 - last >= 8;
}

/** All inconsistencies of one visitor's run. */
function problemsOf(visitor: Visitor, rows: readonly Row[], messages: readonly string[], tenantSystem: TenantSystem) {
  const { kind, orderId, conversationId } = visitor;
  const problems: string[] = [];
  const [run, ...more] = rows.filter((row) => row.conversationId === conversationId && row.parentId === null);
  if (!run || more.length > 0) return { run, problems: [`${orderId} has ${more.length + (run ? 1 : 0)} runs`] };
  const report = (what: string) =>
    problems.push(
      `${kind} ${orderId} ${run.state} ${run.outcome} ${run.reason}: ${what} ${JSON.stringify(run.attempts)}`,
    );
  const done = (action: string) => tenantSystem.effectsOf(action, orderId).length;
  const main = kind === 'workflow' ? 'charge' : kinds[kind].action;
  const isRejected = isRejectedOrder(orderId) && rejectingActions.has(main);
  const isWrite = kind !== 'read';

  // Reads may be repeated. Everything else must happen at most once, and match the reported outcome.
  const max = isWrite ? 1 : Number.POSITIVE_INFINITY;
  if (done(main) > max) report(`done ${done(main)} times`);
  if (run.outcome === 'succeeded' && done(main) === 0) report('reported as done, but is not');
  if (isWrite && run.outcome === 'failed' && done(main) > 0) report('reported as failed, but is done');
  // Unless all retries were used up, the outcome must match the backend's.
  if ((kind === 'idempotent' || kind === 'reconcile') && !isExhausted(run)) {
    if (run.outcome !== (isRejected ? 'failed' : 'succeeded')) report('outcome differs from the backend’s');
    if (done(main) !== (isRejected ? 0 : 1)) report(`done ${done(main)} times`);
  }
  if (kind === 'workflow') {
    const [reserved, released] = [done('reserve'), done('release')];
    if (reserved > 1 || released > 1) report(`reserved ${reserved} times, released ${released} times`);
    if (run.outcome === 'succeeded' && (reserved !== 1 || released !== 0)) report('only partly done');
    if (run.outcome === 'failed' && reserved !== released) report(`reserved ${reserved}, released ${released}`);
  }
  if (run.outcome === null) report('is open');

  const receipts = tenantSystem.effectsOf(main, orderId).map(({ receipt }) => receipt);
  const matches = (receipt: number) => {
    const ends = expectedMessages(kind, run, orderId, receipt);
    const expected = isWrite ? [[confirmText, ...ends]] : [ends, [workingText(kinds.read.title), ...ends]];
    return expected.some((texts) => JSON.stringify(texts) === JSON.stringify(messages));
  };
  if (![0, ...receipts].some(matches)) report(`the visitor read ${JSON.stringify(messages)}`);
  const streamed = [...visitor.entries.values()].flatMap(({ data: { message } }) =>
    message?.role === 'bot' ? [message.text] : [],
  );
  if (JSON.stringify(streamed) !== JSON.stringify(messages.slice(0, streamed.length)))
    report(`the stream brought ${JSON.stringify(streamed)}, the log has ${JSON.stringify(messages)}`);
  return { run, problems };
}

/** Compares all runs, and returns counts of the outcomes. */
export async function compareAll(db: Db, tenantSystem: TenantSystem, visitors: readonly Visitor[]) {
  const { rows } = await sql<Row>`
    select id, conversation_id, parent_id, spec ->> 'name' as name, state, outcome, reason, attempts
    from action_runs order by id`.execute(db);
  const messageRows = await db
    .selectFrom('conversationEvents')
    .select(['conversationId', 'payload'])
    .where('type', 'in', ['message.created', 'reply.completed'])
    .orderBy('seq')
    .execute();
  const messagesByConversation = Map.groupBy(
    messageRows.map(({ conversationId, payload }) => ({
      conversationId,
      ...(payload as { role: string; text: string }),
    })),
    ({ conversationId }) => conversationId,
  );
  const tally: Record<string, Record<string, number>> = {};
  let exhausted = 0;
  const problems = visitors.flatMap((visitor) => {
    const messages = (messagesByConversation.get(visitor.conversationId) ?? [])
      .filter(({ role }) => role === 'bot')
      .map(({ text }) => text);
    const result = problemsOf(visitor, rows, messages, tenantSystem);
    const outcomes = (tally[visitor.kind] ??= {});
    const end = `${result.run?.state} ${result.run?.outcome}`;
    outcomes[end] = (outcomes[end] ?? 0) + 1;
    if (visitor.kind === 'idempotent' || visitor.kind === 'reconcile') {
      // One response may be lost with a killed process, but a second one should arrive.
      const hasTimelyResponse = (tenantSystem.timelyResponses.get(result.run?.id ?? '') ?? 0) >= 2;
      exhausted +=
        result.run && isExhausted(result.run) && result.run.outcome !== 'succeeded' && hasTimelyResponse ? 1 : 0;
    }
    return result.problems;
  });
  const finished = sql<{ runId: string; n: number }>`
    select payload ->> 'runId' as run_id, count(*)::int as n from conversation_events
    where type = 'action.finished' group by 1 having count(*) > 1`;
  const reconciled = new Set(rows.filter(({ state }) => state === 'reconciled').map(({ id }) => id));
  const duplicates = (await finished.execute(db)).rows.filter(({ runId, n }) => n > (reconciled.has(runId) ? 2 : 1));
  const result = { problems, duplicates, signatures: tenantSystem.problems };
  expect(result, JSON.stringify(result)).toEqual({ problems: [], duplicates: [], signatures: [] });
  return { tally, exhausted };
}
