import { createHash } from 'node:crypto';
import { Redis } from 'iovalkey';
import { sql } from 'kysely';
import { afterAll, expect, inject, test, vi } from 'vitest';
import { handleCalls, aShop, awaitEntry, cancel, isCard, lookUp, reply, type Handler } from '../actions/fixture.ts';
import { open, until } from '../chat/helpers.ts';
import { newId } from '../../src/platform/ids.ts';
import { age, remove } from '../deleted-tenant.ts';
import { admin, aKey, anOperator, as, aUser, settings } from '../harness.ts';
import { aSite, page as sitePage } from '../knowledge-site.ts';
import { settled } from '../settled.ts';
import { aWebhookStack, emitTestEvent } from '../webhooks/fixture.ts';

// Erases a tenant that has data everywhere, then searches all of PostgreSQL, Valkey and Restate for traces of it.

vi.setConfig({ testTimeout: 180_000 });
const site = await aSite({ '/help': sitePage('Help', 'The number of this page is 7.') });
const stack = await aWebhookStack({ hosts: [site.host] });
const { receiver, api, restate, worker } = stack;
const handlers = new Map<string, Handler>();
handleCalls(receiver, handlers);
const defaultAnswer = receiver.respond;
// One endpoint is down, so that deliveries wait for a retry.
receiver.respond = (call, response, request) =>
  call.path.startsWith('/bad/') ? response.writeHead(500).end() : defaultAnswer?.(call, response, request);
const valkey = new Redis(inject('valkeyUrl'));
afterAll(async () => {
  site.close();
  valkey.disconnect();
});
const operator = as((await anOperator()).headers, api.app);

/** A tenant with a conversation, finished and open action runs, delivered and queued webhooks, a sync, expiring keys and members. */
async function createUsedTenant() {
  const shop = await aShop(
    stack,
    handlers,
    (_call, response) => reply(response, 200, { status: 'succeeded', output: { ok: true } }),
    [lookUp, cancel],
  );
  const { tenant, bot } = shop;
  const { tenantId } = tenant;
  const visitor = await shop.visitor();
  const sent = await visitor.say('How long does delivery take?');
  const { conversationId } = sent.json<{ conversationId: string }>();
  await visitor.say('where is my order A-1234');
  await visitor.say('I want to cancel an order A-1234');
  await awaitEntry(visitor, conversationId, isCard);
  const hook = async (path: string) => {
    const created = await tenant.post('/webhooks', { url: `${receiver.url}${path}`, eventTypes: ['test.*'] });
    const { webhook, secret } = created.json<{ webhook: { id: string }; secret: string }>();
    receiver.secrets.push(secret);
    return webhook.id;
  };
  await hook(`/good/${tenantId}`);
  const bad = await hook(`/bad/${tenantId}`);
  await emitTestEvent(tenant, 1);
  for (const name of ['good', 'bad'])
    await until(() => receiver.calls.some(({ path }) => path === `/${name}/${tenantId}`));
  const body = { kind: 'url', name: 'Site', url: `${site.url}/help`, schedule: 'daily' };
  const created = await tenant.post(`/bots/${bot.botId}/knowledge-sources`, body);
  expect(created.statusCode, created.body).toBe(201);
  const expiresAt = new Date(Date.now() + 86_400_000 * 90).toISOString();
  const key = await aKey(tenant, { expiresAt });
  // A server key used in a browser: Valkey keeps this counter for an hour; others may expire before the erasure.
  expect((await open(api.app, { botId: bot.botId, publicKey: key.secret })).statusCode).toBe(401);
  const invited = await aUser([{ tenantId, roles: ['viewer'] }]);
  await until(async () => {
    const { rows } =
      await sql`select from knowledge_sources where tenant_id = ${tenantId} and state <> 'ready'`.execute(admin);
    return rows.length === 0;
  });
  for (const pool of ['customer_pool', 'admin_pool'])
    await sql`insert into ${sql.raw(pool)}.audit_entries (id, action, user_id, actor_type, actor_id, ip, data)
      values (${newId('auditEntry')}, 'impersonation.started', ${invited.userId}, 'operator', 'x', '192.0.2.1', ${JSON.stringify({ tenantId })})`.execute(
      admin,
    );
  const ids = [tenantId, bot.botId, conversationId, key.id, shop.webhookId, bad];
  return { tenant, ids, invited, tenantId, bad };
}

