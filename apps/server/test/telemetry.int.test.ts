import { expect, test } from 'vitest';
import { aShop, handleCalls, lookUp, reply, type Handler, type SendResult } from './actions/fixture.ts';
import type { Span } from './collector.ts';
import { rightPassword, wrongPassword, anAccount } from './identity/accounts-fixture.ts';
import { documentedFields } from './documented-log.ts';
import { documentedMetrics, scrape, type Scrape } from './scraped.ts';
import { planted, remoteApp, startTelemetryStack } from './telemetry-stack.ts';

// Most of the time goes into starting these, which isn't what the tests are about: it has no separate limit.
const stack = await startTelemetryStack();
const { api, worker, portal, url, ports, collector, model, receiver } = stack;
/** Of the first message. */
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
/** Contents that the tests send. */
const contents = new Set(['canary', 'A-4711', 'Hamburg', planted.modelKey, rightPassword, wrongPassword]);
const app = remoteApp(url);
const handlers = new Map<string, Handler>();
handleCalls(receiver, handlers);

const scrapeBoth = async () => ({ api: await scrape(ports.api), worker: await scrape(ports.worker) });
const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(url + path, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const backend: Handler = (_call, response) => reply(response, 200, { output: { status: 'canary-output in Hamburg' } });

/** A shop whose bot answers with a model that looks up an order, and whose events go to the receiver. */
async function aShopWithModel() {
  const shop = await aShop({ receiver, api: { ...stack, app } as never }, handlers, backend, [lookUp], {
    answers: { mode: 'model' },
  });
  const webhook = { url: `${receiver.url}/events/canary-path?token=canary-query`, eventTypes: ['*'] };
  const created = await shop.tenant.post('/webhooks', { ...webhook, headers: { 'x-shop': 'canary-header' } });
  expect(created.statusCode, created.body).toBe(201);
  receiver.secrets.push(created.json<{ secret: string }>().secret);
  model.script = (request) =>
    request.messages.some(({ role }) => role === 'tool')
      ? { tokens: ['It', 'is', 'in', 'Hamburg.'], everyMs: 100 }
      : { tokens: [], everyMs: 0, toolCalls: [{ name: 'order_status', input: { orderId: 'A-4711' } }] };
  for (const secret of [shop.secret, shop.bot.publicKey, shop.tenant.token]) contents.add(secret);
  return shop;
}

test('one trace leads from a message through retrieval, model and action to the webhooks, and has no contents', async () => {
  const shop = await aShopWithModel();
  const visitor = await shop.visitor();
  const incoming = '00f067aa0ba902b7';
  contents.add(visitor.sessionToken);
  const message = `canary-message: where is A-4711? Write to canary@example.com`;
  const context = { email: 'canary-typed@example.com', pageUrl: 'https://shop.example/canary-page' };
  const answered = await post(
    `/widget/chatbots/${shop.bot.botId}/message`,
    { sessionToken: visitor.sessionToken, message, context },
    { ...visitor.headers, traceparent: `00-${traceId}-${incoming}-01` },
  );
  expect(await answered.json()).toMatchObject({ reply: { text: 'It is in Hamburg.' } });

  const spans = () => collector.spans.filter((span) => span.traceId === traceId);
  const named = (name: string) => spans().filter((span) => span.name === name);
  const received = () => receiver.calls.filter(({ body }) => body.includes(traceId));
  await expect
    .poll(() => received().filter(({ body }) => body.includes('"role":"bot"')).length, { timeout: 10_000 })
    .toBe(1);
  await expect.poll(() => named('webhook').length).toBe(received().length);
  const namesOf = (service: string) =>
    spans()
      .flatMap((span) => (span.service === service ? span.name : []))
      .toSorted();
  await expect
    .poll(() => namesOf('parley-api'))
    .toEqual(['POST /widget/chatbots/:botId/message', 'publish conversation.created', 'publish message.created']);
  await expect
    .poll(() => namesOf('parley-worker'))
    .toEqual([
      'Conversation.run',
      'Conversation.run begin',
      'Conversation.run model 1',
      'Conversation.run model 2',
      'Conversation.run save reply',
      'chat test',
      'chat test',
      'embeddings test-embedding',
      'execute_tool order_status',
      'publish action.invoked',
      'publish action.succeeded',
      'publish message.created',
      'retrieval',
      'retrieval',
      ...Array<string>(5).fill('webhook'),
    ]);

  const byId = new Map(spans().map((span) => [span.spanId, span]));
  const parentOf = ({ parentSpanId = '' }: Span) => byId.get(parentSpanId)?.name;
  const [request] = named('POST /widget/chatbots/:botId/message');
  expect(request?.parentSpanId).toBe(incoming);
  expect(spans().filter((span) => span !== request && parentOf(span) === undefined)).toEqual([]);
  expect(named('retrieval').map(parentOf)).toEqual(['Conversation.run model 1', 'Conversation.run model 2']);
  expect(named('chat test').map(parentOf)).toEqual(['Conversation.run model 1', 'Conversation.run model 2']);
  expect(named('chat test').map(({ attributes }) => attributes)).toEqual(
    ['tool_calls', 'stop'].map((reason) => ({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai-compatible',
      'gen_ai.request.model': 'test',
      'gen_ai.response.model': 'test',
      'gen_ai.response.finish_reasons': [reason],
      'gen_ai.usage.input_tokens': expect.stringMatching(/^\d+$/) as string,
      'gen_ai.usage.output_tokens': expect.stringMatching(/^\d+$/) as string,
    })),
  );
  // Each request to the tenant's server names the span of its attempt, and each attempt follows its event.
  for (const { headers, path } of received()) {
    const span = byId.get(String(headers['traceparent']).slice(36, 52));
    const isAction = path.startsWith('/actions/');
    expect(span?.name).toBe(isAction ? 'execute_tool order_status' : 'webhook');
    if (span && !isAction) expect(parentOf(span)).toBe(`publish ${String(headers['x-service-event'])}`);
  }

  const sent = collector.spans.map(({ text }) => text).join('\n');
  for (const content of [...contents, '@']) expect(sent).not.toContain(content);
  // What the test asked for without a traceparent has traces as well.
  expect(collector.spans.filter(({ kind, parentSpanId }) => kind === 2 && !parentSpanId)).not.toEqual([]);
});

/** A chat with a model that calls an action, webhooks about it, sign-ins, an email, and refusals. */
async function useEverything() {
  const shop = await aShopWithModel();
  const { tenant } = shop;
  const visitor = await shop.visitor();
  const answered = (await visitor.say('where is A-4711?')).json<SendResult>();
  expect(answered).toMatchObject({ reply: { text: 'It is in Hamburg.' }, turn: { status: 'done', mode: 'model' } });

  const invited = await tenant.post('/invitations', { email: 'new@example.com', roles: ['agent'] });
  expect(invited.statusCode, invited.body).toBe(201);

  const { email } = await anAccount();
  contents.add(email);
  expect((await post('/auth/login', { email, password: rightPassword })).status).toBe(200);
  let status = 401;
  for (let attempts = 0; attempts < 20 && status === 401; attempts++)
    ({ status } = await post('/auth/login', { email, password: wrongPassword }));
  expect(status).toBe(429);

  const limited = await tenant.patch(`/bots/${tenant.botId}`, { limits: { spendPerDay: 0 } });
  expect(limited.statusCode, limited.body).toBe(200);
  const quoted = (await visitor.say('What does delivery cost?')).json<SendResult>();
  expect(quoted).toMatchObject({ turn: { mode: 'fallback', reason: 'budget_spent' } });

  const stream = await fetch(`${url}/widget/conversations/${answered.conversationId}/events`, {
    headers: { ...visitor.headers, accept: 'text/event-stream' },
  });
  expect(stream.status).toBe(200);
  return { endStream: () => stream.body?.cancel() };
}

/** Nothing in the test makes these happen: a blocked event loop, an exhausted pool, lost work. */
const atRest = new Set([
  'parley_event_loop_blocked_total',
  'db_client_connection_timeouts_total',
  'parley_sweeper_recovered_total',
  'parley_messages_refused_total', // test/chat/overload.int.test.ts
]);

test('every documented counter and histogram moves with what it counts', async () => {
  const before = await scrapeBoth();
  const { endStream } = await useEverything();
  const totalOf = (scraped: Record<string, Scrape>, name: string, type: string) =>
    Object.values(scraped).reduce(
      (sum, one) => sum + (one.value(type === 'histogram' ? `${name}_count` : name) ?? 0),
      0,
    );
  const moving = documentedMetrics().filter(
    ({ name, type, processes }) => type !== 'gauge' && processes.some((one) => one in ports) && !atRest.has(name),
  );
  const still = async () => {
    const after = await scrapeBoth();
    return moving.filter(({ name, type }) => totalOf(after, name, type) === 0);
  };
  await expect.poll(async () => (await still()).map(({ name }) => name), { timeout: 30_000 }).toEqual([]);
  // The test before this one has sent emails too.
  const sentEmails = ({ worker }: typeof before) => worker.value('parley_emails_total', { outcome: 'sent' }) ?? 0;
  await expect.poll(async () => sentEmails(await scrapeBoth())).toBeGreaterThan(sentEmails(before));

  const after = await scrapeBoth();
  const of = (role: keyof typeof after, name: string, labels: Record<string, string>) =>
    (after[role].value(name, labels) ?? 0) - (before[role].value(name, labels) ?? 0);
  const provider = { gen_ai_provider_name: 'openai-compatible' };
  const chat = { ...provider, gen_ai_operation_name: 'chat', error_type: '' };
  expect(of('worker', 'gen_ai_client_operation_duration_seconds_count', chat)).toBe(2);
  expect(of('worker', 'parley_turn_duration_seconds_count', { mode: 'model', outcome: 'answered' })).toBe(1);
  expect(of('worker', 'parley_turn_first_token_seconds_count', { mode: 'model' })).toBe(1);
  expect(of('worker', 'parley_turn_first_token_seconds_count', { mode: 'fallback' })).toBe(1);
  const streamedFor =
    of('worker', 'parley_turn_duration_seconds_sum', { mode: 'model' }) -
    of('worker', 'parley_turn_first_token_seconds_sum', { mode: 'model' });
  expect(streamedFor).toBeGreaterThan(0.2);
  expect(of('worker', 'parley_budget_refusals_total', { budget: 'bot_spend' })).toBeGreaterThan(0);
  expect(of('worker', 'parley_action_runs_total', { outcome: 'succeeded' })).toBe(1);
  expect(of('api', 'parley_sign_ins_total', { method: 'password', outcome: 'succeeded' })).toBe(1);
  expect(of('api', 'parley_sign_ins_total', { method: 'password', outcome: 'failed' })).toBeGreaterThan(0);
  expect(of('api', 'parley_sign_ins_total', { method: 'password', outcome: 'throttled' })).toBe(1);
  expect(of('api', 'parley_rate_limited_requests_total', { limit: 'sign-in' })).toBe(1);
  const attempts = { outcome: 'succeeded' };
  expect(of('worker', 'parley_webhook_attempts_total', attempts)).toBe(
    of('worker', 'parley_webhook_commit_to_attempt_seconds_count', {}),
  );
  expect(after.worker.value('parley_certificate_expires_timestamp_seconds')).toBeGreaterThan(Date.now() / 1_000);
  expect(after.worker.value('parley_webhook_lanes')).toBe(64);
  expect(after.worker.value('parley_partition_days_ahead')).toBeGreaterThanOrEqual(13);
  expect(Math.abs(after.api.value('parley_clock_offset_seconds') ?? 9)).toBeLessThan(1);
  expect(after.api.value('parley_open_streams')).toBe(1);
  await endStream();
});

test('docs/operators/metrics.md lists every metric of API and worker with its type and labels, and no other', async () => {
  const scraped = await scrapeBoth();
  for (const [role, one] of Object.entries(scraped)) {
    const documented = documentedMetrics().filter(({ processes }) => processes.includes(role));
    const shown = [...one.types].map(([name, type]) => `${name} ${type}`);
    expect(shown.toSorted()).toEqual(documented.map(({ name, type }) => `${name} ${type}`).toSorted());
    for (const { name, labels } of documented)
      if (one.labelsOf(name).length > 0) expect([name, one.labelsOf(name)]).toEqual([name, labels]);
    expect(new Set(one.samples.map(({ labels }) => labels['role']))).toEqual(new Set([role]));
    const components =
      role === 'worker' ? ['mail', 'postgresql', 'restate', 'valkey'] : ['postgresql', 'restate', 'valkey'];
    for (const component of components)
      expect([component, one.value('parley_component_up', { component })]).toEqual([component, 1]);
  }
});

test('no label contains an id, an email address or an IP address', async () => {
  const values = Object.values(await scrapeBoth()).flatMap(({ samples }) =>
    samples.flatMap(({ labels }) => Object.values(labels)),
  );
  expect(values.length).toBeGreaterThan(1_000);
  const isPersonal = (value: string) => /\b[a-z]{2,4}_[0-9a-z]{26}\b|@|^\d+\.\d+\.\d+\.\d+$/.test(value);
  expect(values.filter(isPersonal)).toEqual([]);
});

/** Requests that fail, with contents wherever a request has some. */
async function failWithContents() {
  const authorization = `Bearer sc_live_30d${'canary'.repeat(6)}zz`;
  const headers = {
    authorization,
    cookie: 'session=canary',
    'idempotency-key': 'canary',
    origin: 'https://canary.example',
  };
  const statuses = await Promise.all([
    post('/api-keys?token=canary', { name: 'canary' }, headers),
    fetch(`${url}/widget/me?email=canary@example.com`, { headers }),
    fetch(`${url}/canary/canary@example.com`),
    fetch(`${url}/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"canary' }),
    fetch(`${portal.url}/broken/canary?email=canary@example.com&code=canary`, { headers: { cookie: 'a=canary' } }),
    fetch(`${portal.url}/api/me?canary=canary`, { headers }),
    fetch(`${portal.url}/canary`),
  ]).then((responses) => responses.map(({ status }) => status));
  expect(statuses).toEqual([401, 401, 404, 400, 500, 403, 404]);
}

test('API, worker and portal stop without an error on SIGTERM', async () => {
  await failWithContents();
  for (const child of [api, worker, portal]) child.signal('SIGTERM');
  expect(await portal.ended).toEqual([0, null]);
  expect(await Promise.all([api.ended, worker.ended])).toEqual([1, 2].map(() => ({ code: 0, signal: null })));
});

test('every line of API, worker and portal is JSON with documented fields, and has none of the contents', () => {
  const lines = [...api.lines, ...worker.lines, ...portal.lines];
  const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const fields = new Set(entries.flatMap((entry) => Object.keys(entry)));
  expect([...fields].filter((field) => !documentedFields().includes(field))).toEqual([]);
  const ofErrors = ['type', 'message', 'code', 'reason', 'constraint', 'stack', 'cause'];
  const errors = entries.flatMap(({ err }) => Object.keys(err ?? {}));
  expect(errors.filter((field) => !ofErrors.includes(field))).toEqual([]);
  const found = [...contents].flatMap((content) => lines.filter((line) => line.includes(content)));
  expect(found).toEqual([]);
  expect(lines.filter((line) => /[\w.+-]@[\w-]+\.\w/.test(line))).toEqual([]);

  // The trace of the first message leads to the lines of both processes.
  const ofTrace = entries.filter((entry) => entry['traceId'] === traceId);
  expect(ofTrace.map(({ name, msg }) => `${String(name)}: ${String(msg)}`)).toEqual(
    expect.arrayContaining([
      'parley-api: request',
      'parley-worker: Starting invocation.',
      'parley-worker: action attempt ended',
      'parley-worker: turn ended',
      'parley-worker: webhook attempt ended',
    ]),
  );
  for (const { tenantId } of ofTrace) expect(tenantId).toMatch(/^ten_/);
  const request = ofTrace.find(({ msg }) => msg === 'request');
  expect(request?.['requestId']).toMatch(/^req_/);
  expect(entries.filter(({ name }) => name === 'parley-portal').map(({ msg }) => msg)).toContain('page failed');
});
