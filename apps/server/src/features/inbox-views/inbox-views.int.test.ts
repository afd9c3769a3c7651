import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { admin, aTenant, aUser, send, type TestTenant } from '../../../test/harness.ts';
import type { InboxView } from './inbox-views.contract.ts';

const anAgent = ({ tenantId }: TestTenant) => aUser([{ tenantId, roles: ['agent'] }]);
type Member = Pick<Awaited<ReturnType<typeof anAgent>>, 'get' | 'post' | 'headers'>;

async function save(member: Member, view: object) {
  const response = await member.post('/inbox/views', view);
  expect(response.statusCode, response.body).toBe(201);
  return response.json<{ view: InboxView }>().view;
}
const remove = (member: Member, { id }: InboxView) => send('DELETE', `/inbox/views/${id}`, member.headers);
const listOf = async (member: Member) => (await member.get('/inbox/views')).json<{ data: InboxView[] }>().data;

test('saves a view for one member: nobody else sees or deletes it', async () => {
  const tenant = await aTenant();
  const [agent, colleague] = [await anAgent(tenant), await anAgent(tenant)];
  const filters = { isWaiting: 'true', tag: 'refund' };
  const view = await save(agent, { name: 'Refunds', filters });
  expect(view).toMatchObject({ name: 'Refunds', filters, isShared: false, createdBy: agent.userId });
  expect(await listOf(agent)).toEqual([view]);
  for (const other of [colleague, tenant]) {
    expect(await listOf(other)).toEqual([]);
    expect((await remove(other, view)).statusCode).toBe(404);
  }
  expect((await remove(agent, view)).statusCode).toBe(200);
  expect(await listOf(agent)).toEqual([]);
});

test('shares a view with all members of the organisation, by name', async () => {
  const tenant = await aTenant();
  const [agent, colleague, stranger] = [await anAgent(tenant), await anAgent(tenant), await aTenant()];
  const shared = await save(agent, { name: 'Waiting', filters: { isWaiting: 'true' }, isShared: true });
  const own = await save(colleague, { name: 'A mine', filters: {} });
  expect(await listOf(colleague)).toEqual([own, shared]);
  expect(await listOf(agent)).toEqual([shared]);
  expect(await listOf(stranger)).toEqual([]);
  expect((await remove(stranger, shared)).statusCode).toBe(404);
  expect((await remove(colleague, shared)).statusCode).toBe(200);
  expect(await listOf(agent)).toEqual([]);
});

test('returns 400 for what is no filter, 409 for the 101st view, and 403 to members who can’t reply', async () => {
  const tenant = await aTenant();
  const agent = await anAgent(tenant);
  const views = '/inbox/views';
  expect((await agent.post(views, { name: 'Bad', filters: { 'a-b': 'c' } })).statusCode).toBe(400);
  const many = Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`f${'x'.repeat(n)}`, 'y']));
  expect((await agent.post(views, { name: 'Many', filters: many })).statusCode).toBe(400);
  const viewer = await aUser([{ tenantId: tenant.tenantId, roles: ['viewer'] }]);
  expect((await viewer.post(views, { name: 'Mine', filters: {} })).statusCode).toBe(403);
  await sql`insert into inbox_views (tenant_id, id, user_id, name, filters, created_by)
    select ${tenant.tenantId}, 'view_' || n, ${agent.userId}, 'View', '{}', 'test' from generate_series(1, 100) as n`.execute(
    admin,
  );
  const response = await agent.post(views, { name: 'One more', filters: {} });
  expect([response.statusCode, response.json<{ error: { reason: string } }>().error.reason]).toEqual([
    409,
    'too_many_views',
  ]);
});
