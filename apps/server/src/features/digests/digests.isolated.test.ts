import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { admin, aTenant, aUser, services, type TestTenant } from '../../../test/harness.ts';
import { queueDigests } from './digests.ts';
import { digestEmails } from './digests.emails.ts';

const notifications = { emailAfterMinutes: 15, wantsDigest: true, playsSound: true, showsDesktop: false };

/** The last one was about the day before these days. */
const makeDue = ({ tenantId }: TestTenant, days = 1) =>
  sql`update digests set due_at = now() - interval '1 minute',
    reported_until = (now() at time zone 'UTC')::date - 1 - ${days}::int where tenant_id = ${tenantId}`.execute(admin);
const dueTimes = async ({ tenantId }: TestTenant) =>
  (await sql<{ dueAt: Date }>`select due_at from digests where tenant_id = ${tenantId}`.execute(admin)).rows;
async function emails() {
  const { rows } = await sql<{ recipient: string; data: Record<string, unknown> }>`
    select recipient, data from directory.emails where kind = 'digest' order by recipient`.execute(admin);
  return rows;
}

/** Figures of the bot on a day, yesterday if not given. */
const count = ({ tenantId, botId }: TestTenant, unanswered: number, daysAgo = 1) =>
  sql`insert into usage_days (tenant_id, day, bot_id, unanswered, ratings, rating_sum)
    values (${tenantId}, (now() at time zone 'UTC')::date - ${daysAgo}::int, ${botId}, ${unanswered}, 2, 9)`.execute(
    admin,
  );
const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

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
      data: {
        workspaceName: 'Default',
        waiting: 0,
        unanswered: 3,
        ratings: 2,
        ratingSum: 9,
        since: dayBefore(1),
        until: dayBefore(1),
      },
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

test('reports each day once, also those after which the workspace was closed', async () => {
  const tenant = await aTenant();
  const weekly = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'].map((day) => ({
    day,
    opens: '09:00',
    closes: '17:00',
  }));
  const hours = { timeZone: 'UTC', weekly, holidays: [], awayMessage: '', replyMinutes: null };
  const at = `/workspaces/${tenant.workspaceId}/business-hours`;
  expect((await tenant.put(at, hours)).statusCode).toBe(200);
  await tenant.put('/me/notifications', notifications);
  for (const [daysAgo, unanswered] of [
    [1, 1],
    [2, 10],
    [3, 100],
    [4, 1_000],
  ] as const)
    await count(tenant, unanswered, daysAgo);
  // As on a Monday: the last one was on Friday, about Thursday.
  await makeDue(tenant, 3);
  await queueDigests(services);
  const digests = async () => (await emails()).filter(({ recipient }) => recipient === tenant.email);
  expect(await digests()).toMatchObject([{ data: { unanswered: 111, since: dayBefore(3), until: dayBefore(1) } }]);
  await sql`update digests set due_at = now() where tenant_id = ${tenant.tenantId}`.execute(admin);
  await queueDigests(services);
  expect(await digests()).toHaveLength(1);
});

test('keeps the schedule while its only reader may not read it', async () => {
  const tenant = await aTenant();
  const reader = await aUser([{ tenantId: tenant.tenantId, roles: ['agent'] }]);
  await reader.put('/me/notifications', notifications);
  await count(tenant, 1);
  const change = (roles: string[]) => tenant.patch(`/members/${reader.userId}`, { roles });
  expect((await change(['viewer'])).statusCode).toBe(200);
  await makeDue(tenant);
  await queueDigests(services);
  const digests = async () => (await emails()).filter(({ recipient }) => recipient === reader.email);
  expect(await digests()).toEqual([]);
  expect((await change(['agent'])).statusCode).toBe(200);
  await makeDue(tenant);
  await queueDigests(services);
  expect(await digests()).toHaveLength(1);
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
  const figures = { workspaceName: 'Shop', waiting: 1, unanswered: 3, ratings: 2, ratingSum: 9, until: '2026-11-22' };
  const render = digestEmails({ PORTAL_URL: 'https://portal.example' })['digest'];
  const emailSince = (since: string) => {
    const data = { ...figures, since };
    return render?.({ id: 'x', kind: 'digest', recipient: 'ada@example.com', data, attempts: 1 });
  };
  const email = await emailSince('2026-11-22');
  expect(email?.text).toContain('Yesterday, the bot couldn’t answer 3 questions.');
  expect((await emailSince('2026-11-20'))?.text).toContain('Since Friday, the bot couldn’t answer 3 questions.');
  expect((await emailSince('2026-11-09'))?.text).toContain('Since November 9, visitors rated 2 conversations');
  expect(email?.subject).toBe('Your daily summary for Shop');
  expect(email?.text).toContain('1 visitor is waiting for an agent right now.');
  expect(email?.text).toContain('4.5 of 5 on average');
  expect(email?.text).toContain('https://portal.example/conversations');
});
