import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { aBot } from '../../../test/chat/fixture.ts';
import { until } from '../../../test/chat/helpers.ts';
import {
  admin,
  aKey,
  aSessionKey,
  aTenant,
  aUser,
  countLockWaits,
  inside,
  send,
  type Headers,
  type Response,
  type TestTenant,
} from '../../../test/harness.ts';
import { talk, tokens } from '../../../test/rules/chats.ts';
import { conversationCommands } from '../conversations/index.ts';
import type { Contact } from './contacts.contract.ts';

type Row = Omit<Contact, 'firstSeenAt' | 'lastSeenAt' | 'createdAt' | 'updatedAt'> & {
  conversationCount: number;
  firstSeenAt: string;
  lastSeenAt: string;
};

let tenant: TestTenant;
let key: Awaited<ReturnType<typeof aSessionKey>>;
beforeAll(async () => {
  tenant = await aTenant();
  await aBot(tenant);
  key = await aSessionKey(tenant);
});

const openFor = (externalUserId: string, more: object = {}) => {
  const { tenantId, workspaceId, environmentId, botId } = tenant;
  const email = `${externalUserId}@example.com`;
  return key.post('/widget/sessions/authenticated', {
    tenantId,
    workspaceId,
    environmentId,
    botId,
    externalUserId,
    email,
    ...more,
  });
};
async function aContact(externalUserId: string, more: object = {}) {
  const opened = await openFor(externalUserId, { name: externalUserId, ...more });
  expect(opened.statusCode, opened.body).toBe(200);
  return opened.json<{ contactId: Contact['id']; sessionToken: string }>();
}
const contactOf = (response: Response) => {
  expect(response.statusCode, response.body).toBe(200);
  return response.json<{ contact: Row }>().contact;
};
const get = async (id: string) => contactOf(await tenant.get(`/contacts/${id}`));
const patch = (id: string, body: object) => tenant.patch(`/contacts/${id}`, body);
const erase = ({ headers }: { headers: Headers }, id: string) => send('DELETE', `/contacts/${id}`, headers);
const reasonOf = (response: Response) => response.json<{ error: { reason: string } }>().error.reason;
const eventsAbout = async (id: string) =>
  (
    await admin.selectFrom('events').select(['type', 'body']).where('subjectId', '=', id).orderBy('position').execute()
  ).map(({ type, body }) => ({ type, data: (JSON.parse(body) as { data: { object: Row } }).data }));

