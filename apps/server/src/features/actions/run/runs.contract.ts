import { z } from 'zod';
import { idOf } from '../../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../../platform/lists.contract.ts';

export const RunState = z.enum([
  'collecting',
  'awaiting_confirmation',
  'proposed',
  'dispatched',
  'accepted',
  'succeeded',
  'failed',
  'unknown',
  'reconciled',
  'declined',
  'expired',
  'cancelled',
]);
export type RunState = z.infer<typeof RunState>;
export const Outcome = z.enum(['succeeded', 'failed', 'unknown']);
export type Outcome = z.infer<typeof Outcome>;

/** One call to the tenant's backend. Stored before the request is sent, and completed afterwards. */
export const RunAttempt = z.object({
  n: z.int(),
  kind: z.enum(['invoke', 'status']).describe('`status` asks whether an earlier request was carried out.'),
  at: z.string(),
  end: z
    .enum(['answered', 'refused', 'accepted', 'unclear', 'not_sent', 'absent', 'pending'])
    .nullable()
    .describe('null: in progress, or interrupted before the result was recorded.'),
  status: z.int().nullable(),
  error: z.string().nullable(),
  ms: z.int().nullable(),
  hint: z.string().describe('A human-readable explanation.'),
  responseHash: z.string().nullable(),
});
export type RunAttempt = z.infer<typeof RunAttempt>;

export const RunError = z.object({ code: z.string(), message: z.string() });
export type RunError = z.infer<typeof RunError>;

export const ActionRun = z
  .object({
    id: idOf('actionRun'),
    actionId: idOf('action'),
    name: z.string(),
    title: z.string(),
    botId: idOf('bot'),
    environmentId: idOf('environment'),
    conversationId: idOf('conversation').nullable().describe('null: a test run.'),
    parentId: idOf('actionRun').nullable(),
    step: z.string().nullable(),
    isCompensation: z.boolean(),
    isTest: z.boolean(),
    risk: z.enum(['read', 'write']),
    effect: z.enum(['idempotent', 'reconcile', 'at_most_once']),
    state: RunState,
    outcome: Outcome.nullable().describe('`unknown`: it could not be determined whether the action was carried out.'),
    reason: z.string().nullable(),
    argsHash: z.string(),
    confirmedAt: z.date().nullable(),
    resolvedBy: z.string().nullable().describe('How the outcome was determined later.'),
    note: z.string().nullable(),
    createdAt: z.date(),
    finishedAt: z.date().nullable(),
  })
  .meta({ id: 'ActionRun' });
export type ActionRun = z.infer<typeof ActionRun>;

export const ActionRunDetails = ActionRun.extend({
  args: z.record(z.string(), z.unknown()),
  output: z.unknown(),
  display: z.string().nullable(),
  error: RunError.nullable(),
  endUser: z.string().nullable(),
  attempts: z.array(RunAttempt),
  attemptsLeftOut: z
    .int()
    .describe(
      'Status requests in the middle of a long wait, which are not kept. The numbers of the attempts show where.',
    ),
  steps: z.array(ActionRun),
}).meta({ id: 'ActionRunDetails' });

export const OneRun = z.object({ run: ActionRunDetails });
export const Runs = Page(ActionRun);
export const RunId = z.object({ id: idOf('actionRun') });
export const ListRuns = ListQuery.extend({
  state: RunState.optional(),
  botId: idOf('bot').optional(),
  actionId: idOf('action').optional(),
  conversationId: idOf('conversation').optional(),
});
export type ListRuns = z.infer<typeof ListRuns>;

export const ResolveRun = z.strictObject({
  outcome: z.enum(['succeeded', 'failed']).describe('The outcome, as found in your own system.'),
  note: z.string().trim().max(1_000).default('').describe('How you determined the outcome. Kept for later reference.'),
});
export type ResolveRun = z.infer<typeof ResolveRun>;

export const TryAction = z.strictObject({
  input: z.record(z.string(), z.unknown()).default({}),
  environmentId: idOf('environment').optional().describe('Defaults to the bot’s test environment.'),
  externalUserId: z.string().min(1).max(200).optional().describe('Run as this signed-in user.'),
});
export type TryAction = z.infer<typeof TryAction>;

const Exchange = z.object({
  request: z.object({ url: z.string(), headers: z.record(z.string(), z.string()), body: z.string() }),
  response: z
    .object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.string(), isCut: z.boolean() })
    .nullable()
    .describe('null if there was no response.'),
});
export const TestRunResult = z.object({
  run: ActionRunDetails,
  exchange: Exchange.nullable().describe('null if nothing was sent.'),
});

// Responses of the tenant's backend, and its `action.completed` command.
const display = z.string().trim().max(2_000).optional().describe('The message shown to the visitor, in Markdown.');
const output = z.record(z.string(), z.unknown());
export const BackendError = z.object({
  code: z.string().max(100),
  message: z.string().max(1_000).default(''),
  retryable: z.boolean().default(false),
});
export const SuccessResponse = z.object({ output, display });
export const ErrorResponse = z.object({ error: BackendError, display });
export const StatusResponse = z.discriminatedUnion('status', [
  z.object({ status: z.literal('succeeded'), output, display }),
  z.object({ status: z.literal('failed'), error: BackendError, display }),
  z.object({ status: z.literal('pending') }),
  z.object({ status: z.literal('not_found') }),
]);
export const CompleteRun = z.discriminatedUnion('status', [
  z.strictObject({ runId: idOf('actionRun'), status: z.literal('succeeded'), output, display }),
  z.strictObject({
    runId: idOf('actionRun'),
    status: z.literal('failed'),
    error: z.strictObject(BackendError.shape),
    display,
  }),
]);
export type CompleteRun = z.infer<typeof CompleteRun>;

export const UnknownRuns = z.object({
  data: z.array(z.object({ tenantId: idOf('tenant'), runId: idOf('actionRun'), since: z.date() })),
  nextCursor: z.string().nullable(),
});
export const TenantRun = z.object({ tenantId: idOf('tenant'), id: idOf('actionRun') });