/** The numbers of the events that were delivered to a path. */
const eventsDeliveredTo = (path: string) =>
  receiver.calls
    .filter((call) => call.path === path)
    .map(({ body }) => (JSON.parse(body) as { data: { object: { n: number } } }).data.object.n);

/** The tables with a row that contains one of these strings. */
const inDatabase = async (...needles: string[]): Promise<string[]> => {
  const patterns = needles.map((needle) => `%${needle}%`);
  const { rows: tables } = await sql<{ name: string }>`select format('%I.%I', schemaname, tablename) as name
    from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`.execute(admin);
  const matches: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql`select from ${sql.raw(name)} t where t::text like any (${patterns}) limit 1`.execute(
      admin,
    );
    if (rows.length > 0) matches.push(name);
  }
  return matches;
};

/** All keys and values as one text. */
async function valkeyText(): Promise<string> {
  const texts: string[] = [];
  for (const key of await valkey.keys(`${settings()['VALKEY_PREFIX']}*`)) {
    const type = await valkey.type(key);
    const value =
      type === 'zset'
        ? await valkey.zrange(key, 0, -1)
        : type === 'set'
          ? await valkey.smembers(key)
          : type === 'hash'
            ? await valkey.hgetall(key)
            : await valkey.get(key);
    texts.push(key, JSON.stringify(value));
  }
  return texts.join('\n');
}

