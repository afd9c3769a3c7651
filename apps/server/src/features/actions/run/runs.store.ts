import { sql } from 'kysely';
import { later, type Db, type Tx } from '../../../platform/db.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { prepared } from '../../../platform/prepared.ts';
import { restoreEpochSince } from '../../../platform/restores.ts';
import { isTenantActive } from '../../tenants/index.ts';
import type { ActionSpec } from '../actions.contract.ts';
import type { ActionRun, ListRuns, Outcome, RunAttempt, RunError, RunState } from './runs.contract.ts';

// No `where tenantId` anywhere below: row-level security adds it.

/** The action as published, with the actions that its steps call (`parts`). */
export type RunSpec = ActionSpec & { parts?: ActionSpec[] };

/** A row of `action_runs`. */
export interface Run {
  id: Id<'actionRun'>;
  environmentId: Id<'environment'>;
  botId: Id<'bot'>;
  conversationId: Id<'conversation'> | null;
  turnId: string | null;
  versionId: string | null;
  actionId: Id<'action'>;
  spec: RunSpec;
  parentId: Id<'actionRun'> | null;
  step: string | null;
  isCompensation: boolean;
  isTest: boolean;
  state: RunState;
  outcome: Outcome | null;
  reason: string | null;
  args: Record<string, unknown>;
  argsHash: string;
  slot: string | null;
  misses: number;
  endUser: string | null;
  language: string;
  confirmBy: Date | null;
  confirmedAt: Date | null;
  attempts: RunAttempt[];
  deadline: Date | null;
  completeBy: Date | null;
  output: unknown;
  display: string | null;
  error: RunError | null;
  isAwaited: boolean;
  resolvedBy: string | null;
  note: string | null;
  /** Of the message, or of the confirmation, that it was started by. */
  traceparent: string | null;
  createdAt: Date;
  finishedAt: Date | null;
}

const columns = [
  'id',
  'environmentId',
  'botId',
  'conversationId',
  'turnId',
  'versionId',
  'actionId',
  'spec',
  'parentId',
  'step',
  'isCompensation',
  'isTest',
  'state',
  'outcome',
  'reason',
  'args',
  'argsHash',
  'slot',
  'misses',
  'endUser',
  'language',
  'confirmBy',
  'confirmedAt',
  'attempts',
  'deadline',
  'completeBy',
  'output',
  'display',
  'error',
  'isAwaited',
  'resolvedBy',
  'note',
  'traceparent',
  'createdAt',
  'finishedAt',
] as const;

const runs = (tx: Tx) => tx.selectFrom('actionRuns').select(columns).$castTo<Run>();

export const openStates = ['collecting', 'awaiting_confirmation', 'proposed', 'dispatched', 'accepted'] as const;
export const isOpen = ({ state }: Pick<Run, 'state'>) => (openStates as readonly string[]).includes(state);

export const find = (tx: Tx, id: string) => runs(tx).where('id', '=', id).executeTakeFirst();
export const lock = (tx: Tx, id: string) => runs(prepared(tx)).where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
/** Locks a run for sending. Also returns whether its tenant is active, and whether the database was restored since. */
export const lockToSend = (tx: Tx, id: string): Promise<SendableRun | undefined> =>
  runs(prepared(tx))
    .select([isTenantActive.as('isTenantActive'), restoreEpochSince('action_runs.created_at').as('restoreEpoch')])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
export type SendableRun = Run & { isTenantActive: boolean; restoreEpoch: number | null };

/** Oldest first. */
export const stepsOf = (tx: Tx, parentId: string) => runs(tx).where('parentId', '=', parentId).orderBy('id').execute();

/** Runs of one turn, oldest first, without workflow steps. */
export const runsOfTurn = (tx: Tx, conversationId: string, turnId: string) =>
  runs(prepared(tx))
    .where('conversationId', '=', conversationId)
    .where('turnId', '=', turnId)
    .where('parentId', 'is', null)
    .orderBy('id')
    .execute();

/** Whether a step of one of these workflows waits for confirmation. */
export const isStepAwaitingConfirmation = async (tx: Tx, ids: readonly string[]): Promise<boolean> =>
  ids.length > 0 &&
  (await tx
    .selectFrom('actionRuns')
    .select('id')
    .where('parentId', 'in', [...ids])
    .where('state', '=', 'awaiting_confirmation')
    .limit(1)
    .executeTakeFirst()) !== undefined;

/** All runs of a conversation, for data exports. */
export const runsOfConversation = (tx: Tx, conversationId: string) =>
  runs(tx).where('conversationId', '=', conversationId).orderBy('id').execute();

/** The latest run that is still collecting input from the visitor. */
export const findCollecting = (tx: Tx, conversationId: string, since: Date) =>
  runs(tx)
    .where('conversationId', '=', conversationId)
    .where('state', '=', 'collecting')
    .where('createdAt', '>', since)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();

export const openRunsOf = (tx: Tx, conversationId: string) =>
  runs(tx)
    .where('conversationId', '=', conversationId)
    .where('state', 'in', [...openStates])
    .orderBy('id')
    .execute();

