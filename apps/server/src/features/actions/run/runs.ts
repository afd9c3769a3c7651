import { hash } from 'node:crypto';
import { canonical } from '../../../platform/canonical.ts';
import type { Context } from '../../../platform/context.ts';
import { emit } from '../../../platform/events.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { newId } from '../../../platform/ids.ts';
import { clearTimer, setTimer } from '../../../platform/timers.ts';
import type { ActionSpec } from '../actions.contract.ts';
import * as events from '../actions.events.ts';
import type { Outcome, RunError, RunState } from './runs.contract.ts';
import * as store from './runs.store.ts';
import type { Run, RunSpec } from './runs.store.ts';
import { fieldsOf } from '../schema/schemas.ts';

// Every change of a run, each in the transaction of whoever decides it. A conversation is always locked before its runs.

/** What a run does in its conversation. Conversations bring it: they know actions, and not the other way round. */
export interface Chats {
  /** Into the log, for whoever watches; says at which place. */
  note(ctx: Context, run: Run, type: string, payload: object): Promise<number>;
  /** The bot says how it ended. */
  notifyEnd(ctx: Context, run: Run): Promise<void>;
  /** Accepted, and finished later: the bot says so, unless a turn does. */
  notifyWaiting(ctx: Context, run: Run): Promise<void>;
}

export const runTimer = 'action-run';
const confirmMs = 15 * 60_000;
/** Longer than the first call may take: if it is not begun or not ended by then, somebody has lost it. */
const overdueMs = ({ spec }: Run) => spec.timeoutMs + 30_000;
const maxShown = 2_000;

export const hashArgs = (args: unknown): string => hash('sha256', canonical(args), 'hex');

/** What writes is always confirmed, also as a step: whoever agreed to a workflow has not seen what its steps will send. */
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
  /** Which of several alike in one turn. */
  ordinal: number;
  endUser: string | null;
  language: string;
  isAwaited: boolean;
  isTest: boolean;
  parent?: { id: Id<'actionRun'>; step: string; isCompensation: boolean };
  /** The field that the visitor is asked for next; then nothing is to be done yet. */
  slot?: string;
}

/** The row comes before everything else. Proposed again after a crash, it is found and not made anew. */
export async function propose(ctx: Context, chats: Chats, proposal: Proposal): Promise<Run> {
  const { parent, spec, args, ordinal, slot, ...about } = proposal;
  const { conversationId, turnId } = about;
  const isAsked = needsConfirmation(spec) && conversationId !== null && !parent?.isCompensation;
  const place = parent ? [parent.id, parent.step, parent.isCompensation] : [conversationId, turnId, ordinal];
  const id = newId('actionRun');
  const made = await store.insert(ctx.tx, {
    ...about,
    id,
    dedupeKey: hash(
      'sha256',
      canonical([...place, spec.id, ...(parent ? [] : [args]), ...(conversationId ? [] : [id])]),
      'hex',
    ),
    actionId: spec.id,
    spec,
    args,
    argsHash: hashArgs(args),
    parentId: parent?.id ?? null,
    step: parent?.step ?? null,
    isCompensation: parent?.isCompensation ?? false,
    state: slot === undefined ? (isAsked ? 'awaiting_confirmation' : 'proposed') : 'collecting',
    slot: slot ?? null,
    isAwaited: about.isAwaited && !isAsked,
    ...(isAsked && slot === undefined && { confirmBy: new Date(ctx.now.getTime() + confirmMs) }),
  });
  if (made.id === id) await open(ctx, chats, made);
  return made;
}

/** All fields are known now: what was being collected is proposed, by this turn. */
export async function proposeCollected(
  ctx: Context,
  chats: Chats,
  run: Run,
  args: Record<string, unknown>,
  turnId: string,
): Promise<Run> {
  const isAsked = needsConfirmation(run.spec);
  const proposed = await store.update(ctx.tx, run.id, {
    args,
    argsHash: hashArgs(args),
    slot: null,
    turnId,
    state: isAsked ? 'awaiting_confirmation' : 'proposed',
    isAwaited: !isAsked,
    ...(isAsked && { confirmBy: new Date(ctx.now.getTime() + confirmMs) }),
  });
  await open(ctx, chats, proposed);
  return proposed;
}