const queryRestate = async (query: string) => {
  const response = await fetch(`${restate.adminUrl}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query }),
  });
  expect(response.ok, `${query}: ${response.status}`).toBe(true);
  return response.json() as Promise<{ rows: Record<string, unknown>[] }>;
};
/** All of Restate's tables as one text, with binary columns decoded. */
async function restateText(): Promise<string> {
  const { rows } = await queryRestate(
    "select table_name, column_name, data_type from information_schema.columns where table_schema = 'public' or table_name like 'sys_%' or table_name = 'state'",
  );
  const tables = Map.groupBy(rows, (row) => String(row['table_name']));
  const texts: string[] = [];
  for (const [table, columns] of tables) {
    if (!/^(sys_|state)/.test(table)) continue;
    const list = columns.map(({ column_name: name, data_type: type }) =>
      String(type).includes('Binary') ? `encode(${String(name)}, 'base64') as ${String(name)}` : String(name),
    );
    const result = await queryRestate(`select ${list.join(', ')} from ${table}`);
    for (const row of result.rows)
      for (const [column, value] of Object.entries(row)) {
        texts.push(`${table}.${column} ${String(value)}`);
        const isBytes = columns.some(
          ({ column_name: name, data_type: type }) => name === column && String(type).includes('Binary'),
        );
        if (isBytes && typeof value === 'string') texts.push(Buffer.from(value, 'base64').toString('latin1'));
      }
  }
  return texts.join('\n');
}
/** As the previous release has left it: the objects of this one have none. */
async function leaveState({ tenantId, bad }: { tenantId: string; bad: string }) {
  const response = await fetch(`${restate.adminUrl}/services/WebhookReplay/state`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ object_key: `${tenantId}/${bad}`, new_state: { timerAt: [...Buffer.from('"later"')] } }),
  });
  expect(response.ok, `${response.status}`).toBe(true);
  const state = `select service_key from state where service_key like '%${bad}%'`;
  await until(async () => (await queryRestate(state)).rows.length > 0);
}
const linesWith = (text: string, needle: string) =>
  text
    .split('\n')
    .filter((line) => line.includes(needle))
    .map((line) => line.slice(0, 160));

test('erasure leaves no trace in PostgreSQL, Valkey and Restate, keeps other tenants’ data, and returns a receipt with counts', async () => {
  const [erased, other] = [await createUsedTenant(), await createUsedTenant()];
  const { tenantId } = erased;
  const sharedMember = await aUser([erased, other].map((one) => ({ tenantId: one.tenantId, roles: ['viewer'] })));
  for (const one of [erased, other]) {
    await settled(restate, one);
    await leaveState(one);
  }
  expect(linesWith(await restateText(), tenantId).length).toBeGreaterThan(10);
  const inValkey = await valkeyText();
  expect(erased.ids.flatMap((id) => linesWith(inValkey, id))).not.toEqual([]);
  expect((await remove(as(erased.tenant.headers, api.app))).statusCode).toBe(200);
  await emitTestEvent(erased.tenant, 2); // stays queued
  await settled(restate, erased);
  const before = {
    rows: await inDatabase(other.tenantId),
    calls: linesWith(await restateText(), other.tenantId).filter(
      (line) => line.startsWith('sys_invocation.id') || line.startsWith('state.'),
    ),
  };
  const purgeInvocations = vi.spyOn(worker.platform.externalStores, 'purgeInvocations');
  purgeInvocations.mockRejectedValueOnce(new Error('Restate is unavailable'));

  await age(tenantId, '721 hours');
  await until(
    async () => (await sql`select from tenants where tenant_id = ${tenantId}`.execute(admin)).rows.length === 0,
    60_000,
  );
  expect(purgeInvocations.mock.calls.length).toBeGreaterThan(1);
  // A later event was delivered, so anything that could wake the erased tenant has run by now.
  await emitTestEvent(other.tenant, 3);
  await until(() => eventsDeliveredTo(`/good/${other.tenantId}`).includes(3));
  await settled(restate, other);
  expect(await inDatabase(...erased.ids)).toEqual([]);
  const [valkeyAfter, restateAfter] = [await valkeyText(), await restateText()];
  for (const id of erased.ids) {
    expect(linesWith(valkeyAfter, id), `${id} in Valkey`).toEqual([]);
    expect(linesWith(restateAfter, id), `${id} in Restate`).toEqual([]);
  }
  expect(
    await inDatabase(erased.tenant.userId ?? erased.invited.userId).then((tables) =>
      tables.filter((name) => name !== 'customer_pool.audit_entries' && name !== 'admin_pool.audit_entries'),
    ),
  ).toEqual([]);
  const people =
    await sql`select from directory.users where user_id in (${erased.invited.userId}, ${sharedMember.userId}, ${other.invited.userId})`.execute(
      admin,
    );
  expect(people.rows).toHaveLength(2);

  expect(await inDatabase(other.tenantId)).toEqual(expect.arrayContaining(before.rows));
  const after = linesWith(await restateText(), other.tenantId).filter(
    (line) => line.startsWith('sys_invocation.id') || line.startsWith('state.'),
  );
  expect(after).toEqual(expect.arrayContaining(before.calls));
  const response = await operator.get(`/admin/erasures?tenantId=${tenantId}`);
  expect(response.statusCode, response.body).toBe(200);
  const [receipt] = response.json<{
    data: { id: string; counts: Record<string, number> & { rows: Record<string, number> } }[];
  }>().data;
  console.log(JSON.stringify(receipt));
  expect(receipt).toMatchObject({
    tenantHash: createHash('sha256').update(tenantId).digest('hex'),
    requestedBy: 'owner',
    erasedAt: expect.any(String),
    counts: { people: 2, rows: { conversations: 1 } },
  });
  expect(receipt?.counts['invocations']).toBeGreaterThan(3);
  expect(receipt?.counts['states']).toBeGreaterThan(0);
  expect(receipt?.counts['keys']).toBeGreaterThan(0);
  expect((await operator.get(`/admin/erasures/${receipt?.id}`)).statusCode).toBe(200);
  expect((await operator.get(`/admin/erasures?tenantId=${other.tenantId}`)).json().data).toEqual([]);
  const auditEntries = await sql<{
    data: object;
  }>`select data from admin_pool.audit_entries where action = 'tenant.erased'`.execute(admin);
  expect(auditEntries.rows).toEqual([{ data: { erasureId: receipt?.id } }]);
});
