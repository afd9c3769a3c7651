import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { admin, aTenant, aUser, type TestTenant } from '../../../test/harness.ts';
import type { Member } from './members.contract.ts';

const aNamedMember = async ({ tenantId }: TestTenant, name: string, email: string) => {
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

test('finds members of this tenant by the start of their name or email, ignoring case', async () => {
  const [tenant, theirs] = [await aTenant(), await aTenant()];
  const zoe = await aNamedMember(tenant, 'Zoë Ångström', 'first@one.example');
  const ann = await aNamedMember(tenant, 'Ann Zoë', 'zora.ann@one.example');
  await aNamedMember(theirs, 'Zoë Other', 'zo@two.example');
  expect(await ids(tenant, 'zo')).toEqual([ann, zoe]); // matched by email
  expect(await ids(tenant, ' ZOË å')).toEqual([zoe]);
  expect(await ids(tenant, 'ZORA.')).toEqual([ann]);
  expect(await ids(tenant, 'gström')).toEqual([]);
  for (const character of ['%', '_', '\\', "'"]) expect(await ids(tenant, character), character).toEqual([]);
});

test('pages have no gaps or duplicates', async () => {
  const tenant = await aTenant();
  const expected: string[] = [];
  for (let n = 0; n < 5; n++)
    expected.unshift(await aNamedMember(tenant, `Sam ${n}`, `${n}-${tenant.botId}@one.example`));
  await aNamedMember(tenant, 'Other', `other-${tenant.botId}@one.example`);
  const listed: string[] = [];
  let cursor: string | null = '';
  do {
    const page: Awaited<ReturnType<typeof find>> = await find(
      tenant,
      'sam',
      `&limit=2${cursor && `&cursor=${cursor}`}`,
    );
    listed.push(...page.data.map(({ userId }) => userId));
    cursor = page.nextCursor;
  } while (cursor !== null);
  expect(listed).toEqual(expected);
});

test('returns 400 for an empty or too long query', async () => {
  const tenant = await aTenant();
  for (const q of ['', '%20', 'x'.repeat(121)]) expect((await tenant.get(`/members?q=${q}`)).statusCode, q).toBe(400);
});
