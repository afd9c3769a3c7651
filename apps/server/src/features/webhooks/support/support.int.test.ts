import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  admin,
  anOperator,
  api,
  aTenant,
  eventsOf,
  inside,
  type Response,
  type TestTenant,
} from '../../../../test/harness.ts';
import { operationsOf } from '../../../../test/openapi-walk.ts';
import { findViolation } from '../../../../test/rules/responses.ts';
import { emit, defineEvent } from '../../../platform/events.ts';
import { newId } from '../../../platform/ids.ts';
import { z } from 'zod';
import type { CreatedWebhook } from '../../../../test/webhooks/fixture.ts';
import type { SupportedDelivery, SupportedEndpoint } from './support.contract.ts';

const refusal = (res: Response) => [res.statusCode, res.json<{ error?: { reason: string } }>().error?.reason];
const reason = 'Ticket 12: their server is back';
const secrets = ['s3cr3t-path', 'k3y-in-query', 'h3ader-value', 'r3sponse-body', 'v1sitor-message'];
const testEvent = defineEvent('test.supported', z.object({ object: z.object({ text: z.string() }) }), {
  permission: 'webhook.view',
  isAudited: false,
});

type Status = SupportedEndpoint['status'];
/** An endpoint in this state, with one pending and one exhausted delivery, both answered with 302. */
async function anEndpoint(status: Status, { tenant, health = {} }: { tenant?: TestTenant; health?: object } = {}) {
  const own = tenant ?? (await aTenant());
  const { tenantId } = own;
  const created = await own.post('/webhooks', {
    url: 'https://hooks.example/s3cr3t-path?k3y-in-query=1',
    eventTypes: ['*'],
    headers: { 'x-key': 'h3ader-value' },
  });
  expect(created.statusCode, created.body).toBe(201);
  const { id } = created.json<CreatedWebhook>().webhook;
  const failing = { failures: 12, failingSince: '2026-01-02T03:04:05.000Z', last: { eventId: 'evt_x', problem: hint } };
  await sql`update webhooks set status = ${status} where tenant_id = ${tenantId} and id = ${id}`.execute(admin);
  await sql`insert into webhook_health (tenant_id, webhook_id, health, last_failure_at, last_failure_status)
    values (${tenantId}, ${id}, ${JSON.stringify({ ...failing, ...health })}::jsonb, now(), 302)`.execute(admin);
  const event = await inside(tenantId, (ctx) => emit(ctx, testEvent, 'x', { object: { text: 'v1sitor-message' } }));
  await sql`update webhook_queue set attempts = 1, log = ${JSON.stringify([attempt])}::jsonb where tenant_id = ${tenantId} and webhook_id = ${id}`.execute(
    admin,
  );
  const exhaustedId = newId('delivery');
  await sql`insert into webhook_deliveries (tenant_id, id, webhook_id, event_id, event_type, position, is_replay, status, attempts, log, created_at)
    select tenant_id, ${exhaustedId}, webhook_id, event_id, event_type, position, false, 'exhausted', 13, log, created_at
    from webhook_queue where tenant_id = ${tenantId} and webhook_id = ${id}`.execute(admin);
  return { tenant: own, id, exhaustedId, event };
}
const hint =
  'Your endpoint returned 302 to https://hooks.example/s3cr3t-path?k3y-in-query=1. We don’t follow redirects.';
const attempt = {
  id: 'att_1',
  number: 1,
  at: '2026-01-02T03:04:05.000Z',
  outcome: 'failed',
  status: 302,
  error: null,
  hint,
  timings: { dnsMs: 1, connectMs: 2, tlsMs: 3, firstByteMs: 4, totalMs: 5 },
  ip: '203.0.113.7',
  response: 'r3sponse-body',
};

const support = await anOperator('support');
const platformAdmin = await anOperator();
const operations = operationsOf(api.app.swagger());
/** Every page of a list, each as the OpenAPI document describes it and without secrets. */
const all = async <T>(path: string): Promise<T[]> => {
  const found: T[] = [];
  const operation = operations.find(
    ({ method, pathTemplate }) => method === 'GET' && pathTemplate === path.split('?')[0],
  );
  for (let cursor = ''; ;) {
    const res = await support.get(`${path}${path.includes('?') ? '&' : '?'}limit=2${cursor && `&cursor=${cursor}`}`);
    expect(res.statusCode, res.body).toBe(200);
    if (!operation) throw new Error(`the document has no GET ${path}`);
    expect(findViolation(operation, res)).toBeUndefined();
    for (const secret of secrets) expect(res.body).not.toContain(secret);
    const { data, nextCursor } = res.json<{ data: T[]; nextCursor: string | null }>();
    found.push(...data);
    if (nextCursor === null) return found;
    cursor = nextCursor;
  }
};

