import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { newId } from '../../src/platform/ids.ts';
import { admin, aKey, anOperator, api, aTenant, send, type Headers } from '../harness.ts';
import * as walk from '../openapi-walk.ts';
import { plantActions } from './actions.ts';
import { aChat } from './chats.ts';
import { leastUsedPicker } from './least-used.ts';
import { plantWebhook } from './hooks.ts';

// Every path under /admin, from the document: who is refused, and what is never shown to operators.

/** Marks messages of visitors, contacts and the tenant's systems, and secrets, so that they can be searched for. */
const spoken = `spoken-${randomUUID()}`;
const hidden = `hidden-${randomUUID()}`;

const tenant = await aTenant({ plan: 'enterprise' });
const { tenantId } = tenant;
const chat = await aChat(tenant, spoken);
const [webhookId = '', , finishedId = ''] = await plantWebhook(tenant);
await plantActions(tenant, webhookId, { text: 'Planted' });
const key = await aKey(tenant);
const createdWebhook = await tenant.post('/webhooks', {
  url: `https://hooks.example.com/${hidden}?token=${hidden}`,
  eventTypes: ['*'],
  headers: { 'x-token': hidden },
});
const model = await tenant.post('/models', {
  name: 'Own',
  provider: 'openai',
  model: 'm',
  apiKey: hidden,
  inputPrice: 1,
  outputPrice: 1,
});
const secrets = [hidden, key.secret, createdWebhook.json<{ secret: string }>().secret];

const attempt = {
  id: newId('attempt'),
  number: 1,
  at: new Date().toISOString(),
  outcome: 'failed',
  status: 500,
  error: null,
  timings: null,
  ip: '192.0.2.1',
  response: `${spoken} ${hidden}`,
};
const [receiptId, rotationId] = [newId('erasure'), newId('keyRotation')];

// Unhealthy endpoints, with everything their servers returned and everything that was asked.
for (const statement of [
  sql`update webhooks set status = 'broken' where tenant_id = ${tenantId}`,
  sql`update webhook_deliveries set log = ${JSON.stringify([attempt])}::jsonb where id = ${finishedId}`,
  sql`update events set body = replace(body, '"data"', ${`"said":"${spoken}","data"`})  where tenant_id = ${tenantId}`,
  sql`update action_runs set args = ${JSON.stringify({ note: spoken })}::jsonb, state = 'unknown' where tenant_id = ${tenantId}`,
  sql`insert into directory.unknown_runs select tenant_id, id from action_runs where tenant_id = ${tenantId} on conflict do nothing`,
  sql`update contacts set email = ${`${spoken}@example.com`}, external_user_id = ${spoken} where tenant_id = ${tenantId}`,
  sql`update visitors set label = ${spoken} where tenant_id = ${tenantId}`,
  sql`update turns set status = 'failed' where tenant_id = ${tenantId}`,
  sql`insert into directory.erasures (id, tenant_hash, requested_by, deleted_at, erased_at)
    values (${receiptId}, sha256(${receiptId}::bytea), 'owner', now(), now())`,
  sql`insert into deployment.key_rotations (id, status, master_key_id, reason, started_by, finished_at)
    values (${rotationId}, 'finished', 'test', 'Yearly', 'usr_x', now())`,
  sql`insert into unanswered_questions (tenant_id, day, bot_id, question_key, example, conversation_id, asked_at)
    values (${tenantId}, now(), ${chat.bot.botId}, 'k', ${spoken}, ${chat.visitor.conversationId}, now())`,
])
  await statement.execute(admin);

type Ids = ReadonlyMap<string, readonly string[]>;

/** Valid requests with these ids. */
const sample = (operation: walk.Operation, ids: Ids, numRuns: number) =>
  fc.sample(
    walk.requestValuesOf(operation, {
      id: (prefix) => fc.constantFrom(...(ids.get(prefix) ?? [newId('request').replace('req', prefix)])),
      text: fc.constant('Some text'),
    }),
    { numRuns, seed: 1 },
  );
