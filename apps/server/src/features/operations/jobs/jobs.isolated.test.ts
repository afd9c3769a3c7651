import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { admin, anOperator, aTenant, eventsOf, services, inside } from '../../../../test/harness.ts';
import { aMailer, receivedCounts, emailTo, mail, queueOne } from '../../../../test/emails.ts';
import { newId } from '../../../platform/ids.ts';
import { inPool } from '../../../platform/pool.ts';
import { createLog } from '../../../platform/telemetry.ts';
import { startSweeper, sweepChannel } from '../../../platform/sweeper.ts';
import { setTimer } from '../../../platform/timers.ts';
import { api } from '../../../../test/harness.ts';
import type { Job } from './jobs.contract.ts';

afterAll(() => mail.stop());
const manager = await anOperator();
const support = await anOperator('support');
const reason = 'the mail server is back';
const soon = { timeout: 10_000 };

const list = async (query: string) =>
  (await support.get(`/admin/jobs?${query}`)).json<{ data: Job[]; nextCursor: string | null }>();
const retry = (body: Record<string, unknown>) => manager.post('/admin/jobs/retry', { tenantId: null, reason, ...body });
const entries = () =>
  inPool(services.db, 'admin', (tx) =>
    tx
      .selectFrom('auditEntries')
      .select(['actorId', 'data'])
      .where('action', '=', 'job.retried')
      .orderBy('id', 'desc')
      .execute(),
  );

test('lists a failed email with a masked recipient, and sends it on retry', async () => {
  const recipient = await queueOne({ name: 'gone-with-the-wind' });
  const mailer = aMailer();
  await expect.poll(async () => (await emailTo(recipient))?.isFailed, soon).toBe(true);
  await sql`update directory.emails set error = ${`550 nobody called ${recipient} here`}`.execute(admin);
  const { data } = await list('kind=email');
  expect(data).toMatchObject([
    { what: 'Email: note', subject: 'g…@example.com', error: '550 nobody called g…@example.com here' },
  ]);
  expect(JSON.stringify(data)).not.toContain('wind');
  const id = data[0]?.id;
  expect((await support.post('/admin/jobs/retry', { kind: 'email', id, tenantId: null, reason })).statusCode).toBe(403);

  await sql`update directory.emails set recipient = 'found@example.com'`.execute(admin); // an address that the mail server accepts
  expect((await retry({ kind: 'email', id })).statusCode).toBe(200);
  await expect.poll(() => receivedCounts(['found@example.com']), soon).toEqual([1]);
  expect(await entries()).toMatchObject([{ actorId: manager.userId, data: { kind: 'email', id, reason } }]);
  const again = await retry({ kind: 'email', id });
  expect([again.statusCode, again.json<{ error: { reason: string } }>().error.reason]).toEqual([409, 'job_ended']);
  expect(await entries()).toHaveLength(1); // a failed retry is not audited
  await mailer.stop();
});

test('lists overdue timers oldest first in pages, and wakes the sweeper on retry', async () => {
  const { tenantId } = await aTenant();
  await inside(tenantId, async (ctx) => {
    for (const [n, name] of ['c', 'b', 'a'].entries())
      await setTimer(ctx, 'turn', `conv_x/turn_${name}`, new Date(Date.now() - 1_000_000 - n * 60_000));
    await setTimer(ctx, 'turn', 'conv_x/turn_young', new Date(Date.now() - 5_000));
  });
  const first = await list('kind=overdue&limit=2');
  expect(first.data.map(({ subject }) => subject)).toEqual(['conv_x/turn_a', 'conv_x/turn_b']);
  expect(first.data[0]).toMatchObject({ tenantId, tenantName: 'Test', what: 'Conversation turns', canRetry: true });
  const second = await list(`kind=overdue&limit=2&cursor=${first.nextCursor}`);
  expect(second.data.map(({ subject }) => subject)).toEqual(['conv_x/turn_c']);

  const handled: string[] = [];
  const sweeper = startSweeper({
    services,
    log: createLog('test', 'silent'),
    handlers: { turn: async ({ subjectId }) => void handled.push(subjectId) },
  });
  await expect.poll(() => handled.length, soon).toBe(3);
  api.platform.signals.listen(sweepChannel, sweeper.wake);
  await expect
    .poll(async () => {
      await retry({ kind: 'overdue', id: first.data[0]?.id, tenantId });
      return handled.length;
    }, soon)
    .toBeGreaterThanOrEqual(6);
  await sweeper.stop();
});