test('lists unhealthy endpoints of all tenants, with an explanation and only the host of the URL', async () => {
  const endpoints = [
    await anEndpoint('failing'),
    await anEndpoint('broken'),
    await anEndpoint('disabled', { health: { disabledAt: '2026-02-02T00:00:00.000Z' } }),
    await anEndpoint('paused'),
  ];
  const healthy = await anEndpoint('active');
  const found = await all<SupportedEndpoint & { since: string }>('/admin/endpoints');
  const mine = found.filter(({ id }) => [...endpoints, healthy].some((one) => one.id === id));
  expect(mine.map(({ id, status, since }) => [id, status, since])).toEqual([
    [endpoints[3]?.id, 'paused', '2026-01-02T03:04:05.000Z'],
    [endpoints[2]?.id, 'disabled', '2026-02-02T00:00:00.000Z'],
    [endpoints[1]?.id, 'broken', '2026-01-02T03:04:05.000Z'],
    [endpoints[0]?.id, 'failing', '2026-01-02T03:04:05.000Z'],
  ]);
  expect(mine[2]).toMatchObject({
    tenantId: endpoints[1]?.tenant.tenantId,
    tenantName: 'Test',
    host: 'hooks.example',
    waiting: 1,
    oldestWaitingAt: expect.any(String),
    lastFailureStatus: 302,
    why: expect.stringMatching(
      /^12 requests in a row failed\. New events are queued.* Last failure: Your endpoint returned 302 to hooks\.example/,
    ),
  });
  const only = await all<SupportedEndpoint>('/admin/endpoints?status=disabled');
  expect(only.every(({ status }) => status === 'disabled')).toBe(true);
  expect(only.map(({ id }) => id)).toContain(endpoints[2]?.id);
});

test('lists queued and exhausted deliveries of all tenants or of one', async () => {
  const [broken, paused, failing] = [
    await anEndpoint('broken'),
    await anEndpoint('paused'),
    await anEndpoint('failing'),
  ];
  const webhookIdsOf = (rows: SupportedDelivery[]) => rows.map(({ webhookId }) => webhookId);
  const waiting = await all<SupportedDelivery>('/admin/deliveries?state=held');
  expect(webhookIdsOf(waiting)).toEqual(expect.arrayContaining([broken.id, paused.id]));
  expect(webhookIdsOf(waiting)).not.toContain(failing.id); // still being delivered to
  const [own] = await all<SupportedDelivery>(`/admin/deliveries?state=held&tenantId=${broken.tenant.tenantId}`);
  expect(own).toMatchObject({
    status: 'pending',
    isHeld: true,
    eventType: 'test.supported',
    attempts: 1,
    lastStatus: 302,
  });
  const exhausted = await all<SupportedDelivery>(
    `/admin/deliveries?state=exhausted&tenantId=${failing.tenant.tenantId}`,
  );
  expect(exhausted).toMatchObject([{ id: failing.exhaustedId, status: 'exhausted', attempts: 13, isHeld: false }]);
  expect((await all<SupportedDelivery>('/admin/deliveries?state=exhausted')).map(({ id }) => id)).toEqual(
    expect.arrayContaining([broken.exhaustedId, paused.exhaustedId, failing.exhaustedId]),
  );
});

test('lists deliveries that were never attempted, or whose last attempt was interrupted', async () => {
  const { tenant, id } = await anEndpoint('paused');
  const interrupted = { ...attempt, outcome: 'unknown', status: null, error: 'unknown', hint: null, timings: null };
  await sql`update webhook_queue set log = ${JSON.stringify([attempt, interrupted])}::jsonb where webhook_id = ${id}`.execute(
    admin,
  );
  await inside(tenant.tenantId, (ctx) => emit(ctx, testEvent, 'x', { object: { text: 'v1sitor-message' } }));
  expect(await all<SupportedDelivery>(`/admin/deliveries?state=held&tenantId=${tenant.tenantId}`)).toMatchObject([
    { attempts: 0, lastStatus: null, hint: null },
    { attempts: 1, lastStatus: null, hint: expect.stringMatching(/./) },
  ]);
});