type NewRun = Pick<
  Run,
  | 'id'
  | 'environmentId'
  | 'botId'
  | 'conversationId'
  | 'turnId'
  | 'versionId'
  | 'actionId'
  | 'spec'
  | 'parentId'
  | 'step'
  | 'isCompensation'
  | 'isTest'
  | 'state'
  | 'args'
  | 'argsHash'
  | 'endUser'
  | 'language'
  | 'isAwaited'
  | 'traceparent'
> & { dedupeKey: string; slot?: string | null; confirmBy?: Date | null };

/** Idempotent by `dedupeKey`: a repeated insert, such as after a crash, returns the existing run. */
export async function insert(tx: Tx, { spec, args, ...row }: NewRun): Promise<Run> {
  const inserted = await prepared(tx)
    .insertInto('actionRuns')
    .values({ ...row, spec: JSON.stringify(spec), args: JSON.stringify(args) })
    .onConflict((same) => same.columns(['tenantId', 'dedupeKey']).doNothing())
    .returning(columns)
    .$castTo<Run>()
    .executeTakeFirst();
  return inserted ?? (await runs(tx).where('dedupeKey', '=', row.dedupeKey).executeTakeFirstOrThrow());
}

export type RunChange = Partial<
  Omit<Run, 'id' | 'spec' | 'createdAt' | 'actionId' | 'conversationId' | 'botId' | 'environmentId' | 'parentId'>
>;
export async function update(tx: Tx, id: string, change: RunChange): Promise<Run> {
  const { args, attempts, output, error, ...rest } = change;
  const json = (value: unknown) => JSON.stringify(value);
  return prepared(tx)
    .updateTable('actionRuns')
    .set({
      ...rest,
      ...(args !== undefined && { args: json(args) }),
      ...(attempts !== undefined && { attempts: json(attempts) }),
      ...(output !== undefined && { output: json(output) }),
      ...(error !== undefined && { error: error === null ? null : json(error) }),
    })
    .where('id', '=', id)
    .returning(columns)
    .$castTo<Run>()
    .executeTakeFirstOrThrow();
}

/** The same for a run that this transaction has locked or created, without waiting for the write. */
export function change(tx: Tx, run: Run, changes: RunChange): Run {
  later(tx, update(tx, run.id, changes));
  return { ...run, ...changes };
}

export async function list(tx: Tx, filter: ListRuns, before: string | undefined, limit: number): Promise<Run[]> {
  const { state, botId, actionId, conversationId } = filter;
  let query = runs(tx)
    .where('parentId', 'is', null)
    .where('state', '<>', 'collecting')
    .orderBy('id', 'desc')
    .limit(limit);
  if (before !== undefined) query = query.where('id', '<', before);
  if (state !== undefined) query = query.where('state', '=', state);
  if (botId !== undefined) query = query.where('botId', '=', botId);
  if (actionId !== undefined) query = query.where('actionId', '=', actionId);
  if (conversationId !== undefined) query = query.where('conversationId', '=', conversationId);
  return query.execute();
}

export const deleteRunsOf = (tx: Tx, conversationIds: readonly string[]) =>
  tx
    .deleteFrom('actionRuns')
    .where('conversationId', 'in', [...conversationIds])
    .returning(['id', 'state'])
    .execute();

const isOldTestRun = sql<boolean>`conversation_id is null and created_at < now() - interval '30 days'`;
export const oldTestRuns = sql`select tenant_id from action_runs where ${isOldTestRun} order by created_at`;
export const deleteTestRuns = (tx: Tx) =>
  tx.deleteFrom('actionRuns').where(isOldTestRun).returning(['id', 'state']).execute();

export const noteUnknown = (tx: Tx, id: string) => sql`select directory.note_unknown_run(${id})`.execute(tx);
export const deleteUnknownRun = (tx: Tx, id: string) => sql`select directory.delete_unknown_run(${id})`.execute(tx);

export const toActionRun = (run: Run): ActionRun => ({
  id: run.id,
  actionId: run.actionId,
  name: run.spec.name,
  title: run.spec.title,
  botId: run.botId,
  environmentId: run.environmentId,
  conversationId: run.conversationId,
  parentId: run.parentId,
  step: run.step,
  isCompensation: run.isCompensation,
  isTest: run.isTest,
  risk: run.spec.risk,
  effect: run.spec.effect,
  state: run.state,
  outcome: run.outcome,
  reason: run.reason,
  argsHash: run.argsHash,
  confirmedAt: run.confirmedAt,
  resolvedBy: run.resolvedBy,
  note: run.note,
  createdAt: run.createdAt,
  finishedAt: run.finishedAt,
});

/** Of all tenants, oldest first. */
export const listUnknownRuns = async (db: Db, after: string, max: number) =>
  (
    await sql<{ tenantId: Id<'tenant'>; runId: Id<'actionRun'>; since: Date }>`
      select * from directory.list_unknown_runs(${after}, ${max})`.execute(db)
  ).rows;