test('restarts a failed sync in its tenant and names the operator in the tenant’s audit log', async () => {
  const { tenantId, botId } = await aTenant();
  const id = newId('knowledgeSource');
  const source = { tenantId, id, botId, kind: 'url', name: 'Handbook', config: '{}', createdBy: 'x' };
  await admin
    .insertInto('knowledgeSources')
    .values({ ...source, state: 'failed', error: 'site_timeout', syncId: 'evt_x' })
    .execute();
  expect((await list('kind=failed-sync')).data).toMatchObject([
    { id, tenantId, what: 'Knowledge sync: web page', subject: 'Handbook', error: 'site_timeout', canRetry: true },
  ]);
  const other = await aTenant();
  expect((await retry({ kind: 'failed-sync', id, tenantId: other.tenantId })).statusCode).toBe(404);
  expect((await retry({ kind: 'failed-sync', id, tenantId })).statusCode).toBe(200);
  expect((await list('kind=failed-sync')).data).toEqual([]);
  expect(await eventsOf(tenantId)).toContain('knowledge.sync_requested');
  const audit = await admin
    .selectFrom('auditEntries')
    .select(['actorType', 'actorId'])
    .where('action', '=', 'job.retried')
    .execute();
  expect(audit).toEqual([{ actorType: 'operator', actorId: manager.userId }]);
});

test('lists running replays and scheduled erasures, and returns 409 when a replay is retried while Restate is unavailable', async () => {
  const tenant = await aTenant();
  const { tenantId } = tenant;
  const created = await tenant.post('/webhooks', { url: 'https://hooks.example.com/', eventTypes: ['*'] });
  const { id: webhookId } = created.json<{ webhook: { id: string } }>().webhook;
  const id = newId('replay');
  const range = { since: new Date(0), until: new Date(), statuses: ['exhausted'], createdBy: 'x' };
  await admin
    .insertInto('webhookReplays')
    .values({ tenantId, id, webhookId, ...range, queued: 7 })
    .execute();
  expect((await list('kind=replay')).data).toMatchObject([{ id, tenantId, subject: webhookId, done: 7 }]);
  const refused = await retry({ kind: 'replay', id, tenantId });
  expect([refused.statusCode, refused.json<{ error: { reason: string } }>().error.reason]).toEqual([
    409,
    'restate_unavailable',
  ]);

  await inside(tenantId, (ctx) => setTimer(ctx, 'tenant-erasure', tenantId, new Date(Date.now() + 86_400_000)));
  expect((await list('kind=erasure')).data).toMatchObject([{ tenantId, tenantName: 'Test', canRetry: false }]);
});

test('lists failed syncs with the partial index', async () => {
  const { tenantId, botId } = await aTenant();
  await sql`insert into knowledge_sources (tenant_id, id, bot_id, kind, name, config, created_by, state)
    select ${tenantId}, 'ksrc_' || n, ${botId}, 'text', 'x', '{}', 'x', case when n % 1000 = 0 then 'failed' else 'ready' end
    from generate_series(1, 30000) as n`.execute(admin);
  await sql`analyze knowledge_sources`.execute(admin);
  const { rows } =
    await sql`explain select id from knowledge_sources where state = 'failed' order by id desc limit 26`.execute(admin);
  expect(JSON.stringify(rows)).toContain('knowledge_sources_unhealthy');
  const { data, nextCursor } = await list('kind=failed-sync&limit=25');
  expect(data).toHaveLength(25);
  expect(nextCursor).not.toBeNull();
});
