import { invalid, notFound, orNotFound } from '../../../platform/errors.ts';
import type { CallerContext } from '../../../platform/http/route.ts';
import * as store from '../actions.store.ts';
import { runStep, lockRun, type RunDeps, type RunRef } from './step.ts';
import type { Exchange } from './call.ts';
import { propose, settle } from './runs.ts';
import { failureSettlement } from './transitions.ts';
import type { TryAction } from './runs.contract.ts';
import { getRun } from './runs.service.ts';
import { problemOfValue } from '../schema/schemas.ts';
import { withStepActions } from './plan.ts';

/** Sends a real, signed request with the current draft, marked as a test. It is stored like any other run. */
export async function tryAction(deps: RunDeps, caller: CallerContext, actionId: string, request: TryAction) {
  const { input, environmentId, externalUserId } = request;
  const run = await caller.inTenant(async (ctx) => {
    const action = orNotFound('action', await store.find(ctx.tx, actionId));
    const bot = orNotFound('bot', await store.botOf(ctx.tx, action.botId));
    const environment = await store.environmentFor(ctx.tx, bot.workspaceId, environmentId);
    if (!environment) throw notFound('environment');
    const problem = problemOfValue(action.inputSchema, input);
    if (problem) throw invalid('invalid_input', [{ path: '/input', message: problem }]);
    if (action.requiresContact && externalUserId === undefined)
      throw invalid('external_user_id_required', [
        { path: '/externalUserId', message: 'This action is for signed-in users only. Set the user to run it as.' },
      ]);
    const { botId, createdAt: _at, createdBy: _by, updatedAt: _updated, lastRun: _run, ...spec } = action;
    return propose(ctx, deps.chats, {
      conversationId: null,
      turnId: null,
      versionId: null,
      botId,
      environmentId: environment,
      spec: withStepActions(spec, await store.specsOfBot(ctx.tx, botId)),
      args: input,
      ordinal: 0,
      endUser: externalUserId ?? null,
      language: 'en',
      isAwaited: false,
      isTest: true,
    });
  });
  let lastExchange: Exchange | null = null;
  const ref = { tenantId: caller.tenantId, runId: run.id };
  await runToEnd(deps, caller, ref, (exchange) => (lastExchange = exchange));
  const { run: finished } = await caller.inTenant((ctx) => getRun(ctx, run.id));
  return { run: finished, exchange: lastExchange };
}

/** Sends each request once, without retries, so that the developer sees the result right away. */
async function runToEnd(
  deps: RunDeps,
  caller: CallerContext,
  ref: RunRef,
  onExchange: (exchange: Exchange) => void,
): Promise<void> {
  for (;;) {
    const next = await runStep(deps, ref, { onExchange });
    if (next.kind === 'step') await runToEnd(deps, caller, { ...ref, runId: next.runId }, onExchange);
    else if (next.kind === 'retry')
      await caller.inTenant(async (ctx) => {
        const run = await lockRun(ctx, deps.chats, ref.runId);
        if (run) await settle(ctx, deps.chats, run, failureSettlement(run, 'no_response'));
      });
    else return;
    if (next.kind === 'step' && (await isUnfinished(caller, next.runId))) return;
  }
}

const isUnfinished = (caller: CallerContext, runId: string) =>
  caller.inTenant(async (ctx) => ['accepted', 'dispatched'].includes((await getRun(ctx, runId)).run.state));