test('returns an endpoint, its deliveries and attempts without request bodies, responses and header values', async () => {
  const { tenant, id, exhaustedId } = await anEndpoint('broken');
  const path = `/admin/tenants/${tenant.tenantId}/webhooks/${id}`;
  const responses = await Promise.all(
    ['', '/deliveries', `/deliveries/${exhaustedId}`].map((end) => support.get(path + end)),
  );
  for (const { statusCode, body } of responses) {
    expect(statusCode, body).toBe(200);
    for (const secret of secrets) expect(body).not.toContain(secret);
  }
  expect(responses[2]?.json()).toMatchObject({
    delivery: {
      id: exhaustedId,
      isReplayable: true,
      log: [{ number: 1, status: 302, timings: { totalMs: 5 }, ip: '203.0.113.7' }],
    },
  });
  const stranger = await aTenant();
  for (const end of ['', '/deliveries', `/deliveries/${exhaustedId}`])
    expect((await support.get(`/admin/tenants/${stranger.tenantId}/webhooks/${id}${end}`)).statusCode, end).toBe(404);
  const unknownTenant = await support.get(`/admin/tenants/${newId('tenant')}/webhooks/${id}`);
  expect(refusal(unknownTenant)).toEqual([404, 'tenant_not_found']);
});

test("returns 201 when a platform admin replays a delivery or a range, records it in the tenant's audit log, and returns 403 for support", async () => {
  const { tenant, id, exhaustedId } = await anEndpoint('failing');
  const path = `/admin/tenants/${tenant.tenantId}/webhooks/${id}`;
  const range = { since: '2026-01-01T00:00:00Z', until: new Date(Date.now() + 60_000).toISOString(), reason };
  expect(refusal(await support.post(`${path}/deliveries/${exhaustedId}/replay`, { reason }))).toEqual([
    403,
    'permission_missing',
  ]);
  expect(refusal(await support.post(`${path}/replay`, range))).toEqual([403, 'permission_missing']);
  for (const body of [{}, { reason: ' x ' }])
    expect((await platformAdmin.post(`${path}/deliveries/${exhaustedId}/replay`, body)).statusCode).toBe(400);

  const one = await platformAdmin.post(`${path}/deliveries/${exhaustedId}/replay`, { reason });
  expect(one.statusCode, one.body).toBe(201);
  expect(one.json()).toMatchObject({ delivery: { status: 'pending', isReplay: true, webhookId: id } });
  const many = await platformAdmin.post(`${path}/replay`, range);
  expect(many.statusCode, many.body).toBe(201);
  const { replay } = many.json<{ replay: { id: string; total: number; state: string } }>();
  expect(replay).toMatchObject({ state: 'running', queued: 0, total: 1 });
  expect((await support.get(`${path}/replays/${replay.id}`)).json()).toEqual({ replay });
  expect((await support.get(path)).json()).toMatchObject({ endpoint: { replays: [replay] } });

  const actor = { type: 'operator', id: platformAdmin.userId };
  const log = (await tenant.get('/audit-log?limit=2')).json<{ data: unknown[] }>().data;
  expect(log).toMatchObject([
    { action: 'webhook.replay_started', actor, data: { reason, object: { id: replay.id } } },
    { action: 'webhook.delivery_replayed', actor, data: { reason, object: { replayOf: exhaustedId } } },
  ]);
  expect(await eventsOf(tenant.tenantId)).toContain('webhook.delivery_replayed');
});

test('returns 422 event_expired when the event is past retention, and changes nothing', async () => {
  const { tenant, id, exhaustedId } = await anEndpoint('failing');
  await sql`delete from events where tenant_id = ${tenant.tenantId}`.execute(admin);
  const path = `/admin/tenants/${tenant.tenantId}/webhooks/${id}/deliveries/${exhaustedId}`;
  expect((await support.get(path)).json()).toMatchObject({ delivery: { isReplayable: false } });
  expect(refusal(await platformAdmin.post(`${path}/replay`, { reason }))).toEqual([422, 'event_expired']);
  expect(await eventsOf(tenant.tenantId)).toEqual([]);
});
