import type { Context } from '../../../platform/context.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import type { ActionSpec, Step } from '../actions.contract.ts';
import { appendToLog, isTooLongToConfirm, propose, settle, type Chats } from './runs.ts';
import { fill, holds, type WorkflowData } from '../schema/pointers.ts';
import * as store from './runs.store.ts';
import type { Run, RunSpec } from './runs.store.ts';
import { problemOfValue } from '../schema/schemas.ts';

type WorkflowPlan = { kind: 'ended' } | { kind: 'step'; runId: Id<'actionRun'> };

/**
 * Decides the next step of a workflow from its step runs: the open one, the next one whose condition holds or, after a
 * failure, the compensation of the last one that succeeded. While a step's outcome is unknown, the workflow waits.
 */
export async function planSteps(ctx: Context, chats: Chats, run: Run, steps: readonly Step[]): Promise<WorkflowPlan> {
  const stepRuns = await store.stepsOf(ctx.tx, run.id);
  const open = stepRuns.find(store.isOpen);
  if (open) return { kind: 'step', runId: open.id };
  if (run.state === 'proposed')
    await appendToLog(ctx, chats, store.change(ctx.tx, run, { state: 'dispatched' }), 'action.started');

  const forward = stepRuns.filter(({ isCompensation }) => !isCompensation);
  const failed = forward.find(({ outcome }) => outcome !== 'succeeded');
  if (failed?.outcome === 'unknown') return stayUnknown(ctx, chats, run, 'step_unknown');
  if (failed)
    return compensate(ctx, chats, {
      run,
      steps,
      forward,
      compensations: stepRuns.filter(({ isCompensation }) => isCompensation),
      failed,
    });

  const data = workflowDataOf(run, forward);
  for (const step of steps) {
    if (forward.some((stepRun) => stepRun.step === step.name) || !holds(step.when, data)) continue;
    return startStep(ctx, chats, run, { ...step, isCompensation: false }, data);
  }
  const last = forward.at(-1);
  const output = run.spec.output ? fill(run.spec.output, data) : (last?.output ?? {});
  await settle(ctx, chats, run, { state: 'succeeded', outcome: 'succeeded', output, display: last?.display });
  return { kind: 'ended' };
}

const workflowDataOf = (run: Run, forward: readonly Run[]): WorkflowData => ({
  input: run.args,
  steps: Object.fromEntries(forward.map(({ step, output }) => [step ?? '', output])),
});

async function stayUnknown(ctx: Context, chats: Chats, run: Run, reason: string): Promise<WorkflowPlan> {
  if (run.state !== 'unknown') await settle(ctx, chats, run, { state: 'unknown', outcome: 'unknown', reason });
  return { kind: 'ended' };
}

interface CompensateInput {
  run: Run;
  steps: readonly Step[];
  forward: readonly Run[];
  compensations: readonly Run[];
  failed: Run;
}

async function compensate(
  ctx: Context,
  chats: Chats,
  { run, steps, forward, compensations, failed }: CompensateInput,
): Promise<WorkflowPlan> {
  if (compensations.some(({ outcome }) => outcome !== 'succeeded')) return stayUnknown(ctx, chats, run, 'not_undone');
  const data = workflowDataOf(run, forward);
  for (const done of forward.filter(({ outcome }) => outcome === 'succeeded').toReversed()) {
    const { compensation } = steps.find(({ name }) => name === done.step) ?? {};
    if (!compensation || compensations.some(({ step }) => step === done.step)) continue;
    return startStep(ctx, chats, run, { ...compensation, name: done.step ?? '', isCompensation: true }, data);
  }
  const { state, reason, error, display } = failed;
  const finalState = state === 'declined' || state === 'expired' || state === 'cancelled' ? state : 'failed';
  await settle(ctx, chats, run, { state: finalState, outcome: 'failed', reason, error, display });
  return { kind: 'ended' };
}

async function startStep(
  ctx: Context,
  chats: Chats,
  run: Run,
  { name, actionId, input, isCompensation }: Pick<Step, 'name' | 'actionId' | 'input'> & { isCompensation: boolean },
  data: WorkflowData,
): Promise<WorkflowPlan> {
  const spec = run.spec.parts?.find(({ id }) => id === actionId);
  if (!spec) throw new Error(`${run.id} has no action ${actionId}`);
  const args = fill(input, data);
  const { conversationId, turnId, versionId, botId, environmentId, endUser, language, isTest } = run;
  const context = { conversationId, turnId, versionId, botId, environmentId, endUser, language, isTest };
  const parent = { id: run.id, step: name, isCompensation };
  const problem =
    problemOfValue(spec.inputSchema, args) ??
    (isTooLongToConfirm(spec, args) ? 'The value is too long to show in a confirmation' : null);
  // With invalid input the visitor is not asked to confirm: an empty slot keeps the run from opening a confirmation.
  const unconfirmable = problem === null ? {} : { slot: '' };
  const child = await propose(ctx, chats, {
    ...context,
    spec,
    args,
    ordinal: 0,
    isAwaited: false,
    parent,
    ...unconfirmable,
  });
  if (problem === null) return { kind: 'step', runId: child.id };
  const error = { code: 'invalid_input', message: problem };
  await settle(ctx, chats, child, { state: 'failed', outcome: 'failed', reason: 'invalid_input', error });
  return { kind: 'step', runId: child.id };
}

/** Adds the actions that its steps call, so that a run can finish even if the bot changes or is deleted. */
export function withStepActions(spec: ActionSpec, all: readonly ActionSpec[]): RunSpec {
  if (!spec.steps) return spec;
  const used = new Set(spec.steps.flatMap(({ actionId, compensation }) => [actionId, compensation?.actionId]));
  return { ...spec, parts: all.filter(({ id }) => used.has(id)) };
}