const sendTo = (operation: walk.Operation, parts: walk.RequestValues, headers: Headers) => {
  const request = walk.requestOf(operation, parts);
  return api.app.inject({ ...request, headers: { ...request.headers, ...headers } });
};

const ofOperators = walk.operationsOf(api.app.swagger()).filter(({ audience }) => audience === 'operator');
/** Tested with the feature, where a stuck invocation exists: no worker runs here. */
const testedWithFeature = ['getInvocation'];
const reads = ofOperators.filter(
  ({ id, method, isAccountRoute }) => method === 'GET' && !isAccountRoute && !testedWithFeature.includes(id),
);

async function ids() {
  const { rows } = await sql<{ line: string }>`
    select to_jsonb(t)::text as line from (
      select tenant_id, id, null::text as other from webhooks union all select tenant_id, id, webhook_id from webhook_deliveries
      union all select tenant_id, id, null from webhook_replays union all select tenant_id, id, bot_id from action_runs
      union all select tenant_id, user_id, null from memberships) as t where tenant_id = ${tenantId}`.execute(admin);
  return walk.idsIn([...rows.map(({ line }) => line), receiptId, rotationId].join('\n'));
}

test('the tenant has what must not be shown', async () => {
  expect(createdWebhook.statusCode).toBe(201);
  expect(model.statusCode).toBe(201);
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from conversation_events where payload::text like ${`%${spoken}%`}`.execute(admin);
  expect(rows[0]?.n).toBeGreaterThan(3);
});

describe('other credentials', () => {
  // All of them at every route, or in a sample one in turn: guard.test.ts has them all.
  const strangers: [name: string, headers: Headers][] = [
    ["a customer's owner", tenant.headers],
    ['a server key', key.headers],
    ['a visitor', chat.visitor.headers],
    ['no credential', {}],
  ];
  const picker = leastUsedPicker<(typeof strangers)[number]>();
  test.each(ofOperators.map((operation) => [`${operation.method} ${operation.pathTemplate}`, operation] as const))(
    "%s returns 401 to a customer's owner, a server key, a visitor and without a credential",
    async (_name, operation) => {
      const [parts] = sample(operation, new Map(), 1);
      if (!parts) throw new Error('no request was generated');
      for (const [name, headers] of isFull ? strangers : picker.pick(strangers)) {
        const response = await sendTo(operation, parts, headers);
        expect(response.statusCode, `${name}: ${response.body}`).toBe(401);
      }
    },
  );
});

const operator = await anOperator();
const found = await ids();
/** In a sample, a route is done after this many responses with 200. */
const enough = isFull ? Number.POSITIVE_INFINITY : 3;

test.each(reads.map((operation) => [operation.pathTemplate, operation] as const))(
  'GET %s shows no secret and no message',
  async (_address, operation) => {
    let shown = 0;
    for (const parts of sample(operation, found, 20)) {
      // Filters are tested one by one in other tests: here the list shows as much as it can.
      const response = await sendTo(
        operation,
        { ...parts, query: requiredQuery(operation, parts.query) },
        operator.headers,
      );
      for (const text of [spoken, ...secrets])
        expect(response.body.includes(text), `${operation.id}: ${response.body}`).toBe(false);
      if (response.statusCode === 200) shown++;
      if (shown === enough) break;
    }
    expect(shown, `${operation.id}: none of 20 requests returned 200`).toBeGreaterThan(0);
  },
);

/** Only the required parameters. */
const requiredQuery = ({ query }: walk.Operation, sampled: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(sampled).filter(([name]) => query.required?.includes(name)));

test('the tenant itself sees its messages, so the search would find them', async () => {
  const response = await send('GET', `/conversations/${chat.visitor.conversationId}/messages`, tenant.headers);
  expect(response.body).toContain(spoken);
});
