import type { Context, Services } from '../../../platform/context.ts';
import { AppError, conflict, notFound, orNotFound } from '../../../platform/errors.ts';
import { forDueTenants } from '../../../platform/due-tenants.ts';
import { readCursor, toPage } from '../../../platform/lists.ts';
import { runStep, inRun, lockRun, type RunDeps, type RunRef } from './step.ts';
import { settle, type Chats } from './runs.ts';
import { CompleteRun, type ListRuns, type ResolveRun } from './runs.contract.ts';
import * as store from './runs.store.ts';
import { countLeftOut } from './transitions.ts';
import { problemOfValue } from '../schema/schemas.ts';

export async function listRuns({ tx }: Context, filter: ListRuns) {
  const page = toPage(await store.list(tx, filter, readCursor(filter.cursor), filter.limit + 1), filter.limit);
  return { ...page, data: page.data.map(store.toActionRun) };
}

/** With its attempts and steps. */
export async function getRun({ tx }: Context, id: string) {
  const run = orNotFound('action_run', await store.find(tx, id));
  const { args, output, display, error, endUser, attempts } = run;
  const steps = (await store.stepsOf(tx, id)).map(store.toActionRun);
  return {
    run: {
      ...store.toActionRun(run),
      args,
      output: output ?? null,
      display,
      error,
      endUser,
      attempts,
      attemptsLeftOut: countLeftOut(attempts),
      steps,
    },
  };
}

/** Sets the outcome that a person found in their own system. */
export async function resolveRun(ctx: Context, chats: Chats, id: string, { outcome, note }: ResolveRun) {
  const run = orNotFound('action_run', await lockRun(ctx, chats, id));
  assertUnknown(run);
  await settle(ctx, chats, run, { state: outcome, outcome, reason: 'resolved', by: ctx.actor.id, note });
  return getRun(ctx, id);
}

function assertUnknown({ state, spec, reason }: store.Run) {
  if (state !== 'unknown') throw conflict('run_outcome_known', 'The outcome of this run is already known.');
  // After a restore, a workflow does not continue when its steps are resolved.
  if (spec.steps && reason !== 'restored')
    throw conflict(
      'run_has_steps',
      'Resolve the unknown step of this run instead; the run then continues automatically.',
    );
}

/**
 * Asks the tenant's backend for the result of an unknown run. Safe for every `effect`: a status request changes nothing,
 * and a backend that does not support it leaves the run unknown.
 */
export async function reconcileRun(
  deps: RunDeps,
  inTenant: <T>(work: (ctx: Context) => Promise<T>) => Promise<T>,
  ref: RunRef,
) {
  await deps.assertions.ready();
  // Runs as the system. The caller's own transaction comes last, because it stores the response for idempotent retries.
  await inRun(deps, ref.tenantId, async (ctx) =>
    assertUnknown(orNotFound('action_run', await store.find(ctx.tx, ref.runId))),
  );
  await runStep(deps, ref, { isStatusRequested: true });
  return inTenant((ctx) => getRun(ctx, ref.runId));
}

/** Commands about runs at `POST /webhooks/inbound`. Accepted only from the endpoint that was called. */
export const actionCommands = (chats: Chats) => ({
  'action.completed': {
    data: CompleteRun,
    run: async (ctx: Context, completed: CompleteRun): Promise<{ id: string }> => {
      const run = await lockRun(ctx, chats, completed.runId);
      if (run?.spec.webhookId !== ctx.actor.id || run.attempts.length === 0) throw notFound('action_run');
      const isGood = completed.status === 'succeeded';
      if (!store.isOpen(run) && run.state !== 'unknown') {
        if (run.outcome === completed.status) return { id: run.id };
        throw conflict('run_ended', `This run has already ended: ${run.outcome ?? run.state}.`);
      }
      const problem = isGood && run.spec.outputSchema && problemOfValue(run.spec.outputSchema, completed.output);
      if (problem)
        throw new AppError('UNPROCESSABLE', 'invalid_output', 'The output does not match the action’s output schema.', {
          details: [{ path: '/data/output', message: problem }],
        });
      await settle(ctx, chats, run, {
        state: completed.status,
        outcome: completed.status,
        by: ctx.actor.id,
        display: completed.display ?? null,
        ...(completed.status === 'succeeded'
          ? { output: completed.output }
          : { reason: 'refused', error: { code: completed.error.code, message: completed.error.message } }),
      });
      return { id: run.id };
    },
  },
});

/** Unknown runs of all tenants, oldest first, without their input and output. */
export async function listUnknown({ db }: Services, { cursor, limit }: { cursor?: string | undefined; limit: number }) {
  const rows = await store.listUnknownRuns(db, readCursor(cursor) ?? '', limit + 1);
  const page = toPage(
    rows.map((row) => ({ ...row, id: row.runId })),
    limit,
  );
  return { ...page, data: page.data.map(({ id: _id, ...row }) => row) };
}

/** Deletes test runs after the retention period, including those with an unknown outcome. */
export const purgeTestRuns = (services: Services) =>
  forDueTenants(services, 'action-runs', store.oldTestRuns, async ({ tx }) => {
    const deleted = await store.deleteTestRuns(tx);
    for (const { id, state } of deleted) if (state === 'unknown') await store.deleteUnknownRun(tx, id);
    return false;
  });
