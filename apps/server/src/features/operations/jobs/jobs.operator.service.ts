import { z } from 'zod';
import type { Context } from '../../../platform/context.ts';
import { conflict, invalid } from '../../../platform/errors.ts';
import { emit } from '../../../platform/events.ts';
import { idOf, type Id } from '../../../platform/ids.contract.ts';
import { emailsChannel } from '../../../platform/emails.ts';
import { readCursor, toPage } from '../../../platform/lists.ts';
import type { Platform } from '../../../platform/platform.ts';
import { enterPool, recordPoolAudit } from '../../../platform/pool.ts';
import { sweepChannel, sweeperGraceSeconds } from '../../../platform/timers.ts';
import { syncSource } from '../../knowledge/index.ts';
import type { By } from '../invocations/invocations.operator.service.ts';
import * as across from './jobs.cross-tenant.ts';
import type { Job, ListJobs, RetryJob } from './jobs.contract.ts';
import { kindInWords } from '../system/queues.ts';
import { jobRetried } from '../operations.events.ts';
import { failedEmails, retryEmail } from '../system/emails.store.ts';

export type JobParts = Pick<Platform, 'services'> & {
  /** Asks the engine to go on with a replay. */
  wakeReplay(tenantId: Id<'tenant'>, id: string): Promise<void>;
};

type Services = JobParts['services'];
const none = { attempts: null, done: null, total: null, error: null };

export function listJobs({ services }: JobParts, { kind, cursor, limit }: ListJobs) {
  const page = { cursor, limit };
  if (kind === 'overdue') return listOverdue(services, page);
  if (kind === 'email') return listEmails(services, page);
  if (kind === 'erasure') return listErasures(services, page);
  if (kind === 'replay') return listReplays(services, page);
  return listSyncs(services, kind, page);
}
type Asked = Pick<ListJobs, 'cursor' | 'limit'>;

const TimerCursor = z.object({
  dueAt: z.iso.datetime(),
  kind: z.string(),
  tenantId: z.string(),
  subjectId: z.string(),
});

async function listOverdue({ db }: Services, { cursor, limit }: Asked) {
  const rows = await across.overdueTimers(db, sweeperGraceSeconds, readPlace(cursor), limit + 1);
  const data = rows.slice(0, limit).map(({ kind, tenantId, tenantName, subjectId, dueAt }): Job => ({
    ...none,
    kind: 'overdue',
    id: `${kind}:${subjectId}`,
    tenantId,
    tenantName,
    what: kindInWords(kind),
    subject: subjectId,
    at: dueAt,
    canRetry: true,
  }));
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  const place = last && {
    dueAt: last.dueAt.toISOString(),
    kind: last.kind,
    tenantId: last.tenantId,
    subjectId: last.subjectId,
  };
  return { data, nextCursor: place ? Buffer.from(JSON.stringify(place)).toString('base64url') : null };
}

/** Timers have no id of their own: the cursor is the whole place of the last one. */
function readPlace(cursor: string | undefined) {
  if (cursor === undefined) return undefined;
  try {
    return TimerCursor.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw invalid('invalid_cursor', [{ path: '/cursor', message: 'Send `nextCursor` exactly as it was returned.' }]);
  }
}

