import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { countOf } from '../../../../../tools/testing/size.ts';
import type { Tx } from '../../platform/db.ts';
import { admin, aTenant, inside } from '../../../test/harness.ts';
import type { ListContacts } from './contacts.contract.ts';
import { list } from './list.store.ts';

const count = countOf('CONTACTS', { sample: 20_000, full: 100_000 });

/** A tenant with many contacts: `rare` is a term of one, `some` of one in a hundred and `common` of all. */
async function aLargeTenant() {
  const { tenantId, environmentId } = await aTenant();
  await admin.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx); // without checking each foreign key, which takes minutes
    await sql`insert into contacts (tenant_id, id, environment_id, external_user_id, email, name, last_seen_at)
      select ${tenantId}, 'con_' || lpad(n::text, 26, '0'), ${environmentId}, 'user-' || n, 'user' || n || '@example.com', 'Name',
        now() - n * interval '1 second' from generate_series(1, ${count}::int) as n`.execute(tx);
    await sql`insert into contact_terms (tenant_id, term, contact_id)
      select ${tenantId}, term, 'con_' || lpad(n::text, 26, '0') from generate_series(1, ${count}::int) as n, unnest(array[
        'user' || n, 'common', '#all', case when n % 100 = 0 then 'some' end, case when n = ${count - 1} then 'rare' end]) as term
      where term is not null`.execute(tx);
  });
  await sql`analyze contacts, contact_terms`.execute(admin);
  return tenantId;
}

/** Rows that this connection has read so far. */
async function countReads(tx: Tx): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::int as total
    from pg_stat_xact_user_tables where relname in ('contacts', 'contact_terms')`.execute(tx);
  return rows[0]?.total ?? 0;
}

test(`reads a page of ${count} contacts and finds any of them without reading them all`, async () => {
  const tenantId = await aLargeTenant();
  const searches: [filter: Partial<ListContacts>, results: number][] = [
    [{}, 26],
    [{ q: 'rare' }, 1],
    [{ q: `user${count - 1}` }, 1],
    [{ q: 'some' }, 26],
    [{ q: 'comm' }, 26],
    [{ q: 'common rare' }, 1],
    [{ tag: 'ALL' }, 26],
    [{ tag: 'all', q: 'rare' }, 1],
    [{ q: 'missing' }, 0],
  ];
  for (const [filter, results] of searches) {
    const { found, rowsRead } = await inside(tenantId, async ({ tx }) => {
      const before = await countReads(tx);
      const rows = await list(tx, filter as ListContacts, undefined, 26);
      return { found: rows.length, rowsRead: (await countReads(tx)) - before };
    });
    expect(found, JSON.stringify(filter)).toBe(results);
    // Up to 1,001 matches are counted, and a frequent term is tested row by row until the page is full.
    expect(rowsRead, JSON.stringify(filter)).toBeLessThan(6_000);
  }
  const next = await inside(tenantId, async ({ tx }) => {
    const [last] = await list(tx, { q: `user${count - 3}` } as ListContacts, undefined, 1);
    return list(tx, {} as ListContacts, { at: last?.cursorTime ?? '', id: last?.id ?? '' }, 26);
  });
  expect(next.map(({ externalUserId }) => externalUserId)).toEqual(
    [count - 2, count - 1, count].map((n) => `user-${n}`),
  );
});