/** Whoever proposes it wakes it. If that is lost, the timer does. */
async function open(ctx: Context, chats: Chats, run: Run) {
  if (run.state === 'collecting') return;
  if (run.confirmBy === null || run.state !== 'awaiting_confirmation') {
    await setTimer(ctx, runTimer, run.id, new Date(ctx.now.getTime() + overdueMs(run)));
    return;
  }
  await setTimer(ctx, runTimer, run.id, run.confirmBy);
  await chats.note(ctx, run, 'confirmation.required', {
    runId: run.id,
    argsHash: run.argsHash,
    title: run.spec.title,
    fields: shownArgs(run.spec, run.args),
    expiresAt: run.confirmBy.toISOString(),
  });
}

/** Every argument, as the visitor reads it before agreeing. */
export const shownArgs = ({ inputSchema }: Pick<ActionSpec, 'inputSchema'>, args: Record<string, unknown>) =>
  fieldsOf(inputSchema)
    .filter(({ name }) => Object.hasOwn(args, name))
    .map(({ name, label }) => ({ label: label.slice(0, 100), value: shownValue(args[name]) }));
const shownValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Nobody can agree to what does not fit on a card. */
export const isTooLongToConfirm = (spec: ActionSpec, args: Record<string, unknown>) =>
  needsConfirmation(spec) && shownArgs(spec, args).some(({ value }) => value.length > maxShown);

/** The visitor's word, once. It is written with what it was about; sending is up to whoever wakes it. */
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
    await emit(ctx, events.actionAnswered, run.id, { object: store.show(declined), isConfirmed }, aboutOf(run));
    return declined;
  }
  const confirmed = await store.update(ctx.tx, run.id, { state: 'proposed', confirmedAt: ctx.now, confirmBy: null });
  await setTimer(ctx, runTimer, run.id, new Date(ctx.now.getTime() + overdueMs(run)));
  await emit(ctx, events.actionAnswered, run.id, { object: store.show(confirmed), isConfirmed }, aboutOf(run));
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
  /** Who found out, if it was not the run itself. */
  by?: string;
  note?: string;
}

/** The end, or what was found out after nobody knew. Told in the log, in an event, and to the visitor. */
export async function settle(ctx: Context, chats: Chats, run: Run, { state, by, ...ending }: Settlement): Promise<Run> {
  const wasUnknown = run.state === 'unknown';
  const { reason = null, output, display, error = null, attempts, outcome, note } = ending;
  const ended = await store.update(ctx.tx, run.id, {
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
  await clearTimer(ctx, runTimer, run.id);
  if (state === 'unknown') await store.noteUnknown(ctx.tx, run.id);
  else if (wasUnknown) await store.deleteUnknownRun(ctx.tx, run.id);

  const about = await inLog(ctx, chats, ended, 'action.finished', { state: ended.state, outcome });
  const event = { succeeded: events.actionSucceeded, failed: events.actionFailed, unknown: events.actionUnknown }[
    outcome
  ];
  await emit(quietly(ctx, ended), event, run.id, { object: store.show(ended) }, about);
  if (wasUnknown || by !== undefined)
    await emit(ctx, events.actionReconciled, run.id, { object: store.show(ended) }, aboutOf(run));
  if (ended.conversationId !== null && ended.parentId === null && !ended.isAwaited) await chats.notifyEnd(ctx, ended);
  return ended;
}

/** A turn waits for it and has news of its own in a moment, which wakes the relay for both. */
export const quietly = (ctx: Context, { isAwaited }: Run): Context =>
  isAwaited ? { ...ctx, wakeRelay: () => {} } : ctx;

export const aboutOf = ({ environmentId, botId, conversationId }: Run) => ({ environmentId, botId, conversationId });

/** With its place, where it has a conversation. */
export async function inLog(ctx: Context, chats: Chats, run: Run, type: string, more: object = {}) {
  if (run.conversationId === null) return aboutOf(run);
  const { id: runId, actionId, spec, step, parentId } = run;
  const payload = { runId, actionId, name: spec.name, title: spec.title, step, parentId, ...more };
  return { ...aboutOf(run), sequence: await chats.note(ctx, run, type, payload) };
}

/** The conversation is over: what was not sent is not sent any more. What was, goes on to its end. */
export async function cancelUnsent(ctx: Context, chats: Chats, conversationId: string, reason: string): Promise<void> {
  for (const run of await store.openOf(ctx.tx, conversationId)) {
    if (run.state === 'collecting')
      await store.update(ctx.tx, run.id, { state: 'cancelled', outcome: 'failed', reason });
    else if (run.state === 'awaiting_confirmation' || (run.state === 'proposed' && run.attempts.length === 0))
      await settle(ctx, chats, run, { state: 'cancelled', outcome: 'failed', reason });
  }
}
