import { sql } from 'kysely';
import type { Context, Services } from '../../../platform/context.ts';
import { AppError, conflict, notFound, orNotFound } from '../../../platform/errors.ts';
import { everyTenant } from '../../../platform/every-tenant.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { readCursor, toPage } from '../../../platform/lists.ts';
import { runStep, inRun, lockRun, type RunParts, type RunPlace } from './step.ts';
import { settle, type Chats } from './runs.ts';
import { CompleteRun, type ListRuns, type ResolveRun } from './runs.contract.ts';
import * as store from './runs.store.ts';
import { problemOfValue } from '../schema/schemas.ts';

export async function listRuns({ tx }: Context, filter: ListRuns) {
  const page = toPage(await store.list(tx, filter, readCursor(filter.cursor), filter.limit + 1), filter.limit);
  return { ...page, data: page.data.map(store.show) };
}

/** With its ledger, and its steps. */
export async function getRun({ tx }: Context, id: string) {
  const run = orNotFound('action_run', await store.find(tx, id));
  const { args, output, display, error, endUser, attempts } = run;
  const steps = (await store.stepsOf(tx, id)).map(store.show);
  return { run: { ...store.show(run), args, output: output ?? null, display, error, endUser, attempts, steps } };
}

/** A person has looked it up in their own system. */
export async function resolveRun(ctx: Context, chats: Chats, id: string, { outcome, note }: ResolveRun) {
  const run = orNotFound('action_run', await lockRun(ctx, id));
  assertUnknown(run);
  await settle(ctx, chats, run, { state: outcome, outcome, reason: 'resolved', by: ctx.actor.id, note });
  return getRun(ctx, id);
}

function assertUnknown({ state, spec }: store.Run) {
  if (state !== 'unknown') throw conflict('run_outcome_known', 'The outcome of this run is already known.');
  if (spec.steps)
    throw conflict(
      'run_has_steps',
      'Resolve the unknown step of this run instead; the run then continues automatically.',
    );
}

/**
 * Asks the tenant's system once more what became of it. Whatever it was promised to be, asking changes nothing; a system
 * that does not know the question says nothing that counts.
 */
export async function reconcileRun(
  parts: RunParts,
  inTenant: <T>(work: (ctx: Context) => Promise<T>) => Promise<T>,
  place: RunPlace,
) {
  await parts.assertions.ready();
  // As ourselves: whoever asked works in the tenant once, at the end, where a repeated request is answered as the first was.
  await inRun(parts, place.tenantId, async (ctx) =>
    assertUnknown(orNotFound('action_run', await store.find(ctx.tx, place.runId))),
  );
  await runStep(parts, place, { isAsked: true });
  return inTenant((ctx) => getRun(ctx, place.runId));
}

/** What tenants may send to `POST /webhooks/inbound` about runs. Only to the endpoint that was called. */
export const actionCommands = (chats: Chats) => ({
  'action.completed': {
    data: CompleteRun,
    run: async (ctx: Context, completed: CompleteRun): Promise<{ id: string }> => {
      const run = await lockRun(ctx, completed.runId);
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

/** Of all tenants, oldest first: where somebody must look. Says nothing of what it was about. */
export async function listUnknown({ db }: Services, { cursor, limit }: { cursor?: string | undefined; limit: number }) {
  const { rows } = await sql<{ tenantId: Id<'tenant'>; runId: Id<'actionRun'>; since: Date }>`
    select * from directory.list_unknown_runs(${readCursor(cursor) ?? ''}, ${limit + 1})`.execute(db);
  const page = toPage(
    rows.map((row) => ({ ...row, id: row.runId })),
    limit,
  );
  return { ...page, data: page.data.map(({ id: _id, ...row }) => row) };
}

const triedDays = 30;

/** What was tried a month ago, and what nobody asks about any more. */
export const purgeTestRuns = (services: Services) =>
  everyTenant(services, 'action-runs', async ({ tx, now }) => {
    const gone = await store.removeTried(tx, new Date(now.getTime() - triedDays * 86_400_000));
    for (const { id, state } of gone) if (state === 'unknown') await store.deleteUnknownRun(tx, id);
    return false;
  });
