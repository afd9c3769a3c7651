import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { startReceiver } from '../../../../tools/receiver/index.ts';
import { defineEvent, emit } from '../../src/platform/events.ts';
import type { Id } from '../../src/platform/ids.contract.ts';
import { z } from 'zod';
import { aChatStack, aWorkerHere } from '../chat/fixture.ts';
import { inside, openApi, type TestTenant } from '../harness.ts';

/** Something happens: an event of which nothing else hears. */
const happened = defineEvent('test.happened', z.object({ object: z.object({ n: z.int() }) }), { isAudited: false });
export const happen = (
  { tenantId }: Pick<TestTenant, 'tenantId'>,
  n: number,
  about: { conversationId?: string; environmentId?: string; botId?: string; sequence?: number } = {},
) => inside(tenantId, (ctx) => emit(ctx, happened, `subject-${n}`, { object: { n } }, about as never));

/** A receiver over TLS, a Restate, a worker, and an API that may call that receiver. */
export async function aWebhookStack() {
  const receiver = await startReceiver();
  const stack = await aChatStack();
  const caFile = join(stack.dir, 'receiver-ca.pem');
  writeFileSync(caFile, receiver.caPem);
  const webhookSettings = {
    ...stack.chatSettings,
    EGRESS_TENANT_OPEN_HOSTS: receiver.host,
    EGRESS_CA_FILE: caFile,
  };
  const worker = await aWorkerHere(webhookSettings);
  const api = await openApi(webhookSettings);
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
