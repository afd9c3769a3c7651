import { invalid, notFound, orNotFound } from '../../../platform/errors.ts';
import type { CallerContext } from '../../../platform/http/route.ts';
import * as store from '../actions.store.ts';
import { runStep, lockRun, type RunParts, type RunPlace } from './step.ts';
import type { Exchange } from './call.ts';
import { propose, settle } from './runs.ts';
import { giveUp } from './transitions.ts';
import type { TryAction } from './runs.contract.ts';
import { getRun } from './runs.service.ts';
import { problemOfValue } from '../schema/schemas.ts';
import { withParts } from './plan.ts';

/** A real call, signed and in the ledger, marked as a test; made now, with the draft as it is. */
export async function tryAction(parts: RunParts, caller: CallerContext, actionId: string, wanted: TryAction) {
  const { input, environmentId, externalUserId } = wanted;
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
    return propose(ctx, parts.chats, {
      conversationId: null,
      turnId: null,
      versionId: null,
      botId,
      environmentId: environment,
      spec: withParts(spec, await store.specsOfBot(ctx.tx, botId)),
      args: input,
      ordinal: 0,
      endUser: externalUserId ?? null,
      language: 'en',
      isAwaited: false,
      isTest: true,
    });
  });
  let seen: Exchange | null = null;
  const place = { tenantId: caller.tenantId, runId: run.id };
  await drive(parts, caller, place, (exchange) => (seen = exchange));
  const { run: shown } = await caller.inTenant((ctx) => getRun(ctx, run.id));
  return { run: shown, exchange: seen };
}

/** Each call once: whoever tries wants to see how it ends, not how patient we are. */
async function drive(
  parts: RunParts,
  caller: CallerContext,
  place: RunPlace,
  watch: (exchange: Exchange) => void,
): Promise<void> {
  for (;;) {
    const next = await runStep(parts, place, { watch });
    if (next.kind === 'step') await drive(parts, caller, { ...place, runId: next.runId }, watch);
    else if (next.kind === 'again')
      await caller.inTenant(async (ctx) => {
        const run = await lockRun(ctx, place.runId);
        if (run) await settle(ctx, parts.chats, run, giveUp(run, 'no_answer'));
      });
    else return;
    if (next.kind === 'step' && (await isStuck(caller, next.runId))) return;
  }
}

const isStuck = (caller: CallerContext, runId: string) =>
  caller.inTenant(async (ctx) => ['accepted', 'dispatched'].includes((await getRun(ctx, runId)).run.state));
