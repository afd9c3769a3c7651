import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { startReceiver } from '../../../../tools/receiver/index.ts';
import { workflows } from '../../src/features/durable.ts';
import type { Id } from '../../src/platform/ids.contract.ts';
import { aChatStack, startWorkerInProcess } from '../chat/fixture.ts';
import { services, openApi, type TestTenant } from '../harness.ts';
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