describe('POST /widget/sessions/authenticated', () => {
  test('with a name and attributes, saves the contact before its first message, and not in the token', async () => {
    const attributes = { plan: 'team', seats: 12, isTrial: false, renewsOn: '2027-01-31', secretScore: 'churn-risk' };
    const { contactId, sessionToken } = await aContact('ada', { name: 'Ada Lovelace', attributes });
    expect(await get(contactId)).toMatchObject({
      id: contactId,
      environmentId: tenant.environmentId,
      externalUserId: 'ada',
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      attributes,
      tags: [],
    });
    expect(Buffer.from(sessionToken.split('.')[1] ?? '', 'base64url').toString()).not.toMatch(/churn|Lovelace/);
    const [created, ...others] = await eventsAbout(contactId);
    expect(created).toMatchObject({ type: 'contact.created', data: { object: { name: 'Ada Lovelace', attributes } } });
    expect(others).toEqual([]);
  });

  test('writes nothing if the name and attributes are known, or not sent', async () => {
    const { contactId } = await aContact('bea', { attributes: { plan: 'team' } });
    const version = async () =>
      (await sql<{ xmin: string }>`select xmin::text from contacts where id = ${contactId}`.execute(admin)).rows;
    const before = await version();
    await admin.transaction().execute(async (tx) => {
      await sql`select from contacts where id = ${contactId} for update`.execute(tx); // nor does it wait for a lock
      await aContact('bea', { attributes: { plan: 'team' } });
      expect((await openFor('bea')).statusCode).toBe(200);
    });
    expect(await version()).toEqual(before);
    await aContact('bea', { attributes: { plan: 'free' } });
    expect(await version()).not.toEqual(before);
    expect((await eventsAbout(contactId)).map(({ type }) => type)).toEqual(['contact.created', 'contact.updated']);
  });

  test('creates one contact for concurrent sessions, with the attributes of all', async () => {
    const opened = await Promise.all(
      Array.from({ length: 8 }, (_, n) => aContact('cleo', { attributes: { [`a${n}`]: n } })),
    );
    const id = opened[0]?.contactId ?? '';
    expect(Object.keys((await get(id)).attributes).toSorted()).toEqual(Array.from({ length: 8 }, (_, n) => `a${n}`));
    const types = (await eventsAbout(id)).map(({ type }) => type);
    expect(types.filter((type) => type === 'contact.created')).toHaveLength(1);
    expect(types).toHaveLength(8);
  });

  test('returns 400 for attributes beyond the limits, and opens no session', async () => {
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`a${n}`, n]));
    const refused = await openFor('dora', { attributes: many });
    expect([refused.statusCode, reasonOf(refused)]).toEqual([400, 'too_many_attributes']);
    for (const attributes of [{ ['x'.repeat(65)]: 1 }, { x: 'y'.repeat(501) }, { x: [] }, { x: {} }])
      expect((await openFor('dora', { attributes })).statusCode).toBe(400);
    expect((await openFor('dora', { name: '' })).statusCode).toBe(400);
    expect((await openFor('dora', { phone: '1' })).statusCode).toBe(400);
    expect(await admin.selectFrom('contacts').select('id').where('externalUserId', '=', 'dora').execute()).toEqual([]);
  });
});

describe('PATCH /contacts/:id', () => {
  test('merges attributes, removes those that are null, replaces tags and publishes the contact', async () => {
    const { contactId } = await aContact('eve', { attributes: { plan: 'team', seats: 3 } });
    const changed = contactOf(
      await patch(contactId, {
        name: 'Eve',
        email: 'eve@new.example',
        attributes: { seats: null, city: 'Oslo' },
        tags: ['VIP', ' vip ', 'beta'],
      }),
    );
    expect(changed).toMatchObject({
      name: 'Eve',
      email: 'eve@new.example',
      attributes: { plan: 'team', city: 'Oslo' },
      tags: ['VIP', 'beta'],
    });
    expect(changed.attributes).not.toHaveProperty('seats');
    expect((await eventsAbout(contactId)).at(-1)).toMatchObject({ type: 'contact.updated', data: { object: changed } });
    const published = (await eventsAbout(contactId)).length;
    contactOf(await patch(contactId, { attributes: { city: 'Oslo', unknown: null } }));
    expect(await eventsAbout(contactId)).toHaveLength(published);
    expect(contactOf(await patch(contactId, { name: null })).name).toBeNull();
  });

  test('returns 400 beyond 50 attributes or 20 tags, also with concurrent requests', async () => {
    const { contactId } = await aContact('finn', {
      attributes: Object.fromEntries(Array.from({ length: 49 }, (_, n) => [`a${n}`, n])),
    });
    expect((await patch(contactId, { tags: Array.from({ length: 21 }, (_, n) => `t${n}`) })).statusCode).toBe(400);
    expect((await patch(contactId, { tags: ['x'.repeat(41)] })).statusCode).toBe(400);
    // Both wait for the row lock: this proves that they take it.
    const [one, two] = await admin.transaction().execute(async (tx) => {
      await sql`select from contacts where id = ${contactId} for update`.execute(tx);
      const sent = [patch(contactId, { attributes: { x: 1 } }), patch(contactId, { attributes: { y: 1 } })];
      await until(async () => (await countLockWaits()) === 2);
      return sent;
    });
    const responses = await Promise.all([one, two]);
    const [refused] = responses.filter((response) => response?.statusCode !== 200);
    expect(refused && [refused.statusCode, reasonOf(refused)]).toEqual([400, 'too_many_attributes']);
    expect(Object.keys((await get(contactId)).attributes)).toHaveLength(50);
  });

  test('has the same rules in the inbound command contact.update', async () => {
    const { contactId } = await aContact('gina', { attributes: { plan: 'team' } });
    const { data, run } = conversationCommands['contact.update'];
    const at = { environmentId: tenant.environmentId, externalUserId: 'gina' };
    const change = data.parse({ ...at, attributes: { plan: null, seats: 2 }, tags: ['beta'] });
    await inside(tenant.tenantId, (ctx) => run(ctx, change));
    expect(await get(contactId)).toMatchObject({ attributes: { seats: 2 }, tags: ['beta'] });
    const many = data.parse({
      ...at,
      attributes: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`a${n}`, n])),
    });
    await expect(inside(tenant.tenantId, (ctx) => run(ctx, many))).rejects.toMatchObject({
      reason: 'too_many_attributes',
    });
    await expect(
      inside(tenant.tenantId, (ctx) => run(ctx, { ...change, externalUserId: 'unknown' })),
    ).rejects.toMatchObject({ reason: 'contact_not_found' });
  });
});

