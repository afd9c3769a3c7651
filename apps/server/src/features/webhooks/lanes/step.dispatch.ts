import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db.ts';
import { forTenants } from '../../../platform/dispatch.ts';
import { prepared } from '../../../platform/prepared.ts';
import * as queue from '../delivery/queue.store.ts';
import { newHealth, type Health } from '../endpoints/health.ts';
import type { Status } from '../webhooks.contract.ts';
import { holdLanes } from './ownership.store.ts';

/** An endpoint as its dispatcher needs it: without its URL and secrets. */
export interface Settings {
  status: Status;
  disabledReason: 'failures' | 'gone' | 'receiver' | null;
  autoRecover: boolean;
  rateLimit: number;
  ordering: 'none' | 'conversation';
  revision: number;
  /** The tenant is neither suspended nor deleted. */
  isTenantActive: boolean;
  health: Health;
  healthRevision: number;
  lastSuccessAt: Date | null;
}

export interface HealthWrite {
  tenantId: string;
  webhookId: string;
  health: Health;
  /** Not written if the stored one is not the one before it. */
  revision: number;
  lastSuccessAt?: Date;
  lastFailureAt?: Date;
  lastFailureStatus?: number | null;
}

export interface StepInput {
  worker: string;
  laneCount: number;
  lanes: readonly number[];
  tenantIds: ReadonlySet<string>;
  finished: readonly queue.FinishedDelivery[];
  retries: readonly queue.Retry[];
  released: readonly Pick<queue.ClaimedDelivery, 'id' | 'attempts'>[];
  health: readonly HealthWrite[];
  claims: readonly queue.Claim[];
  /** Bodies of older events are read with another statement. */
  eventsSince: string;
  /** Endpoints of which to find when something is due later. */
  asks: readonly { webhookId: string; isOrdered: boolean }[];
  reads: readonly { tenantId: string; webhookId: string }[];
}

export interface StepOutput {
  claimed: Awaited<ReturnType<typeof queue.claim>>;
  dueAt: Map<string, Date>;
  settings: Map<string, Settings>;
  /** Endpoints whose health was written. */
  written: Set<string>;
}

/**
 * One transaction for many endpoints and tenants, in one round trip: stores results, writes health, and claims the next
 * deliveries. Nothing is written if the worker has lost one of the lanes. All statements and the commit are sent without
 * waiting, so a worker that is paused holds no lock.
 */
export async function runStep(db: Db, input: StepInput): Promise<StepOutput> {
  const { worker, laneCount, lanes } = input;
  let results: Promise<[unknown, unknown, unknown, unknown, ...StepResults]> | undefined;
  await forTenants(db, input.tenantIds, async (plain) => {
    const tx = prepared(plain);
    results = Promise.all([
      holdLanes(tx, worker, laneCount, lanes),
      queue.finish(tx, input.finished),
      queue.retryLater(tx, input.retries),
      queue.release(tx, input.released),
      input.health.length > 0 ? writeHealth(tx, input.health) : new Set<string>(),
      input.claims.length > 0 ? queue.claim(tx, worker, input.claims, input) : [],
      input.asks.length > 0 ? queue.nextDue(tx, worker, input.asks) : new Map<string, Date>(),
      input.reads.length > 0 ? readSettings(tx, input.reads) : new Map<string, Settings>(),
    ]);
    results.catch(() => {}); // the commit reports the first error
  });
  if (!results) throw new Error('the step did not run');
  const [, , , , written, claimed, dueAt, settings] = await results;
  return { written, claimed, dueAt, settings };
}
type StepResults = [StepOutput['written'], StepOutput['claimed'], StepOutput['dueAt'], StepOutput['settings']];

/** Returns the endpoints whose health no one else had changed. */
async function writeHealth(tx: Tx, health: readonly HealthWrite[]): Promise<Set<string>> {
  const { rows } = await sql<{ webhookId: string }>`
    insert into webhook_health as h (tenant_id, webhook_id, health, revision, last_success_at, last_failure_at, last_failure_status)
    select "tenantId", "webhookId", health, revision, "lastSuccessAt", "lastFailureAt", "lastFailureStatus"
    from jsonb_to_recordset(${JSON.stringify(health)}::jsonb) as e ("tenantId" text, "webhookId" text, health jsonb, revision int,
      "lastSuccessAt" timestamptz, "lastFailureAt" timestamptz, "lastFailureStatus" int)
    where (select true from webhooks w where w.tenant_id = e."tenantId" and w.id = e."webhookId")
    on conflict (tenant_id, webhook_id) do update set health = excluded.health, revision = excluded.revision,
      last_success_at = coalesce(excluded.last_success_at, h.last_success_at),
      last_failure_at = coalesce(excluded.last_failure_at, h.last_failure_at),
      last_failure_status = case when excluded.last_failure_at is null then h.last_failure_status else excluded.last_failure_status end
    where h.revision = excluded.revision - 1
    returning h.webhook_id`.execute(tx);
  return new Set(rows.map(({ webhookId }) => webhookId));
}

async function readSettings(tx: Tx, endpoints: StepInput['reads']): Promise<Map<string, Settings>> {
  const { rows } = await sql<Settings & { id: string }>`
    select w.id, w.status, w.disabled_reason, w.auto_recover, w.rate_limit, w.ordering, w.revision, h.health,
      coalesce(h.revision, 0) as health_revision, h.last_success_at,
      coalesce((select t.status = 'active' from tenants t where t.tenant_id = e.tenant_id), false) as is_tenant_active
    from unnest(${endpoints.map(({ tenantId }) => tenantId)}::text[], ${endpoints.map(({ webhookId }) => webhookId)}::text[])
      as e (tenant_id, webhook_id)
    cross join lateral (
      select id, status, disabled_reason, auto_recover, rate_limit, ordering, revision from webhooks
      where tenant_id = e.tenant_id and id = e.webhook_id limit 1) as w
    left join lateral (
      select health, revision, last_success_at from webhook_health where tenant_id = e.tenant_id and webhook_id = e.webhook_id limit 1) as h on true`.execute(
    tx,
  );
  return new Map(rows.map(({ id, ...row }) => [id, { ...row, health: { ...newHealth(), ...row.health } }]));
}

/** Bodies of events that are older than those that a claim reads. */
export const readBodies = (
  db: Db,
  tenantIds: ReadonlySet<string>,
  eventIds: readonly string[],
): Promise<queue.EventBody[]> => forTenants(db, tenantIds, (tx) => queue.bodiesOf(tx, eventIds));
