import { z } from 'zod';
import type { Context } from '../../../platform/context.ts';
import { conflict, invalid } from '../../../platform/errors.ts';
import { emit } from '../../../platform/events.ts';
import { idOf, type Id } from '../../../platform/ids.contract.ts';
import { emailsChannel } from '../../../platform/emails.ts';
import { readCursor, toPage } from '../../../platform/lists.ts';
import type { Platform } from '../../../platform/platform.ts';
import { enterPool, recordPoolAudit } from '../../../platform/pool.ts';
import { sweepChannel, sweeperGraceSeconds } from '../../../platform/sweeper.ts';
import { releaseTimers } from '../../../platform/timers.ts';
import { syncSource } from '../../knowledge/index.ts';
import type { OperatorRequest } from '../invocations/invocations.operator.service.ts';
import * as crossTenant from './jobs.cross-tenant.ts';
import type { Job, ListJobs, RetryJob } from './jobs.contract.ts';
import { timerLabel } from '../system/queues.ts';
import { jobRetried } from '../operations.events.ts';
import { failedEmails, retryEmail } from '../system/emails.store.ts';

export type JobDeps = Pick<Platform, 'services'> & {
  /** Continues a replay in Restate. */
  wakeReplay(tenantId: Id<'tenant'>, id: string): Promise<void>;
};

type Services = JobDeps['services'];
const noDetails = { attempts: null, done: null, total: null, error: null };

export function listJobs({ services }: JobDeps, { kind, cursor, limit }: ListJobs) {
  const page = { cursor, limit };
  if (kind === 'overdue') return listOverdue(services, page);
  if (kind === 'email') return listEmails(services, page);
  if (kind === 'erasure') return listErasures(services, page);
  if (kind === 'replay') return listReplays(services, page);
  return listSyncs(services, kind, page);
}
type PageInput = Pick<ListJobs, 'cursor' | 'limit'>;

const TimerCursor = z.object({
  dueAt: z.iso.datetime(),
  kind: z.string(),
  tenantId: z.string(),
  subjectId: z.string(),
});

async function listOverdue({ db }: Services, { cursor, limit }: PageInput) {
  const rows = await crossTenant.overdueTimers(db, sweeperGraceSeconds, parseCursor(cursor), limit + 1);
  const data = rows.slice(0, limit).map(({ kind, tenantId, tenantName, subjectId, dueAt }): Job => ({
    ...noDetails,
    kind: 'overdue',
    id: `${kind}:${subjectId}`,
    tenantId,
    tenantName,
    what: timerLabel(kind),
    subject: subjectId,
    at: dueAt,
    canRetry: true,
  }));
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  const nextCursor = last && {
    dueAt: last.dueAt.toISOString(),
    kind: last.kind,
    tenantId: last.tenantId,
    subjectId: last.subjectId,
  };
  return { data, nextCursor: nextCursor ? Buffer.from(JSON.stringify(nextCursor)).toString('base64url') : null };
}

/** Timers have no id, so the cursor contains all fields of their sort order. */
function parseCursor(cursor: string | undefined) {
  if (cursor === undefined) return undefined;
  try {
    return TimerCursor.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw invalid('invalid_cursor', [{ path: '/cursor', message: 'Send `nextCursor` exactly as it was returned.' }]);
  }
}

async function listEmails({ db }: Services, { cursor, limit }: PageInput) {
  const rows = await failedEmails(db, readCursor(cursor), limit + 1);
  const { data, nextCursor } = toPage(rows, limit);
  const tenantIds = data.flatMap(({ tenantId }) => idOf('tenant').safeParse(tenantId).data ?? []);
  const names = new Map((await crossTenant.tenantNames(db, tenantIds)).map(({ tenantId, name }) => [tenantId, name]));
  return {
    data: data.map(({ id, kind, recipient, tenantId, attempts, error, failedAt }): Job => {
      const validId = idOf('tenant').safeParse(tenantId).data ?? null;
      return {
        ...noDetails,
        kind: 'email',
        id,
        tenantId: validId,
        tenantName: names.get(validId ?? '') ?? null,
        what: `Email: ${kind.replaceAll(/[-_.]/g, ' ')}`,
        subject: recipient,
        at: failedAt,
        attempts,
        error,
        canRetry: true,
      };
    }),
    nextCursor,
  };
}

