import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { urlAs } from '../../test/harness.ts';
import { connect } from './db.ts';

const select = (db: ReturnType<typeof connect>) => sql<{ n: number }>`select 1 as n`.execute(db);

test('closing the database waits for statements that are still opening a connection, and ends', async () => {
  const db = connect(urlAs('parley_app'), { max: 3 });
  await select(db);
  const running = Promise.allSettled([select(db), select(db), select(db), select(db)]); // one connection is open, two are not
  await new Promise((resolve) => setImmediate(resolve));
  await db.destroy();
  expect((await running).map(({ status }) => status)).toEqual(Array(4).fill('fulfilled'));
});
