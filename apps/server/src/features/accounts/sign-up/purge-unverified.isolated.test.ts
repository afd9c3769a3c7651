import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { manyAccounts } from '../../../../test/identity/accounts-fixture.ts';
import { admin, anOperator, services, openApi, operators } from '../../../../test/harness.ts';
import { inPool } from '../../../platform/pool.ts';
import { setPassword } from '../accounts.store.ts';
import { createToken } from '../one-time-tokens.store.ts';
import { hashPassword } from '../password/passwords.ts';
import { purgeUnverified } from './purge-unverified.store.ts';

const hours = (count: number) => new Date(Date.now() + count * 3_600_000);
const day = 24;
const count = async (query: ReturnType<typeof sql>) => (await query.execute(admin)).rows.length;
const signUpsOf = (email: string) => count(sql`select from customer_pool.signups where email = ${email}`);
const emailsTo = (email: string) => count(sql`select from directory.emails where lower(recipient) = ${email}`);
const personOf = (userId: string) => count(sql`select from directory.users where user_id = ${userId}`);
const accountOf = (userId: string) => count(sql`select from admin_pool.accounts where user_id = ${userId}`);
const expiryEntries = (userId: string) =>
  count(sql`select from admin_pool.audit_entries where action = 'account.expired' and user_id = ${userId}`);

async function aSignUp() {
  const api = await openApi({ SIGNUP: 'open' });
  const email = `${randomUUID()}@example.com`;
  const payload = { email, name: 'Ada', organisation: 'Engines' };
  const { statusCode } = await api.app.inject({ method: 'POST', url: '/auth/signup', payload });
  await api.close();
  expect(statusCode).toBe(202);
  return email;
}

/** An operator created by another one, who has not opened the link in the email. */
async function anInvitedOperator() {
  const creator = await anOperator();
  const email = `${randomUUID()}@parley.example`;
  const response = await creator.post('/admin/users', { email, name: 'Olga', roles: ['support'] });
  expect(response.statusCode, response.body).toBe(201);
  return { email, userId: response.json<{ user: { userId: string } }>().user.userId };
}

test('deletes an unconfirmed sign-up after a day and its undelivered email after 7 days', async () => {
  const email = await aSignUp();
  await purgeUnverified(services, hours(day - 1));
  expect([await signUpsOf(email), await emailsTo(email)]).toEqual([1, 1]);
  await purgeUnverified(services, hours(day + 1));
  expect([await signUpsOf(email), await emailsTo(email)]).toEqual([0, 1]);
  await sql`update directory.emails set failed_at = now() where recipient = ${email}`.execute(admin);
  await purgeUnverified(services, hours(7 * day - 1));
  expect(await emailsTo(email)).toBe(1);
  await purgeUnverified(services, hours(7 * day + 1));
  expect(await emailsTo(email)).toBe(0);
});

test('deletes an unverified operator after 7 days, with one audit entry', async () => {
  const { userId, email } = await anInvitedOperator();
  await purgeUnverified(services, hours(7 * day - 1));
  expect([await accountOf(userId), await personOf(userId), await expiryEntries(userId)]).toEqual([1, 1, 0]);
  await Promise.all([purgeUnverified(services, hours(7 * day + 1)), purgeUnverified(services, hours(7 * day + 1))]);
  await purgeUnverified(services, hours(7 * day + 1));
  expect([await accountOf(userId), await personOf(userId), await emailsTo(email)]).toEqual([0, 0, 0]);
  expect(await expiryEntries(userId)).toBe(1);
});

test('keeps accounts with a password, and people with an external identity', async () => {
  const [withPassword, withIdentity] = [await anInvitedOperator(), await anInvitedOperator()];
  const hash = await hashPassword('admin', 'violet thunder over Lisbon');
  await inPool(services.db, 'admin', (tx) => setPassword(tx, withPassword.userId, hash));
  await sql`insert into directory.identities values (${operators.issuer}, ${randomUUID()}, ${withIdentity.userId})`.execute(
    admin,
  );
  await purgeUnverified(services, hours(30 * day));
  expect([await accountOf(withPassword.userId), await personOf(withPassword.userId)]).toEqual([1, 1]);
  expect([await accountOf(withIdentity.userId), await personOf(withIdentity.userId)]).toEqual([0, 1]);
});

test('keeps an account with a newer link until that expires', async () => {
  const { userId } = await anInvitedOperator();
  const seconds = 7.5 * day * 3_600;
  await inPool(services.db, 'admin', (tx) => createToken(tx, { purpose: 'welcome', seconds, userId }));
  await purgeUnverified(services, hours(7 * day + 1));
  expect(await personOf(userId)).toBe(1);
  await purgeUnverified(services, hours(8 * day));
  expect(await personOf(userId)).toBe(0);
});

test('deletes several batches in one run and uses the indexes', async () => {
  const emails = [await aSignUp(), await aSignUp(), await aSignUp()];
  await purgeUnverified(services, hours(8 * day), 1);
  for (const email of emails) expect([await signUpsOf(email), await emailsTo(email)]).toEqual([0, 0]);

  await manyAccounts(5_000);
  await sql`insert into directory.emails (id, kind, recipient, data)
    select 'let_' || n, 'reset', 'a@example.com', '{}' from generate_series(1, 5000) as n`.execute(admin);
  await sql`insert into customer_pool.signups (id, email, name, organisation, locale, expires_at)
    select n, 'a@example.com', 'A', 'A', 'en', now() + interval '1 day' from generate_series(1, 5000) as n`.execute(
    admin,
  );
  await sql`analyze`.execute(admin);
  const plan = async (query: ReturnType<typeof sql>) =>
    JSON.stringify((await sql`explain ${query}`.execute(admin)).rows);
  const weekAgo = sql`now() - interval '7 days'`;
  expect(
    await plan(sql`select user_id from customer_pool.accounts where email_verified_at is null
      and created_at < ${weekAgo} order by created_at limit 500`),
  ).toContain('accounts_unverified');
  expect(
    await plan(sql`select id from directory.emails where kind = 'signup' and created_at < ${weekAgo}
      order by created_at limit 500`),
  ).toContain('emails_sign_up');
  expect(
    await plan(sql`select id from customer_pool.signups where expires_at < now() order by expires_at limit 500`),
  ).toContain('signups_expires_at_idx');
});
