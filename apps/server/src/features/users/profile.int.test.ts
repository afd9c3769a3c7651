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
/** A client with an impersonation session. */
async function impersonate(tenantId: string, userId: string) {
  await allowSupport({ tenantId: tenantId as Id<'tenant'> });
  const body = { userId, reason: 'For the test' };
  const response = await (await anOperator()).post(`/admin/tenants/${tenantId}/impersonate`, body);
  return as(bearer(response.json<{ accessToken: string }>().accessToken));
}

describe('PATCH /me', () => {
  test('returns 200, and GET /me shows the new name and language on every node', async () => {
    const me = await signedIn();
    const second = await openApi();
    const onSecondNode = as(me.headers, second.app);
    expect((await onSecondNode.get('/me')).json<Me>()).toMatchObject({ name: 'Test Person', locale: 'en' });
    const changed = await me.patch('/me', { name: '  Zoë Ångström ', locale: 'de' });
    expect(changed.statusCode, changed.body).toBe(200);
    expect(changed.json()).toEqual({ userId: me.userId, email: me.email, name: 'Zoë Ångström', locale: 'de' });
    expect((await me.get('/me')).json()).toMatchObject(changed.json());
    await expect.poll(async () => (await onSecondNode.get('/me')).json<Me>().locale, { timeout: 5_000 }).toBe('de');
    await expect
      .poll(async () => (await onSecondNode.get('/me')).json<Me>().name, { timeout: 5_000 })
      .toBe('Zoë Ångström');
    await second.close();
    const members = (await me.get('/members')).json<{ data: { name: string }[] }>();
    expect(members.data.map(({ name }) => name)).toEqual(['Zoë Ångström']);
    const { rows } = await sql`select action, data from customer_pool.audit_entries
      where user_id = ${me.userId} and action = 'account.updated'`.execute(admin);
    expect(rows).toEqual([{ action: 'account.updated', data: { fields: ['name', 'locale'] } }]);
  });

  test('returns 200 and keeps omitted fields', async () => {
    const me = await signedIn();
    expect((await me.patch('/me', { locale: 'de' })).json()).toMatchObject({ name: 'Test Person', locale: 'de' });
    expect((await me.patch('/me', {})).json()).toMatchObject({ name: 'Test Person', locale: 'de' });
  });

  test('returns 400 for an empty, too long or multi-line name, an unknown language and an email address', async () => {
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

  test('returns 409 for a user of an external issuer, and 403 for a key and during impersonation', async () => {
    const [tenant, me] = [await aTenant(), await signedIn()];
    expect(reasonOf(await tenant.patch('/me', { name: 'X' }))).toEqual([409, 'managed_by_identity_provider']);
    expect(reasonOf(await (await aKey(tenant)).patch('/me', { name: 'X' }))).toEqual([403, 'user_required']);
    const operator = await impersonate(String(me.tenantId), me.userId);
    expect(reasonOf(await operator.patch('/me', { name: 'X' }))).toEqual([403, 'not_allowed_while_impersonating']);
    expect((await me.get('/me')).json()).toMatchObject({ name: 'Test Person' });
  });
});

test('GET /me returns the tenant’s name and plan, and no language for a key or a user of an external issuer', async () => {
  const tenant = await aTenant({ plan: 'enterprise' });
  expect((await tenant.get('/me')).json()).toMatchObject({ tenantName: 'Test', plan: 'enterprise', locale: null });
  expect((await (await aKey(tenant)).get('/me')).json()).toMatchObject({ tenantName: 'Test', locale: null });
});

describe('GET /me/tenants', () => {
  const listTenants = async (client: Pick<ReturnType<typeof as>, 'get'>) =>
    (await client.get('/me/tenants')).json<{ data: { tenantId: string; name: string; roles: string[] }[] }>().data;

  test('returns only the user’s own tenants, with their roles', async () => {
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
      .poll(() => listTenants(both), { timeout: 5_000 })
      .toEqual([
        { tenantId: one.tenantId, name: 'Test', roles: ['viewer'] },
        { tenantId: two.tenantId, name: 'Second', roles: ['admin', 'agent'] },
      ]);
    expect(await listTenants(stranger)).toEqual([{ tenantId: stranger.tenantId, name: 'Test', roles: ['owner'] }]);
  });

  test('omits deleted tenants and tenants that the user was removed from', async () => {
    const [one, deleted, left] = [await aTenant(), await aTenant(), await aTenant()];
    const person = await aUser(
      [one, deleted, left].map(({ tenantId }) => ({ tenantId, roles: ['viewer'] })),
      {
        tenant_id: one.tenantId,
      },
    );
    await sql`update tenants set status = 'deleted' where tenant_id = ${deleted.tenantId}`.execute(admin);
    await sql`delete from memberships where tenant_id = ${left.tenantId} and user_id = ${person.userId}`.execute(admin);
    expect((await listTenants(person)).map(({ tenantId }) => tenantId)).toEqual([one.tenantId]);
  });

  test('returns nothing for a key, and only the impersonated tenant during impersonation', async () => {
    const [one, two] = [await aTenant(), await aTenant()];
    const both = await aUser([one, two].map(({ tenantId }) => ({ tenantId, roles: ['viewer'] })));
    expect(await listTenants(await aKey(one))).toEqual([]);
    const operator = await impersonate(two.tenantId, both.userId);
    expect((await listTenants(operator)).map(({ tenantId }) => tenantId)).toEqual([two.tenantId]);
  });
});
