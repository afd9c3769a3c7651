import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { admin, openApi } from '../../test/harness.ts';

test('closing ends although a statement does not, and logs what it did not wait for', async () => {
  const { platform, close } = await openApi();
  const error = vi.spyOn(platform.log, 'error');
  const running = sql`select pg_sleep(60)`.execute(platform.services.db).catch(() => 'ended');
  const sleeping = async () => {
    const { rows } = await sql<{ pid: number }>`
      select pid from pg_stat_activity where datname = current_database() and query = 'select pg_sleep(60)'`.execute(
      admin,
    );
    return rows.map(({ pid }) => pid);
  };
  await expect.poll(sleeping).toHaveLength(1);
  await close();
  expect(error.mock.calls).toContainEqual([
    { step: 'database', seconds: 2, open: expect.any(Array) },
    'a step of the shutdown did not finish; continuing without it',
  ]);
  for (const pid of await sleeping()) await sql`select pg_terminate_backend(${pid})`.execute(admin);
  expect(await running).toBe('ended');
});