async function listEmails({ db }: Services, { cursor, limit }: Asked) {
  const rows = await failedEmails(db, readCursor(cursor), limit + 1);
  const { data, nextCursor } = toPage(rows, limit);
  const named = data.flatMap(({ tenantId }) => idOf('tenant').safeParse(tenantId).data ?? []);
  const names = new Map((await across.namesOf(db, named)).map(({ tenantId, name }) => [tenantId, name]));
  return {
    data: data.map(({ id, kind, recipient, tenantId, attempts, error, failedAt }): Job => {
      const known = idOf('tenant').safeParse(tenantId).data ?? null;
      return {
        ...none,
        kind: 'email',
        id,
        tenantId: known,
        tenantName: names.get(known ?? '') ?? null,
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

async function listErasures({ db }: Services, { cursor, limit }: Asked) {
  const rows = await across.waitingErasures(db, readCursor(cursor), limit + 1);
  const { data, nextCursor } = toPage(
    rows.map((row) => ({ ...row, id: row.tenantId })),
    limit,
  );
  return {
    data: data.map(({ id, tenantId, tenantName, dueAt }): Job => ({
      ...none,
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

async function listSyncs({ db }: Services, kind: 'sync' | 'failed-sync', { cursor, limit }: Asked) {
  const state = kind === 'sync' ? 'syncing' : 'failed';
  const { data, nextCursor } = toPage(await across.syncsIn(db, state, readCursor(cursor), limit + 1), limit);
  return {
    data: data.map(({ id, tenantId, tenantName, kind: source, name, done, total, error, at }): Job => ({
      kind,
      id,
      tenantId,
      tenantName,
      what: `Knowledge sync: ${sourceWords[source] ?? source}`,
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
const sourceWords: Record<string, string> = {
  text: 'text',
  url: 'web page',
  sitemap: 'website',
  file: 'file',
  qa: 'questions and answers',
};

async function listReplays({ db }: Services, { cursor, limit }: Asked) {
  const { data, nextCursor } = toPage(await across.runningReplays(db, readCursor(cursor), limit + 1), limit);
  return {
    data: data.map(({ id, tenantId, tenantName, webhookId, queued, at }): Job => ({
      ...none,
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

// ---- once more

/** Work in one tenant, under the operator's name. */
type InTenant = (tenantId: Id<'tenant'>, work: (ctx: Context) => Promise<void>) => Promise<void>;

export async function retryJob(parts: JobParts, by: By, { kind, id, tenantId, reason }: RetryJob, inTenant: InTenant) {
  const { services } = parts;
  const note = { kind, id, tenantId, reason };
  const publishEvent = (ctx: Context) => emit(ctx, jobRetried, id, { object: { kind, id, reason } });
  if (kind === 'email') {
    await noted(services, by, note, async (tx) => {
      if (!(await retryEmail(tx, id))) throw gone('This email was sent in the meantime, or deleted.');
    });
    services.notify(emailsChannel, '');
    return said('The email will be sent again within seconds.');
  }
  if (kind === 'overdue') {
    await noted(services, by, note);
    services.notify(sweepChannel, '');
    return said('Every worker is checking for overdue work now.');
  }
  if (tenantId === null)
    throw invalid('invalid_fields', [{ path: '/tenantId', message: 'This job belongs to a tenant.' }]);
  if (kind === 'failed-sync') {
    await inTenant(tenantId, async (ctx) => {
      await syncSource(ctx, id); // as anybody would, with an event
      await publishEvent(ctx);
    });
    return said('The source is being synced again.');
  }
  if (!(await across.isReplayRunning(services.db, tenantId, id))) throw gone('This replay has ended or never started.');
  await inTenant(tenantId, publishEvent);
  await parts.wakeReplay(tenantId, id).catch(() => {
    throw conflict('restate_unavailable', 'Restate is not responding. Check that it is running, then try again.');
  });
  return said('The replay continues where it stopped.');
}

const said = (text: string) => ({ status: 'done' as const, text });
const gone = (message: string) => conflict('job_ended', `${message} Reload the list.`);

/** In the admin pool's audit log, in the transaction of what is done here. */
const noted = (
  { db }: Services,
  { operator, requestInfo: from }: By,
  data: Record<string, unknown>,
  work: (tx: Parameters<typeof retryEmail>[0]) => Promise<void> = async () => {},
) =>
  db.transaction().execute(async (tx) => {
    await work(tx);
    await enterPool(tx, 'admin', (inside) =>
      recordPoolAudit(inside, {
        action: 'job.retried',
        userId: null,
        actor: operator.actor,
        ip: from.ip,
        requestId: from.requestId,
        data,
      }),
    );
  });
