import { rmSync } from 'node:fs';
import * as restate from '@restatedev/restate-sdk';
import { afterAll, expect, test } from 'vitest';
import { startRestate } from '../../../../../../tools/stack/index.ts';
import { anOperator, api, as, openApi, ownDir } from '../../../../test/harness.ts';
import { newId } from '../../../platform/ids.ts';
import { inPool } from '../../../platform/pool.ts';
import { productVersion } from '../../../platform/product-version.ts';
import { deploymentUrl } from '../../../platform/deployments.ts';
import { serveDurable } from '../../../platform/restate.ts';
import { createLog } from '../../../platform/telemetry.ts';
import type { Invocation } from './invocations.contract.ts';
import type { System } from '../system/system.contract.ts';

const dir = ownDir('operations-restate');
const restateClient = await startRestate(dir, { partitions: 4 });
const settings = { RESTATE_INGRESS_URL: restateClient.ingressUrl, RESTATE_ADMIN_URL: restateClient.adminUrl };
const server = await openApi(settings);
const manager = await anOperator();
const managerApi = as(manager.headers, server.app);
const support = as((await anOperator('support')).headers, server.app);
const tenantId = newId('tenant');

/** While true, the handlers throw an error with content that must not be shown. */
let isBroken = true;
const secret = 'somebody@example.com';
const visitorText = 'what a visitor wrote in confidence, all of it';
const fail = async () => {
  if (isBroken) throw new Error(`cannot write to ${secret}: "${visitorText}"\nwhsec_1234567890123456`);
};
const retryPolicy = { initialInterval: { milliseconds: 20 }, maxAttempts: 2, onMaxAttempts: 'pause' as const };
const slowRetryPolicy = { initialInterval: { hours: 1 }, maxAttempts: 300, onMaxAttempts: 'kill' as const };
const services = [
  restate.object({ name: 'WebhookReplay', handlers: { run: fail }, options: { retryPolicy } }),
  restate.object({ name: 'KnowledgeSource', handlers: { sync: fail }, options: { retryPolicy: slowRetryPolicy } }),
];
const log = createLog('test', 'silent');
const durable = { log, services, host: '127.0.0.1', identityKeys: [restateClient.identityKey] };
const worker = await serveDurable({ ...durable, port: 0 });
await fetch(`${restateClient.adminUrl}/deployments`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ uri: deploymentUrl(`http://127.0.0.1:${worker.port}`, productVersion) }),
});
afterAll(async () => {
  await server.close();
  await worker.stop(1);
  await restateClient.stop();
  rmSync(dir, { recursive: true, force: true });
});

const call = async (path: string) =>
  (
    (await (await fetch(`${restateClient.ingressUrl}/${path}/send`, { method: 'POST' })).json()) as {
      invocationId: string;
    }
  ).invocationId;
const replay = (name: string) => call(`WebhookReplay/${tenantId}%2F${name}/run`);
const list = async (query = '') =>
  (await support.get(`/admin/invocations${query}`)).json<{
    data: Invocation[];
    nextCursor: string | null;
    problem: string | null;
  }>();
const isListed = (id: string, status: string) => async () =>
  (await list(`?status=${status}`)).data.some((one) => one.id === id);
const reason = { reason: 'fixed the cause' };
const soon = { timeout: 10_000 };

test('lists a paused invocation with its tenant, failure and advice, and resumes it', async () => {
  isBroken = true;
  const id = await replay('rpl_paused');
  await expect.poll(isListed(id, 'paused'), soon).toBe(true);
  const { data, problem } = await list('?status=paused&service=WebhookReplay');
  expect(problem).toBeNull();
  const [shown] = data;
  expect(shown).toMatchObject({
    id,
    tenantId,
    subject: 'rpl_paused',
    what: 'Webhook replay',
    failureCode: 'RT0007',
  });
  expect(shown?.failure).toBe('cannot write to [email]: "…"');
  expect(shown?.advice).toContain('resume');
  expect(JSON.stringify(data)).not.toMatch(/somebody|confidence|whsec|node_modules/);
  const system = (await support.get('/admin/system')).json<System>().parts.find(({ name }) => name === 'restate');
  expect(system?.advice.map(({ name }) => name)).toEqual(['restate-paused']);

  expect((await support.post(`/admin/invocations/${id}/resume`, reason)).statusCode).toBe(403);
  isBroken = false;
  expect((await managerApi.post(`/admin/invocations/${id}/resume`, reason)).statusCode).toBe(200);
  await expect.poll(isListed(id, 'paused'), soon).toBe(false);
  const again = await managerApi.post(`/admin/invocations/${id}/resume`, reason);
  expect([again.statusCode, again.json<{ error: { reason: string } }>().error.reason]).toEqual([
    404,
    'invocation_not_found',
  ]);
});

