import { hash } from 'node:crypto';
import { canonical } from '../../../platform/canonical.ts';
import type { Context } from '../../../platform/context.ts';
import { later } from '../../../platform/db.ts';
import { emit } from '../../../platform/events.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { newId } from '../../../platform/ids.ts';
import { wasRestoredSince } from '../../../platform/restores.ts';
import { clearTimer, setTimer } from '../../../platform/timers.ts';
import type { ActionSpec } from '../actions.contract.ts';
import * as events from '../actions.events.ts';
import type { Outcome, RunError, RunState } from './runs.contract.ts';
import { runEnded } from './run-metrics.ts';
import * as store from './runs.store.ts';
import type { Run, RunSpec } from './runs.store.ts';
import { fieldsOf } from '../schema/schemas.ts';

// State changes of runs, each in the caller's transaction.

/** A run's access to its conversation. Implemented by the conversations feature, because this one must not import it. */
export interface Chats {
  /** Locks the run's conversation, and returns who takes part in it. A conversation is always locked before its runs. */
  lock(ctx: Context, runId: string): Promise<Participant | undefined>;
  /** Appends an entry to the conversation's log and returns its sequence number. */
  note(ctx: Context, run: Run, type: string, payload: object): Promise<number>;
  /** Posts the bot's message about the outcome. */
  notifyEnd(ctx: Context, run: Run): Promise<void>;
  /** Posts the bot's message that the action was accepted and will finish later. */
  notifyWaiting(ctx: Context, run: Run): Promise<void>;
}

export interface Participant {
  visitorId: string | null;
  contactId: string | null;
}

export const runTimer = 'action-run';
const confirmMs = 15 * 60_000;
/** Longer than the first call may take. A run that has not started or ended by then was lost, and the sweeper wakes it. */
const overdueMs = ({ spec }: Run) => spec.timeoutMs + 30_000;
const maxShownCharacters = 2_000;

export const hashArgs = (args: unknown): string => hash('sha256', canonical(args), 'hex');

/** Writes are confirmed also as steps: who confirmed the workflow has not seen the arguments of its steps. */
export const needsConfirmation = ({ confirm, risk }: ActionSpec) =>
  confirm === 'always' || (confirm === 'writes' && risk === 'write');

export interface Proposal {
  conversationId: Id<'conversation'> | null;
  turnId: string | null;
  versionId: string | null;
  botId: Id<'bot'>;
  environmentId: Id<'environment'>;
  spec: RunSpec;
  args: Record<string, unknown>;
  /** When the visitor asked for it, if that was in a turn. */
  requestedAt?: Date;
  /** Distinguishes several calls of the same action in one turn. */
  ordinal: number;
  endUser: string | null;
  language: string;
  isAwaited: boolean;
  isTest: boolean;
  parent?: { id: Id<'actionRun'>; step: string; isCompensation: boolean };
  /** The field that the visitor is asked for next. If set, the run stays in `collecting`. */
  slot?: string;
}

/** Creates the run before anything is sent. Idempotent: proposing it again after a crash returns the existing run. */
export async function propose(ctx: Context, chats: Chats, proposal: Proposal): Promise<Run> {
  const { parent, spec, args, ordinal, slot, requestedAt, ...rest } = proposal;
  const { conversationId, turnId } = rest;
  // The turn started before the database was restored, and may have had this effect in the time that was lost.
  const isInDoubt =
    slot === undefined && requestedAt !== undefined && hasEffect(spec) && (await wasRestoredSince(ctx.tx, requestedAt));
  const mustConfirm = needsConfirmation(spec) && conversationId !== null && !parent?.isCompensation && !isInDoubt;
  const origin = parent ? [parent.id, parent.step, parent.isCompensation] : [conversationId, turnId, ordinal];
  const id = newId('actionRun');
  const run = await store.insert(ctx.tx, {
    ...rest,
    id,
    dedupeKey: hash(
      'sha256',
      canonical([...origin, spec.id, ...(parent ? [] : [args]), ...(conversationId ? [] : [id])]),
      'hex',
    ),
    actionId: spec.id,
    spec,
    args,
    argsHash: hashArgs(args),
    parentId: parent?.id ?? null,
    step: parent?.step ?? null,
    isCompensation: parent?.isCompensation ?? false,
    state: slot === undefined ? (mustConfirm ? 'awaiting_confirmation' : 'proposed') : 'collecting',
    slot: slot ?? null,
    isAwaited: rest.isAwaited && !mustConfirm,
    traceparent: ctx.traceparent ?? null,
    ...(mustConfirm && slot === undefined && { confirmBy: new Date(ctx.now.getTime() + confirmMs) }),
  });
  if (run.id !== id) return run;
  if (isInDoubt) return settle(ctx, chats, run, restoredSettlement(run));
  await open(ctx, chats, run);
  return run;
}