async function listErasures({ db }: Services, { cursor, limit }: PageInput) {
  const rows = await crossTenant.scheduledErasures(db, readCursor(cursor), limit + 1);
  const { data, nextCursor } = toPage(
    rows.map((row) => ({ ...row, id: row.tenantId })),
    limit,
  );
  return {
    data: data.map(({ id, tenantId, tenantName, dueAt }): Job => ({
      ...noDetails,
      kind: 'erasure',
      id,
      tenantId,
      tenantName,
      what: 'Erasure of a deleted tenant',
      subject: null,
      at: dueAt,
      canRetry: false,
    })),
    nextCursor,
  };
}

async function listSyncs({ db }: Services, kind: 'sync' | 'failed-sync', { cursor, limit }: PageInput) {
  const state = kind === 'sync' ? 'syncing' : 'failed';
  const { data, nextCursor } = toPage(await crossTenant.syncsIn(db, state, readCursor(cursor), limit + 1), limit);
  return {
    data: data.map(({ id, tenantId, tenantName, kind: source, name, done, total, error, at }): Job => ({
      kind,
      id,
      tenantId,
      tenantName,
      what: `Knowledge sync: ${sourceLabels[source] ?? source}`,
      subject: name,
      at,
      attempts: null,
      done,
      total,
      error,
      canRetry: kind === 'failed-sync',
    })),
    nextCursor,
  };
}
const sourceLabels: Record<string, string> = {
  text: 'text',
  url: 'web page',
  sitemap: 'website',
  file: 'file',
  qa: 'questions and answers',
};

async function listReplays({ db }: Services, { cursor, limit }: PageInput) {
  const { data, nextCursor } = toPage(await crossTenant.runningReplays(db, readCursor(cursor), limit + 1), limit);
  return {
    data: data.map(({ id, tenantId, tenantName, webhookId, queued, at }): Job => ({
      ...noDetails,
      kind: 'replay',
      id,
      tenantId,
      tenantName,
      what: 'Webhook replay',
      subject: webhookId,
      at,
      done: queued,
      canRetry: true,
    })),
    nextCursor,
  };
}

// ---- retries

/** Runs work in one tenant as the operator. */
type InTenant = (tenantId: Id<'tenant'>, work: (ctx: Context) => Promise<void>) => Promise<void>;

export async function retryJob(
  deps: JobDeps,
  request: OperatorRequest,
  { kind, id, tenantId, reason }: RetryJob,
  inTenant: InTenant,
) {
  const { services } = deps;
  const data = { kind, id, tenantId, reason };
  const publishEvent = (ctx: Context) => emit(ctx, jobRetried, id, { object: { kind, id, reason } });
  if (kind === 'email') {
    await audited(services, request, data, async (tx) => {
      if (!(await retryEmail(tx, id))) throw ended('This email was sent in the meantime, or deleted.');
    });
    services.notify(emailsChannel, '');
    return result('The email will be sent again within seconds.');
  }
  if (kind === 'overdue') {
    await audited(services, request, data);
    if (tenantId !== null) await inTenant(tenantId, async (ctx) => void (await releaseTimers(ctx)));
    services.notify(sweepChannel, '');
    return result('Every worker is checking for overdue work now.');
  }
  if (tenantId === null)
    throw invalid('invalid_fields', [{ path: '/tenantId', message: 'This job belongs to a tenant.' }]);
  if (kind === 'failed-sync') {
    await inTenant(tenantId, async (ctx) => {
      await syncSource(ctx, id);
      await publishEvent(ctx);
    });
    return result('The source is being synced again.');
  }
  if (!(await crossTenant.isReplayRunning(services.db, tenantId, id)))
    throw ended('This replay has ended or never started.');
  await inTenant(tenantId, publishEvent);
  await deps.wakeReplay(tenantId, id).catch(() => {
    throw conflict('restate_unavailable', 'Restate is not responding. Check that it is running, then try again.');
  });
  return result('The replay continues where it stopped.');
}

const result = (text: string) => ({ status: 'done' as const, text });
const ended = (message: string) => conflict('job_ended', `${message} Reload the list.`);

/** Does the work and writes to the admin pool's audit log in one transaction. */
const audited = (
  { db }: Services,
  { operator, requestInfo }: OperatorRequest,
  data: Record<string, unknown>,
  work: (tx: Parameters<typeof retryEmail>[0]) => Promise<void> = async () => {},
) =>
  db.transaction().execute(async (tx) => {
    await work(tx);
    await enterPool(tx, 'admin', (poolTx) =>
      recordPoolAudit(poolTx, {
        action: 'job.retried',
        userId: null,
        actor: operator.actor,
        ip: requestInfo.ip,
        requestId: requestInfo.requestId,
        data,
      }),
    );
  });
