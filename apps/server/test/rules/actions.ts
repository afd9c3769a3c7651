import * as fc from 'fast-check';
import { sql } from 'kysely';
import { ActionSpec } from '../../src/features/actions/actions.contract.ts';
import { hashArgs, propose } from '../../src/features/actions/run/runs.ts';
import { runChats } from '../../src/features/conversations/turn/action-runs.ts';
import type { Context, VisitorSession } from '../../src/platform/context.ts';
import type { Id } from '../../src/platform/ids.contract.ts';
import { newId } from '../../src/platform/ids.ts';
import { admin, type TestTenant } from '../harness.ts';

// Actions that never send a request, and runs of them in states that a caller can act on.

const args = { orderId: '4711' };
export const argsHash = hashArgs(args);

/** Shared by all tenants: the isolation tests do not search for ids that are not secret. */
const sharedIds: { action: Id<'action'>; webhook: Id<'webhook'> } = {
  action: 'act_01h45ytscbebyvny4gc8cr8ma2',
  webhook: 'whk_01h45ytscbebyvny4gc8cr8ma2',
};

export const aSpec = ({ id = sharedIds.action, webhookId = sharedIds.webhook, name = 'cancel_order' } = {}) =>
  ActionSpec.parse({
    id,
    name,
    title: 'Cancel the order?',
    webhookId,
    risk: 'write',
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      properties: { orderId: { type: 'string', title: 'Order' } },
    },
  });

/** Asks the visitor for confirmation, as a turn does. */
export const askConfirmation = (
  ctx: Context,
  { botId, environmentId }: Pick<VisitorSession, 'botId' | 'environmentId'>,
  conversationId: Id<'conversation'>,
) =>
  propose(ctx, runChats, {
    conversationId,
    turnId: null,
    versionId: null,
    botId,
    environmentId,
    spec: aSpec(),
    args,
    ordinal: 0,
    endUser: null,
    language: 'en',
    isAwaited: false,
    isTest: false,
  });

interface BotScope {
  tenantId: string;
  botId: string;
  environmentId: string;
}

/** Inserts the row only, without a workflow. */
export async function plantRun(
  { tenantId, botId, environmentId }: BotScope,
  {
    state,
    conversationId = null,
    spec = aSpec(),
    runId: id = newId('actionRun'),
  }: {
    state: 'awaiting_confirmation' | 'unknown' | 'succeeded';
    conversationId?: string | null;
    spec?: ActionSpec;
    runId?: Id<'actionRun'>;
  },
) {
  const isOver = state !== 'awaiting_confirmation';
  await admin
    .insertInto('actionRuns')
    .values({
      tenantId,
      id,
      dedupeKey: id,
      environmentId,
      botId,
      conversationId,
      actionId: spec.id,
      spec: JSON.stringify(spec),
      state,
      args: JSON.stringify(args),
      argsHash,
      ...(isOver ? { outcome: state, finishedAt: new Date() } : { confirmBy: new Date(Date.now() + 86_400_000) }),
    })
    .execute();
  if (state === 'unknown')
    await sql`insert into directory.unknown_runs (tenant_id, run_id) values (${tenantId}, ${id})`.execute(admin);
  return id;
}

/** Adds `count` actions to the tenant's bot that call this endpoint, each with a run of unknown result. */
export async function plantActions(tenant: TestTenant, webhookId: string, { count = 1, text = 'Planted' } = {}) {
  const { tenantId, botId, environmentId } = tenant;
  const planted: string[] = [];
  for (let n = 0; n < count; n++) {
    const id = newId('action');
    const {
      name,
      id: _id,
      ...spec
    } = aSpec({ id, webhookId: webhookId as Id<'webhook'>, name: `planted_${id.slice(-12)}` });
    await admin
      .insertInto('actions')
      .values({
        tenantId,
        id,
        botId,
        name,
        spec: JSON.stringify({ ...spec, description: text, inputSchema: anyInput }),
        createdBy: 'test',
      })
      .execute();
    const run = { ...aSpec({ id, webhookId: webhookId as Id<'webhook'> }), description: text };
    planted.push(id, await plantRun({ tenantId, botId, environmentId }, { state: 'unknown', spec: run }));
  }
  return planted;
}

/** Fields that are valid together, whatever the other fields of an action are. */
export const validFields = (webhookIds: readonly string[]) => ({
  webhookId: fc.constantFrom(...webhookIds),
  inputSchema: fc.constant(anyInput),
  outputSchema: fc.constant(null),
  steps: fc.constant(null),
  output: fc.constant(null),
  questions: fc.constant({}),
  confirm: fc.constant('always'),
  input: fc.constant({}),
});
const anyInput = { type: 'object', properties: {}, additionalProperties: false };