/** A workflow may contain steps that change something. */
const hasEffect = ({ risk, steps }: RunSpec) => risk === 'write' || steps !== null;

/** Ends a run from before a restore. It is not sent again: whether it was carried out can only be found in the tenant's system. */
export const restoredSettlement = ({ spec }: Run): Settlement => {
  const outcome = hasEffect(spec) ? 'unknown' : 'failed';
  return { state: outcome, outcome, reason: 'restored' };
};

/** Proposes a collecting run once all its fields are known. */
export async function proposeCollected(
  ctx: Context,
  chats: Chats,
  run: Run,
  args: Record<string, unknown>,
  turnId: string,
): Promise<Run> {
  const isInDoubt = hasEffect(run.spec) && (await wasRestoredSince(ctx.tx, run.createdAt));
  const mustConfirm = needsConfirmation(run.spec) && !isInDoubt;
  const proposed = store.change(ctx.tx, run, {
    args,
    argsHash: hashArgs(args),
    slot: null,
    turnId,
    traceparent: ctx.traceparent ?? run.traceparent,
    state: mustConfirm ? 'awaiting_confirmation' : 'proposed',
    isAwaited: !mustConfirm,
    ...(mustConfirm && { confirmBy: new Date(ctx.now.getTime() + confirmMs) }),
  });
  if (isInDoubt) return settle(ctx, chats, proposed, restoredSettlement(proposed));
  await open(ctx, chats, proposed);
  return proposed;
}

/** Asks for confirmation if needed. The timer wakes the run in case the caller crashes before it does. */
async function open(ctx: Context, chats: Chats, run: Run) {
  if (run.state === 'collecting') return;
  if (run.confirmBy === null || run.state !== 'awaiting_confirmation') {
    later(ctx.tx, setTimer(ctx, runTimer, run.id, new Date(ctx.now.getTime() + overdueMs(run))));
    return;
  }
  later(ctx.tx, setTimer(ctx, runTimer, run.id, run.confirmBy));
  await chats.note(ctx, run, 'confirmation.required', {
    runId: run.id,
    argsHash: run.argsHash,
    title: run.spec.title,
    fields: shownArgs(run.spec, run.args),
    expiresAt: run.confirmBy.toISOString(),
  });
}

/** Every argument, as shown to the visitor for confirmation. */
export const shownArgs = ({ inputSchema }: Pick<ActionSpec, 'inputSchema'>, args: Record<string, unknown>) =>
  fieldsOf(inputSchema)
    .filter(({ name }) => Object.hasOwn(args, name))
    .map(({ name, label }) => ({ label: label.slice(0, 100), value: shownValue(args[name]) }));
const shownValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Whether an argument is too long for a confirmation card. */
export const isTooLongToConfirm = (spec: ActionSpec, args: Record<string, unknown>) =>
  needsConfirmation(spec) && shownArgs(spec, args).some(({ value }) => value.length > maxShownCharacters);

/** Records the visitor's decision, once. The request is sent when the `action.answered` event wakes the run. */
export async function answerRun(
  ctx: Context,
  chats: Chats,
  runId: string,
  isConfirmed: boolean,
): Promise<Run | undefined> {
  const run = await store.lock(ctx.tx, runId);
  if (run?.state !== 'awaiting_confirmation') return run;
  if (!isConfirmed) {
    const declined = await settle(ctx, chats, run, { state: 'declined', outcome: 'failed', reason: 'declined' });
    await emit(
      ctx,
      events.actionAnswered,
      run.id,
      { object: store.toActionRun(declined), isConfirmed },
      eventRefsOf(run),
    );
    return declined;
  }
  const confirmed = store.change(ctx.tx, run, {
    state: 'proposed',
    confirmedAt: ctx.now,
    confirmBy: null,
    traceparent: ctx.traceparent ?? run.traceparent,
  });
  later(ctx.tx, setTimer(ctx, runTimer, run.id, new Date(ctx.now.getTime() + overdueMs(run))));
  await emit(
    ctx,
    events.actionAnswered,
    run.id,
    { object: store.toActionRun(confirmed), isConfirmed },
    eventRefsOf(run),
  );
  return confirmed;
}

