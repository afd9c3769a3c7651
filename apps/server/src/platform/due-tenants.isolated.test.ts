import { sql } from 'kysely';
import { Client } from 'pg';
import { expect, test, vi } from 'vitest';
import { purgeConversations } from '../features/conversations/index.ts';
import { purgeRequestErrors } from '../features/support/request-errors.ts';
import { expireQueued } from '../features/webhooks/log/deliveries.service.ts';
import { admin, services } from '../../test/harness.ts';

/** Tenants without any data, and the ids of five more. */
async function manyTenants(): Promise<string[]> {
  await sql`set session_replication_role = 'replica'; insert into tenants (tenant_id, name, plan, api_version)
    select 'ten_' || lpad(n::text, 6, '0'), 'Idle', 'free', '2026-01-01' from generate_series(1, 3000) as n;
    insert into directory.tenants (tenant_id) select tenant_id from tenants where name = 'Idle';
    set session_replication_role = default`.execute(admin);
  return [100, 700, 1_500, 2_200, 2_999].map((n) => `ten_${String(n).padStart(6, '0')}`);
}

async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const spy = vi.spyOn(Client.prototype, 'query');
  await work();
  const count = spy.mock.calls.length;
  spy.mockRestore();
  return count;
}

test('maintenance visits only tenants with something due, however many there are', async () => {
  const due = await manyTenants();
  await sql`insert into request_errors (tenant_id, hour, operation, status, reason, count, last_at, last_request_id, last_actor_type)
    select id, now() - days * interval '1 day', 'x', 404, 'x', 1, now(), 'x', 'api_key'
    from unnest(${due}::text[]) as id, unnest(array[6, 8, 9]) as days`.execute(admin);
  await sql`set session_replication_role = 'replica'; insert into conversations (tenant_id, id, environment_id, bot_id, version_id, expires_at)
    select id, 'conv_' || hours, 'env_1', 'bot_1', 'ver_1', now() - hours * interval '1 hour'
    from unnest(array[${sql.join(due.map((id) => sql.lit(id)))}]) as id, unnest(array[-1, 1, 2]) as hours;
    set session_replication_role = default`.execute(admin);

  // For each tenant: start, delete, commit.
  expect(await statementsOf(() => purgeRequestErrors(services))).toBeLessThanOrEqual(due.length * 3 + 10);
  // For each tenant: start, lock, two deletes, commit.
  expect(await statementsOf(() => purgeConversations(services))).toBeLessThanOrEqual(due.length * 5 + 10);
  expect(await statementsOf(() => expireQueued(services))).toBeLessThanOrEqual(10);

  const { rows } = await sql<{ errors: number; conversations: number }>`
    select (select count(*)::int from request_errors) as errors, (select count(*)::int from conversations) as conversations`.execute(
    admin,
  );
  expect(rows).toEqual([{ errors: due.length, conversations: due.length }]);
});

test('rows that stay due end the round instead of repeating it for ever', async () => {
  await sql`update conversations set expires_at = now() - interval '1 hour'`.execute(admin); // those that are left
  const isLocked = Promise.withResolvers<void>();
  const isOver = Promise.withResolvers<void>();
  const lock = admin.transaction().execute(async (tx) => {
    await sql`select from conversations for update`.execute(tx);
    isLocked.resolve();
    await isOver.promise;
  });
  await isLocked.promise;
  expect(await purgeConversations(services)).toBe(0);
  isOver.resolve();
  await lock;
  expect(await purgeConversations(services)).toBe(5);
});