describe('GET /contacts', () => {
  const listed = async (query: string, by: Pick<TestTenant, 'get'> = tenant) => {
    const response = await by.get(`/contacts?${query}`);
    expect(response.statusCode, response.body).toBe(200);
    return response.json<{ data: Row[]; nextCursor: string | null }>();
  };
  const found = async (query: string, by?: Pick<TestTenant, 'get'>) =>
    (await listed(query, by)).data.map(({ externalUserId }) => externalUserId);

  test('finds contacts by name, email, external id and tag, also after a change', async () => {
    const { contactId } = await aContact('crm-90210', { name: 'Zoë Quill', email: 'zq@mail.example' });
    await patch(contactId, { tags: ['Gold'] });
    for (const q of ['Zoë', 'zoe qui', 'QUILL', 'zq@mail.example', 'zq@mail.ex', '90210', contactId])
      expect(await found(`q=${encodeURIComponent(q)}`), q).toEqual(['crm-90210']);
    for (const q of ['quil zoe', 'gold', '%23gold', 'nothing-like-it', '%25'])
      expect(await found(`q=${q}`), q).toEqual([]);
    expect(await found('tag=gold')).toEqual(['crm-90210']);
    expect(await found('tag=gold&q=zo')).toEqual(['crm-90210']);
    expect(await found('tag=gol')).toEqual([]);
    await patch(contactId, { name: 'Anna', tags: [] });
    expect(await found('q=quill')).toEqual([]);
    expect(await found('tag=gold')).toEqual([]);
    expect(await found('q=anna')).toEqual(['crm-90210']);
  });

  test('pages by the time last seen, within an environment, with the number of conversations', async () => {
    const own = await aTenant();
    const { tenantId } = own;
    const environments = await admin.selectFrom('environments').select('id').where('tenantId', '=', tenantId).execute();
    await sql`insert into contacts (tenant_id, id, environment_id, external_user_id, email, last_seen_at)
      select ${tenantId}, 'con_' || lpad(n::text, 26, '0'), (${environments.map(({ id }) => id)}::text[])[1 + n % 2], n, 'x',
        now() - n * interval '1 minute' from generate_series(1, 9) as n`.execute(admin);
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Awaited<ReturnType<typeof listed>> = await listed(`limit=4${cursor && `&cursor=${cursor}`}`, own);
      seen.push(...page.data.map(({ externalUserId }) => externalUserId));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
    expect(await found(`environmentId=${environments[0]?.id}`, own)).toEqual(['2', '4', '6', '8']);

    // A page continues where the last one ended, even if its last contact was erased since.
    const page = await listed('limit=4', own);
    expect((await erase(own, page.data.at(-1)?.id ?? '')).statusCode).toBe(200);
    expect(await found(`cursor=${page.nextCursor}`, own)).toEqual(['5', '6', '7', '8', '9']);
    const bare = Buffer.from(page.data[0]?.id ?? '').toString('base64url');
    const noDay = Buffer.from(`2026-02-30T00:00:00Z ${page.data[0]?.id}`).toString('base64url');
    for (const cursor of ['x', bare, noDay]) {
      const refused = await own.get(`/contacts?cursor=${cursor}`);
      expect([refused.statusCode, reasonOf(refused)], cursor).toEqual([400, 'invalid_cursor']);
    }

    const { contactId, sessionToken } = await aContact('talks');
    await talk(await tokens.readSession(sessionToken), 'hello');
    const [first] = (await listed('')).data;
    expect(first).toMatchObject({ id: contactId, conversationCount: 1 });
    const details = (await tenant.get(`/contacts/${contactId}`)).json<{ conversations: { contactId: string }[] }>();
    expect(details.conversations).toMatchObject([{ contactId }]);
  });

  test('shows each tenant, environment and role only what is theirs', async () => {
    const { contactId } = await aContact('hugo', { name: 'Hugo Isolated' });
    const [stranger, viewer, agent] = [
      await aTenant(),
      await aUser([{ tenantId: tenant.tenantId, roles: ['viewer'] }]),
      await aUser([{ tenantId: tenant.tenantId, roles: ['agent'] }]),
    ];
    expect(await found('q=isolated', stranger)).toEqual([]);
    for (const response of [
      await stranger.get(`/contacts/${contactId}`),
      await stranger.get(`/contacts/${contactId}/export`),
      await stranger.patch(`/contacts/${contactId}`, { name: 'Taken' }),
      await erase(stranger, contactId),
    ])
      expect(response.statusCode).toBe(404);
    const rows = await inside(stranger.tenantId, ({ tx }) => tx.selectFrom('contactTerms').selectAll().execute());
    expect(rows).toEqual([]);

    expect(await found('q=isolated', viewer)).toEqual(['hugo']);
    expect((await viewer.patch(`/contacts/${contactId}`, { name: 'No' })).statusCode).toBe(403);
    expect((await agent.patch(`/contacts/${contactId}`, { name: 'Hugo' })).statusCode).toBe(200);
    for (const person of [viewer, agent]) {
      expect((await person.get(`/contacts/${contactId}/export`)).statusCode).toBe(403);
      expect((await erase(person, contactId)).statusCode).toBe(403);
    }
    const otherEnvironment = await admin
      .selectFrom('environments')
      .select('id')
      .where('tenantId', '=', tenant.tenantId)
      .where('id', '<>', tenant.environmentId)
      .executeTakeFirst();
    const permissions = ['contact.view', 'contact.manage'];
    const bound = await aKey(tenant, { permissions, environmentId: otherEnvironment?.id });
    expect(await found('q=hugo', bound)).toEqual([]);
    expect((await erase(bound, contactId)).statusCode).toBe(404);
    const free = await aKey(tenant, { permissions });
    expect(await found('q=hugo', free)).toEqual(['hugo']);
    expect((await erase(free, contactId)).statusCode).toBe(200);
  });
});

test('a message records the contact’s email and when it was last seen, every five minutes at most', async () => {
  const { contactId, sessionToken } = await aContact('iris');
  const session = await tokens.readSession(sessionToken);
  const version = async () =>
    (await sql<{ xmin: string }>`select xmin::text from contacts where id = ${contactId}`.execute(admin)).rows[0]?.xmin;
  await talk(session, 'first');
  const before = await version();
  await talk(session, 'second');
  expect(await version()).toBe(before);
  await sql`update contacts set last_seen_at = now() - interval '6 minutes' where id = ${contactId}`.execute(admin);
  await talk(session, 'third');
  expect(Date.now() - Date.parse((await get(contactId)).lastSeenAt)).toBeLessThan(60_000);
  expect((await eventsAbout(contactId)).map(({ type }) => type)).toEqual(['contact.created']);
  await talk({ ...session, contact: { id: contactId, externalUserId: 'iris', email: 'other@example.com' } }, 'fourth');
  expect((await eventsAbout(contactId)).at(-1)).toMatchObject({
    type: 'contact.updated',
    data: { object: { email: 'other@example.com', name: 'iris' } },
  });
});