export interface Settlement {
  state: Extract<RunState, 'succeeded' | 'failed' | 'unknown' | 'declined' | 'expired' | 'cancelled'>;
  outcome: Outcome;
  reason?: string | null;
  output?: unknown;
  display?: string | null | undefined;
  error?: RunError | null;
  attempts?: Run['attempts'];
  /** Who determined the outcome, if not the run itself. */
  by?: string;
  note?: string;
}

/** Ends a run, or sets the outcome of an unknown one. Adds a log entry, publishes an event and notifies the visitor. */
export async function settle(ctx: Context, chats: Chats, run: Run, { state, by, ...ending }: Settlement): Promise<Run> {
  const wasUnknown = run.state === 'unknown';
  const { reason = null, output, display, error = null, attempts, outcome, note } = ending;
  const ended = store.change(ctx.tx, run, {
    state: wasUnknown && state !== 'unknown' ? 'reconciled' : state,
    outcome,
    reason,
    error,
    finishedAt: ctx.now,
    ...(output !== undefined && { output }),
    ...(display !== undefined && { display }),
    ...(attempts && { attempts }),
    ...(by !== undefined && { resolvedBy: by }),
    ...(note !== undefined && { note }),
  });
  ctx.afterCommit(() => runEnded(ended, new Date()));
  later(ctx.tx, clearTimer(ctx, runTimer, run.id));
  if (state === 'unknown') later(ctx.tx, store.noteUnknown(ctx.tx, run.id));
  else if (wasUnknown) later(ctx.tx, store.deleteUnknownRun(ctx.tx, run.id));

  const refs = await appendToLog(ctx, chats, ended, 'action.finished', { state: ended.state, outcome });
  const event = { succeeded: events.actionSucceeded, failed: events.actionFailed, unknown: events.actionUnknown }[
    outcome
  ];
  await emit(withoutRelayWake(ctx, ended), event, run.id, { object: store.toActionRun(ended) }, refs);
  if (wasUnknown || by !== undefined)
    await emit(ctx, events.actionReconciled, run.id, { object: store.toActionRun(ended) }, eventRefsOf(run));
  if (ended.conversationId !== null && ended.parentId === null && !ended.isAwaited) await chats.notifyEnd(ctx, ended);
  return ended;
}

/** The turn that awaits this run publishes its own event shortly after, and that wakes the relay for both. */
export const withoutRelayWake = (ctx: Context, { isAwaited }: Run): Context =>
  isAwaited ? { ...ctx, wakeRelay: () => {} } : ctx;

export const eventRefsOf = ({ environmentId, botId, conversationId }: Run) => ({
  environmentId,
  botId,
  conversationId,
});

/** Appends to the conversation's log, if there is one. Returns the references for the event. */
export async function appendToLog(ctx: Context, chats: Chats, run: Run, type: string, more: object = {}) {
  if (run.conversationId === null) return eventRefsOf(run);
  const { id: runId, actionId, spec, step, parentId } = run;
  const payload = { runId, actionId, name: spec.name, title: spec.title, step, parentId, ...more };
  return { ...eventRefsOf(run), sequence: await chats.note(ctx, run, type, payload) };
}

/** Cancels the unsent runs of an ended conversation. Runs that were already sent continue to their end. */
export async function cancelUnsent(ctx: Context, chats: Chats, conversationId: string, reason: string): Promise<void> {
  for (const run of await store.openRunsOf(ctx.tx, conversationId)) {
    if (run.state === 'collecting') store.change(ctx.tx, run, { state: 'cancelled', outcome: 'failed', reason });
    else if (run.state === 'awaiting_confirmation' || (run.state === 'proposed' && run.attempts.length === 0))
      await settle(ctx, chats, run, { state: 'cancelled', outcome: 'failed', reason });
  }
}
