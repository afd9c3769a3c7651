import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { admin, aTenant, aUser, type TestTenant } from '../../../test/harness.ts';
import type { Member } from './members.contract.ts';

const named = async ({ tenantId }: TestTenant, name: string, email: string) => {
  const { userId } = await aUser([{ tenantId, roles: ['viewer'] }]);
  await sql`update directory.users set name = ${name}, email = ${email} where user_id = ${userId}`.execute(admin);
  return userId;
};
const find = async (tenant: TestTenant, q: string, more = '') =>
  (await tenant.get(`/members?q=${encodeURIComponent(q)}${more}`)).json<{
    data: Member[];
    nextCursor: string | null;
  }>();
const ids = async (tenant: TestTenant, q: string) => (await find(tenant, q)).data.map(({ userId }) => userId);

test('200: by how the name or the address begins, in any case, and nobody of another tenant', async () => {
  const [tenant, theirs] = [await aTenant(), await aTenant()];
  const zoe = await named(tenant, 'Zoë Ångström', 'first@one.example');
  const ann = await named(tenant, 'Ann Zoë', 'zora.ann@one.example');
  await named(theirs, 'Zoë Elsewhere', 'zo@two.example');
  expect(await ids(tenant, 'zo')).toEqual([ann, zoe]); // the one by her address
  expect(await ids(tenant, ' ZOË å')).toEqual([zoe]);
  expect(await ids(tenant, 'ZORA.')).toEqual([ann]);
  expect(await ids(tenant, 'gström')).toEqual([]);
  for (const sign of ['%', '_', '\\', "'"]) expect(await ids(tenant, sign), sign).toEqual([]);
});

test('200: in pages that neither skip nor repeat', async () => {
  const tenant = await aTenant();
  const made: string[] = [];
  for (let n = 0; n < 5; n++) made.unshift(await named(tenant, `Sam ${n}`, `${n}-${tenant.botId}@one.example`));
  await named(tenant, 'Other', `other-${tenant.botId}@one.example`);
  const seen: string[] = [];
  let cursor: string | null = '';
  do {
    const page: Awaited<ReturnType<typeof find>> = await find(
      tenant,
      'sam',
      `&limit=2${cursor && `&cursor=${cursor}`}`,
    );
    seen.push(...page.data.map(({ userId }) => userId));
    cursor = page.nextCursor;
  } while (cursor !== null);
  expect(seen).toEqual(made);
});

test('400: nothing to look for, or far too much', async () => {
  const tenant = await aTenant();
  for (const q of ['', '%20', 'x'.repeat(121)]) expect((await tenant.get(`/members?q=${q}`)).statusCode, q).toBe(400);
});
