import { sql } from 'kysely';
import { newId } from '../../src/platform/ids.ts';
import { admin, type TestTenant } from '../harness.ts';
import { resetLimitsOf } from './chats.ts';

/** An endpoint that nothing is sent to, with one pending delivery, one finished delivery and a replay. */
export async function plantWebhook(tenant: TestTenant, text = 'hook'): Promise<string[]> {
  await resetLimitsOf(tenant.tenantId);
  const response = await tenant.post('/webhooks', {
    url: 'https://hooks.example.com/',
    description: text,
    eventTypes: ['usage.threshold_reached'],
  });
  if (response.statusCode !== 201) throw new Error(response.body);
  const { webhook } = response.json<{ webhook: { id: string } }>();
  const { tenantId } = tenant;
  await admin.updateTable('webhooks').set({ url: 'https://hooks.internal/' }).where('id', '=', webhook.id).execute();
  const event = await admin
    .selectFrom('events')
    .select(['id', 'type', 'position'])
    .where('tenantId', '=', tenantId)
    .orderBy('position')
    .executeTakeFirstOrThrow();
  const [pending, finished, replay] = [newId('delivery'), newId('delivery'), newId('replay')];
  const row = {
    tenantId,
    webhookId: webhook.id,
    eventId: event.id,
    eventType: event.type,
    position: event.position,
    createdAt: sql<Date>`now()`,
  };
  await admin
    .insertInto('webhookQueue')
    .values({ ...row, id: pending, nextAttemptAt: sql<Date>`now() + interval '1 day'` })
    .execute();
  await admin
    .insertInto('webhookDeliveries')
    .values({ ...row, id: finished, isReplay: false, status: 'exhausted', attempts: 1, log: '[]' })
    .execute();
  await admin
    .insertInto('webhookReplays')
    .values({
      tenantId,
      id: replay,
      webhookId: webhook.id,
      since: new Date(0),
      until: new Date(),
      statuses: ['exhausted'],
      createdBy: 'test',
    })
    .execute();
  return [webhook.id, pending, finished, replay];
}
