import type { Context } from '../../../platform/context.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import type { ActionSpec, Step } from '../actions.contract.ts';
import { inLog, isTooLongToConfirm, propose, settle, type Chats } from './runs.ts';
import { fill, holds, type Known } from '../schema/pointers.ts';
import * as store from './runs.store.ts';
import type { Run, RunSpec } from './runs.store.ts';
import { problemOfValue } from '../schema/schemas.ts';

type Planned = { kind: 'ended' } | { kind: 'step'; runId: Id<'actionRun'> };

/**
 * What a workflow does next, by the rows of its steps alone: the one that is open, the next whose condition holds, or,
 * after a failure, what undoes the last that succeeded. While nobody knows how a step ended, nothing is undone or added.
 */
export async function planSteps(ctx: Context, chats: Chats, run: Run, steps: readonly Step[]): Promise<Planned> {
  const made = await store.stepsOf(ctx.tx, run.id);
  const open = made.find(store.isOpen);
  if (open) return { kind: 'step', runId: open.id };
  if (run.state === 'proposed')
    await inLog(ctx, chats, await store.update(ctx.tx, run.id, { state: 'dispatched' }), 'action.started');

  const forward = made.filter(({ isCompensation }) => !isCompensation);
  const bad = forward.find(({ outcome }) => outcome !== 'succeeded');
  if (bad?.outcome === 'unknown') return stayUnknown(ctx, chats, run, 'step_unknown');
  if (bad)
    return undo(ctx, chats, { run, steps, forward, undone: made.filter(({ isCompensation }) => isCompensation), bad });

  const known = knownOf(run, forward);
  for (const step of steps) {
    if (forward.some((one) => one.step === step.name) || !holds(step.when, known)) continue;
    return begin(ctx, chats, run, { ...step, isCompensation: false }, known);
  }
  const last = forward.at(-1);
  const output = run.spec.output ? fill(run.spec.output, known) : (last?.output ?? {});
  await settle(ctx, chats, run, { state: 'succeeded', outcome: 'succeeded', output, display: last?.display });
  return { kind: 'ended' };
}

const knownOf = (run: Run, forward: readonly Run[]): Known => ({
  input: run.args,
  steps: Object.fromEntries(forward.map(({ step, output }) => [step ?? '', output])),
});

async function stayUnknown(ctx: Context, chats: Chats, run: Run, reason: string): Promise<Planned> {
  if (run.state !== 'unknown') await settle(ctx, chats, run, { state: 'unknown', outcome: 'unknown', reason });
  return { kind: 'ended' };
}

interface Undoing {
  run: Run;
  steps: readonly Step[];
  forward: readonly Run[];
  undone: readonly Run[];
  bad: Run;
}

async function undo(ctx: Context, chats: Chats, { run, steps, forward, undone, bad }: Undoing): Promise<Planned> {
  if (undone.some(({ outcome }) => outcome !== 'succeeded')) return stayUnknown(ctx, chats, run, 'not_undone');
  const known = knownOf(run, forward);
  for (const done of forward.filter(({ outcome }) => outcome === 'succeeded').toReversed()) {
    const { compensation } = steps.find(({ name }) => name === done.step) ?? {};
    if (!compensation || undone.some(({ step }) => step === done.step)) continue;
    return begin(ctx, chats, run, { ...compensation, name: done.step ?? '', isCompensation: true }, known);
  }
  const { state, reason, error, display } = bad;
  const ending = state === 'declined' || state === 'expired' || state === 'cancelled' ? state : 'failed';
  await settle(ctx, chats, run, { state: ending, outcome: 'failed', reason, error, display });
  return { kind: 'ended' };
}

async function begin(
  ctx: Context,
  chats: Chats,
  run: Run,
  { name, actionId, input, isCompensation }: Pick<Step, 'name' | 'actionId' | 'input'> & { isCompensation: boolean },
  known: Known,
): Promise<Planned> {
  const spec = run.spec.parts?.find(({ id }) => id === actionId);
  if (!spec) throw new Error(`${run.id} has no action ${actionId}`);
  const args = fill(input, known);
  const { conversationId, turnId, versionId, botId, environmentId, endUser, language, isTest } = run;
  const about = { conversationId, turnId, versionId, botId, environmentId, endUser, language, isTest };
  const parent = { id: run.id, step: name, isCompensation };
  const problem =
    problemOfValue(spec.inputSchema, args) ??
    (isTooLongToConfirm(spec, args) ? 'The value is too long to show in a confirmation' : null);
  // Nobody is asked about what cannot be done: it is written down, and opens no card.
  const unopened = problem === null ? {} : { slot: '' };
  const child = await propose(ctx, chats, { ...about, spec, args, ordinal: 0, isAwaited: false, parent, ...unopened });
  if (problem === null) return { kind: 'step', runId: child.id };
  const error = { code: 'invalid_input', message: problem };
  await settle(ctx, chats, child, { state: 'failed', outcome: 'failed', reason: 'invalid_input', error });
  return { kind: 'step', runId: child.id };
}

/** With the actions that its steps call: a run needs nothing else to go on, whatever becomes of the bot. */
export function withParts(spec: ActionSpec, all: readonly ActionSpec[]): RunSpec {
  if (!spec.steps) return spec;
  const used = new Set(spec.steps.flatMap(({ actionId, compensation }) => [actionId, compensation?.actionId]));
  return { ...spec, parts: all.filter(({ id }) => used.has(id)) };
}