test('retries an invocation immediately instead of after its one-hour backoff', async () => {
  isBroken = true;
  const id = await call(`KnowledgeSource/${tenantId}%2Fksrc_x/sync`);
  await expect.poll(isListed(id, 'backing-off'), soon).toBe(true);
  const [shown] = (await list('?status=backing-off')).data;
  expect(shown?.nextAt && Date.parse(shown.nextAt) - Date.now()).toBeGreaterThan(1_800_000);
  expect(shown?.attempts).toBe(1);
  expect(shown?.afterKill).toContain('sweeper');
  isBroken = false;
  expect((await managerApi.post(`/admin/invocations/${id}/resume`, reason)).statusCode).toBe(200);
  await expect.poll(isListed(id, 'backing-off'), soon).toBe(false);
});

test('kill requires step-up authentication, ends the invocation and records the reason in the audit log', async () => {
  isBroken = true;
  const [killed, cancelled] = [await replay('rpl_killed'), await replay('rpl_cancelled')];
  for (const id of [killed, cancelled]) await expect.poll(isListed(id, 'paused'), soon).toBe(true);
  expect((await list()).data.find(({ id }) => id === killed)?.afterKill).toContain('retry it under Jobs');
  const stale = as((await anOperator('platform_admin', { auth_time: 1 })).headers, server.app);
  expect((await stale.post(`/admin/invocations/${killed}/kill`, reason)).json()).toMatchObject({
    error: { reason: 'step_up_required' },
  });
  expect((await managerApi.post(`/admin/invocations/${killed}/kill`, reason)).statusCode).toBe(200);
  await expect.poll(isListed(killed, 'paused'), soon).toBe(false);
  // A paused invocation receives the cancellation only after it is resumed.
  isBroken = false;
  expect((await managerApi.post(`/admin/invocations/${cancelled}/cancel`, reason)).statusCode).toBe(200);
  await expect.poll(isListed(cancelled, 'paused'), soon).toBe(false);

  const entries = await inPool(server.platform.services.db, 'admin', (tx) =>
    tx
      .selectFrom('auditEntries')
      .select(['action', 'actorId', 'data'])
      .where('action', '=', 'invocation.kill_asked')
      .execute(),
  );
  expect(entries).toMatchObject([
    { actorId: manager.userId, data: { id: killed, service: 'WebhookReplay', reason: reason.reason } },
  ]);
});

test('pages through the list, newest first, without gaps or duplicates', async () => {
  isBroken = true;
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c']) {
    const id = await replay(`rpl_${name}`);
    await expect.poll(isListed(id, 'paused'), soon).toBe(true); // one at a time, as the order of equal timestamps is undefined
    ids.push(id);
  }
  const listed: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: Awaited<ReturnType<typeof list>> = await list(`?status=paused&limit=1${cursor && `&cursor=${cursor}`}`);
    listed.push(...page.data.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  expect(listed).toEqual(ids.toReversed());
  expect((await support.get('/admin/invocations?cursor=nonsense')).statusCode).toBe(400);
});

test('returns 200 or 409, never 5xx, while Restate is unavailable or its admin URL is not set', async () => {
  const unconfigured = as(manager.headers, api.app);
  expect((await unconfigured.get('/admin/invocations')).json()).toMatchObject({
    data: [],
    problem: expect.stringContaining('RESTATE_ADMIN_URL'),
  });
  const id = 'inv_1hRlpMSULkxO46uMBDfi2dlGbcIbKSOyLs';
  expect((await managerApi.post(`/admin/invocations/${id}/resume`, reason)).statusCode).toBe(404);
  await restateClient.kill();
  const { problem } = await list();
  expect(problem).toContain('is not responding');
  const refused = await managerApi.post(`/admin/invocations/${id}/resume`, reason);
  expect([refused.statusCode, refused.json<{ error: { reason: string } }>().error.reason]).toEqual([
    409,
    'restate_unavailable',
  ]);
  await restateClient.start();
});
