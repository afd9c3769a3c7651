import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { aSignedInPerson, bearer } from '../../../test/rules/people.ts';
import {
  admin,
  allowSupport,
  aKey,
  anOperator,
  as,
  aTenant,
  aUser,
  openApi,
  type Response,
} from '../../../test/harness.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { Me } from './users.contract.ts';

const reasonOf = (response: Response) => [
  response.statusCode,
  response.json<{ error?: { reason: string } }>().error?.reason,
];
const signedIn = async () => {
  const person = await aSignedInPerson('customer');
  return { ...person, ...as(person.headers) };
};
/** An operator in the place of somebody. */
async function lent(tenantId: string, userId: string) {
  await allowSupport({ tenantId: tenantId as Id<'tenant'> });
  const place = { userId, reason: 'For the test' };
  const response = await (await anOperator()).post(`/admin/tenants/${tenantId}/impersonate`, place);
  return as(bearer(response.json<{ accessToken: string }>().accessToken));
}

describe('one’s own name and language', () => {
  test('200: the answer and the next GET /me say them, here and on every other node', async () => {
    const me = await signedIn();
    const second = await openApi();
    const there = as(me.headers, second.app);
    expect((await there.get('/me')).json<Me>()).toMatchObject({ name: 'Test Person', locale: 'en' });
    const changed = await me.patch('/me', { name: '  Zoë Ångström ', locale: 'de' });
    expect(changed.statusCode, changed.body).toBe(200);
    expect(changed.json()).toEqual({ userId: me.userId, email: me.email, name: 'Zoë Ångström', locale: 'de' });
    expect((await me.get('/me')).json()).toMatchObject(changed.json());
    await expect.poll(async () => (await there.get('/me')).json<Me>().locale, { timeout: 5_000 }).toBe('de');
    await expect.poll(async () => (await there.get('/me')).json<Me>().name, { timeout: 5_000 }).toBe('Zoë Ångström');
    await second.close();
    const members = (await me.get('/members')).json<{ data: { name: string }[] }>();
    expect(members.data.map(({ name }) => name)).toEqual(['Zoë Ångström']);
    const { rows } = await sql`select action, data from customer_pool.audit_entries
      where user_id = ${me.userId} and action = 'account.updated'`.execute(admin);
    expect(rows).toEqual([{ action: 'account.updated', data: { fields: ['name', 'locale'] } }]);
  });

  test('200: what is left out stays, and nothing at all changes nothing', async () => {
    const me = await signedIn();
    expect((await me.patch('/me', { locale: 'de' })).json()).toMatchObject({ name: 'Test Person', locale: 'de' });
    expect((await me.patch('/me', {})).json()).toMatchObject({ name: 'Test Person', locale: 'de' });
  });

  test('400: no name, a very long one, one of two lines, a language that we do not have, an address', async () => {
    const me = await signedIn();
    const bad = [
      { name: ' ' },
      { name: 'x'.repeat(121) },
      { name: 'a\nb' },
      { locale: 'xx' },
      { email: 'a@b.example' },
    ];
    for (const body of bad) expect((await me.patch('/me', body)).statusCode, JSON.stringify(body)).toBe(400);
  });

  test('409: somebody of another issuer. 403: a key, and an operator in their place', async () => {
    const [tenant, me] = [await aTenant(), await signedIn()];
    expect(reasonOf(await tenant.patch('/me', { name: 'X' }))).toEqual([409, 'managed_by_identity_provider']);
    expect(reasonOf(await (await aKey(tenant)).patch('/me', { name: 'X' }))).toEqual([403, 'user_required']);
    const operator = await lent(String(me.tenantId), me.userId);
    expect(reasonOf(await operator.patch('/me', { name: 'X' }))).toEqual([403, 'not_allowed_while_impersonating']);
    expect((await me.get('/me')).json()).toMatchObject({ name: 'Test Person' });
  });
});

test('200 at /me: the tenant’s name and plan; no language of a key, nor of somebody of another issuer', async () => {
  const tenant = await aTenant({ plan: 'enterprise' });
  expect((await tenant.get('/me')).json()).toMatchObject({ tenantName: 'Test', plan: 'enterprise', locale: null });
  expect((await (await aKey(tenant)).get('/me')).json()).toMatchObject({ tenantName: 'Test', locale: null });
});

describe('one’s own tenants', () => {
  const mine = async (who: Pick<ReturnType<typeof as>, 'get'>) =>
    (await who.get('/me/tenants')).json<{ data: { tenantId: string; name: string; roles: string[] }[] }>().data;

  test('200: those one is a member of, with the roles there, and no other', async () => {
    const [one, two, stranger] = [await aTenant(), await aTenant(), await aTenant()];
    await two.patch('/tenant', { name: 'Second' });
    const both = await aUser(
      [
        { tenantId: one.tenantId, roles: ['viewer'] },
        { tenantId: two.tenantId, roles: ['admin', 'agent'] },
      ],
      { tenant_id: one.tenantId },
    );
    await expect
      .poll(() => mine(both), { timeout: 5_000 })
      .toEqual([
        { tenantId: one.tenantId, name: 'Test', roles: ['viewer'] },
        { tenantId: two.tenantId, name: 'Second', roles: ['admin', 'agent'] },
      ]);
    expect(await mine(stranger)).toEqual([{ tenantId: stranger.tenantId, name: 'Test', roles: ['owner'] }]);
  });

  test('200: not one that was deleted, nor one that they were removed from', async () => {
    const [one, deleted, left] = [await aTenant(), await aTenant(), await aTenant()];
    const person = await aUser(
      [one, deleted, left].map(({ tenantId }) => ({ tenantId, roles: ['viewer'] })),
      {
        tenant_id: one.tenantId,
      },
    );
    await sql`update tenants set status = 'deleted' where tenant_id = ${deleted.tenantId}`.execute(admin);
    await sql`delete from memberships where tenant_id = ${left.tenantId} and user_id = ${person.userId}`.execute(admin);
    expect((await mine(person)).map(({ tenantId }) => tenantId)).toEqual([one.tenantId]);
  });

  test('200: a key has none, and an operator in somebody’s place sees the one tenant they were let into', async () => {
    const [one, two] = [await aTenant(), await aTenant()];
    const both = await aUser([one, two].map(({ tenantId }) => ({ tenantId, roles: ['viewer'] })));
    expect(await mine(await aKey(one))).toEqual([]);
    const operator = await lent(two.tenantId, both.userId);
    expect((await mine(operator)).map(({ tenantId }) => tenantId)).toEqual([two.tenantId]);
  });
});
