import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { admin, aTenant, aUser, services, type TestTenant } from '../../../test/harness.ts';
import { queueDigests } from './digests.ts';
import { digestEmails } from './digests.emails.ts';

const notifications = { emailAfterMinutes: 15, wantsDigest: true, playsSound: true, showsDesktop: false };

const makeDue = ({ tenantId }: TestTenant) =>
  sql`update digests set due_at = now() - interval '1 minute' where tenant_id = ${tenantId}`.execute(admin);
const dueTimes = async ({ tenantId }: TestTenant) =>
  (await sql<{ dueAt: Date }>`select due_at from digests where tenant_id = ${tenantId}`.execute(admin)).rows;
async function emails() {
  const { rows } = await sql<{ recipient: string; data: Record<string, unknown> }>`
    select recipient, data from directory.emails where kind = 'digest' order by recipient`.execute(admin);
  return rows;
}

/** Yesterday's figures of the bot. */
const count = ({ tenantId, botId }: TestTenant, unanswered: number) =>
  sql`insert into usage_days (tenant_id, day, bot_id, unanswered, ratings, rating_sum)
    values (${tenantId}, (now() at time zone 'UTC')::date - 1, ${botId}, ${unanswered}, 2, 9)`.execute(admin);

test('emails the members who want it, of tenants with something to report, once a day', async () => {
  const [busy, idle, unread] = [await aTenant(), await aTenant(), await aTenant()];
  const reader = await aUser([{ tenantId: busy.tenantId, roles: ['agent'] }]);
  await aUser([{ tenantId: busy.tenantId, roles: ['agent'] }]);
  for (const member of [reader, idle])
    expect((await member.put('/me/notifications', notifications)).statusCode).toBe(200);
  expect(await dueTimes(unread)).toEqual([]);
  for (const tenant of [busy, unread]) await count(tenant, 3);
  for (const tenant of [busy, idle]) await makeDue(tenant);
  await queueDigests(services);
  await queueDigests(services);
  expect(await emails()).toEqual([
    {
      recipient: reader.email,
      data: { workspaceName: 'Default', waiting: 0, unanswered: 3, ratings: 2, ratingSum: 9 },
    },
  ]);
  for (const tenant of [busy, idle]) {
    const [next] = await dueTimes(tenant);
    expect(next?.dueAt.getTime()).toBeGreaterThan(Date.now());
  }
});

test('plans no more digests once no one wants them', async () => {
  const tenant = await aTenant();
  await tenant.put('/me/notifications', notifications);
  expect(await dueTimes(tenant)).toHaveLength(1);
  await tenant.put('/me/notifications', { ...notifications, wantsDigest: false });
  await makeDue(tenant);
  await queueDigests(services);
  expect(await dueTimes(tenant)).toEqual([]);
});

test('sends nothing for a suspended tenant', async () => {
  const tenant = await aTenant();
  await tenant.put('/me/notifications', notifications);
  await count(tenant, 1);
  await sql`update tenants set status = 'suspended' where tenant_id = ${tenant.tenantId}`.execute(admin);
  await makeDue(tenant);
  await queueDigests(services);
  expect((await emails()).filter(({ recipient }) => recipient === tenant.email)).toEqual([]);
});

test('says what happened, and links to where to act', async () => {
  const data = { workspaceName: 'Shop', waiting: 1, unanswered: 3, ratings: 2, ratingSum: 9 };
  const render = digestEmails({ PORTAL_URL: 'https://portal.example' })['digest'];
  const email = await render?.({ id: 'x', kind: 'digest', recipient: 'ada@example.com', data, attempts: 1 });
  expect(email?.subject).toBe('Your daily summary for Shop');
  expect(email?.text).toContain('1 visitor is waiting for an agent right now.');
  expect(email?.text).toContain('4.5 of 5 on average');
  expect(email?.text).toContain('https://portal.example/conversations');
});
