import * as fc from 'fast-check';
import { sql } from 'kysely';
import { ActionSpec } from '../../src/features/actions/actions.contract.ts';
import { hashArgs, propose } from '../../src/features/actions/run/runs.ts';
import { runChats } from '../../src/features/conversations/turn/action-runs.ts';
import type { Context, VisitorSession } from '../../src/platform/context.ts';
import type { Id } from '../../src/platform/ids.contract.ts';
import { newId } from '../../src/platform/ids.ts';
import { admin, type TestTenant } from '../harness.ts';

// Actions that nothing is ever sent for, and runs of them in the states that somebody can do something about.

const args = { orderId: '4711' };
export const argsHash = hashArgs(args);

/** The same for everybody: what is no secret is not looked for. */
const nobodys: { action: Id<'action'>; webhook: Id<'webhook'> } = {
  action: 'act_01h45ytscbebyvny4gc8cr8ma2',
  webhook: 'whk_01h45ytscbebyvny4gc8cr8ma2',
};

export const aSpec = ({ id = nobodys.action, webhookId = nobodys.webhook, name = 'cancel_order' } = {}) =>
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

/** The visitor is asked whether it is to be done, as in any turn. */
export const askFirst = (
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

interface Place {
  tenantId: string;
  botId: string;
  environmentId: string;
}

/** The row alone. */
export async function plantRun(
  { tenantId, botId, environmentId }: Place,
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

/** So many actions of the tenant's bot that call this endpoint, each with a run that nobody knows the end of. */
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

/** Fields that go together, whatever else is said of an action. */
export const soundFields = (webhookIds: readonly string[]) => ({
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
