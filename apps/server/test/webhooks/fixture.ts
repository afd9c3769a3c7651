import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql, type RawBuilder } from 'kysely';
import { afterAll } from 'vitest';
import { startReceiver } from '../../../../tools/receiver/index.ts';
import { workflows } from '../../src/features/durable.ts';
import type { Id } from '../../src/platform/ids.contract.ts';
import { aChatStack, startWorkerInProcess } from '../chat/fixture.ts';
import { hintLanes } from '../../src/platform/lane-hints.ts';
import { admin, services, openApi, type TestTenant } from '../harness.ts';
import { emitTestEventIn, testEvent, type EventOptions } from './test-event.ts';

export { emitTestEventIn, testEvent };

export const emitTestEvent = ({ tenantId }: Pick<TestTenant, 'tenantId'>, n: number, options: EventOptions = {}) =>
  emitTestEventIn(services, tenantId, n, options);

/** A TLS receiver, Restate, a worker and an API. Requests to the receiver, to these ports and to these hosts are allowed. */
export async function aWebhookStack({
  ports = [] as readonly number[],
  hosts = [] as readonly string[],
  durable = workflows,
} = {}) {
  const receiver = await startReceiver({ keep: 1_000_000 });
  const stack = await aChatStack();
  const caFile = join(stack.dir, 'receiver-ca.pem');
  writeFileSync(caFile, receiver.caPem);
  const webhookSettings = {
    ...stack.chatSettings,
    EGRESS_TENANT_OPEN_HOSTS: [receiver.host, ...ports.map((port) => `localhost:${port}`), ...hosts].join(','),
    EGRESS_CA_FILE: caFile,
  };
  const worker = await startWorkerInProcess(webhookSettings, durable);
  const api = await openApi({ LOG_LEVEL: process.env['CHAT_LOG'] ?? 'silent', ...webhookSettings });
  afterAll(async () => {
    await api.close();
    await worker.stop();
    await receiver.stop();
  });
  return { ...stack, webhookSettings, receiver, worker, api };
}

export interface CreatedWebhook {
  webhook: { id: Id<'webhook'>; status: string; health: { waiting: number } };
  secret: string;
}

/** Reads what a step of a test has changed in the database, as after a change by the API. */
export const rereadEndpoint = (tenantId: Id<'tenant'>, webhookId: string) =>
  hintLanes(services.notify, tenantId, [webhookId], { isChanged: true });

/** The same for all endpoints. */
export async function rereadAll() {
  const all = await admin.selectFrom('webhooks').select(['tenantId', 'id']).execute();
  for (const { tenantId, id } of all) rereadEndpoint(tenantId as Id<'tenant'>, id);
}

/** Simulates the past of endpoints. */
export const patchHealth = (where: RawBuilder<unknown>, patch: RawBuilder<unknown>) =>
  sql`update webhook_health set health = health || ${patch}, revision = revision + 1
    where webhook_id in (select id from webhooks where ${where})`.execute(admin);
