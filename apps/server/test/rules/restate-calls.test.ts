import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { implement, type ObjectContext } from '@restatedev/restate-sdk';
import { expect, onTestFinished, test } from 'vitest';
import { actionRunObject } from '../../src/features/actions/index.ts';
import { wakeRun } from '../../src/features/actions/run/action-run.interface.ts';
import { apiKeyExpiryService } from '../../src/features/api-keys/api-keys.interface.ts';
import { scheduleKeyExpiry } from '../../src/features/api-keys/api-keys.reactions.ts';
import { conversationObject } from '../../src/features/conversations/turn/conversation.interface.ts';
import {
  forceWakeConversation,
  wakeConversation,
} from '../../src/features/conversations/turn/conversation.interface.ts';
import { watchWaiting } from '../../src/features/conversations/assignment/waiting.reactions.ts';
import { wakeRotation } from '../../src/features/key-rotation/key-rotation.reactions.ts';
import { syncKnowledge } from '../../src/features/knowledge/knowledge.reactions.ts';
import { wakeReplay } from '../../src/features/webhooks/index.ts';
import type { Id } from '../../src/platform/ids.contract.ts';
import { instruments } from '../../src/platform/metrics/instruments.ts';
import { connectRestate, type RestateClient } from '../../src/platform/restate-client.ts';

const tenantId = 'ten_1' as Id<'tenant'>;
const runId = 'run_1' as Id<'actionRun'>;
const turn = { tenantId, conversationId: 'cnv_1' as Id<'conversation'>, turnId: 'trn_1' };
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** Records requests in place of Restate's ingress. */
async function aRecorder(status = 202) {
  const requests: { url: string; headers: Record<string, unknown>; body: unknown }[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      requests.push({ url: request.url ?? '', headers: request.headers, body });
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ invocationId: 'inv_1', status: 'Accepted' }));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test('a call of a service that is not registered counts as failed', async () => {
  const { url } = await aRecorder(404);
  await expect(wakeRun(connectRestate(url), { tenantId, runId }, { traceparent })).rejects.toThrow('404');
  const failed = 'parley_restate_request_duration_seconds_count{operation="send",outcome="failed"';
  expect(await instruments.metrics()).toContain(failed);
});

test('sends each call to the service and handler that Restate has stored, with token, idempotency key, delay and trace', async () => {
  const { requests, url } = await aRecorder();
  const restate = connectRestate(url, 'token of the ingress');
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  const event = (id: string, type: string, subjectId: string, object: object) =>
    ({
      id,
      type,
      subjectId,
      conversationId: subjectId,
      traceparent,
      body: JSON.stringify({ createdAt: inAnHour, data: { object } }),
    }) as never;

  await wakeRun(restate, { tenantId, runId }, { traceparent });
  await wakeConversation(restate, turn, traceparent);
  await forceWakeConversation(restate, turn);
  await wakeRotation(restate, 'rot_1');
  await wakeReplay(restate, tenantId, 'rpl_1', 'rpl_1');
  await scheduleKeyExpiry(restate)(tenantId, [
    event('evt_1', 'api_key.created', 'key_1', { expiresAt: '2100-01-01T00:00:00.000Z' }),
  ]);
  await watchWaiting(restate)(tenantId, [event('evt_4', 'conversation.handoff_requested', 'cnv_1', {})]);
  await syncKnowledge(restate)(tenantId, [
    event('evt_2', 'knowledge.sync_requested', 'src_1', {}),
    event('evt_3', 'knowledge.synced', 'src_1', { sync: { nextSyncAt: inAnHour } }),
  ]);

  expect(
    requests.map(({ url, headers, body }) => [
      url.replace(/=\d+ms$/, '=…ms'),
      body,
      headers['idempotency-key'],
      headers['traceparent'],
    ]),
  ).toEqual([
    ['/ActionRun/ten_1%2Frun_1/go/send', { tenantId, runId }, undefined, traceparent],
    ['/Conversation/ten_1%2Fcnv_1/run/send', turn, 'trn_1', traceparent],
    ['/Conversation/ten_1%2Fcnv_1/run/send', turn, undefined, undefined],
    ['/KeyRotation/rot_1/run/send', { rotationId: 'rot_1' }, undefined, undefined],
    ['/WebhookReplay/ten_1%2Frpl_1/run/send', { tenantId, replayId: 'rpl_1' }, 'rpl_1', undefined],
    [
      '/ApiKeyExpiry/warn/send?delay=…ms',
      { tenantId, keyId: 'key_1', expiresAt: '2100-01-01T00:00:00.000Z' },
      'ten_1/evt_1',
      traceparent,
    ],
    ['/WaitingConversation/check/send', { tenantId, conversationId: 'cnv_1' }, 'ten_1/evt_4', traceparent],
    [
      '/KnowledgeSource/ten_1%2Fsrc_1/sync/send',
      { tenantId, sourceId: 'src_1', syncId: 'evt_2' },
      'evt_2',
      traceparent,
    ],
    [
      '/KnowledgeSource/ten_1%2Fsrc_1/due/send?delay=…ms',
      { tenantId, sourceId: 'src_1', at: inAnHour },
      'evt_3',
      traceparent,
    ],
  ]);
  expect(new Set(requests.map(({ headers }) => headers['authorization']))).toEqual(
    new Set(['Bearer token of the ingress']),
  );
});

/** Never called: the compiler checks it, and reports each line below that is no longer an error. */
export function doNotCompile(restate: RestateClient, ctx: ObjectContext) {
  const run = { tenantId, runId };
  return [
    // @ts-expect-error no such handler
    restate.sendClient(conversationObject, 'ten_1/cnv_1').start(turn),
    // @ts-expect-error the input of another handler
    restate.sendClient(conversationObject, 'ten_1/cnv_1').run(run),
    // @ts-expect-error a misspelt field
    restate.sendClient(actionRunObject, 'ten_1/run_1').go({ tenantId, runID: runId }),
    // @ts-expect-error an object has a key
    restate.sendClient(actionRunObject).go(run),
    // @ts-expect-error a service by its name
    restate.sendClient({ name: 'ActionRun' }, 'ten_1/run_1').go(run),
    // @ts-expect-error the SDK's client that takes any name
    restate.objectSendClient({ name: 'ActoinRun' }, 'ten_1/run_1'),
    // @ts-expect-error no such handler of a service
    restate.sendClient(apiKeyExpiryService).expire({ tenantId, keyId: 'key_1', expiresAt: '' }),
    // @ts-expect-error no such handler, from another handler
    ctx.sendClient(actionRunObject, 'ten_1/run_1').start(run),
    // @ts-expect-error the input of another handler, from another handler
    ctx.client(actionRunObject, 'ten_1/run_1').go(turn),
    // @ts-expect-error a handler that the interface does not have
    implement(conversationObject, { handlers: { start: async () => {} } }),
    // @ts-expect-error a handler with another result
    implement(actionRunObject, { handlers: { go: async () => 'finished' } }),
  ];
}
