import type { Id } from '../../platform/ids.contract.ts';
import { readCursor, toPage } from '../../platform/lists.ts';
import { enterPool, inPool, type PoolName } from '../../platform/pool.ts';
import { tenantsOf } from '../pools/index.ts';
import type { ListPeople, ListPoolAuditEntries, PoolAuditEntry } from './operators.contract.ts';
import { loadPerson, type OperatorDeps } from './operators.service.ts';
import * as store from './operators.store.ts';

export async function listPeople({ services }: OperatorDeps, { pool, cursor, limit, email }: ListPeople) {
  const filter = { before: readCursor(cursor), email, limit: limit + 1 };
  const rows = await inPool(services.db, pool, (tx) => store.listPeople(tx, filter));
  return toPage(
    rows.map((person) => ({ ...person, id: person.userId })),
    limit,
  );
}

export const getPerson = ({ services }: OperatorDeps, pool: PoolName, userId: string) =>
  inPool(services.db, pool, async (tx) => {
    const person = await loadPerson(tx, userId);
    return { user: { ...person, tenantIds: (await tenantsOf(tx, pool, userId)) as Id<'tenant'>[] } };
  });

export async function listEntries({ services }: OperatorDeps, query: ListPoolAuditEntries) {
  const { pool, cursor, limit, since, until, userId, action } = query;
  const before = readCursor(cursor);
  const rows = await services.db.transaction().execute(async (tx) => {
    const [from, to] = [await store.firstId(tx, since), await store.firstId(tx, until)];
    const filter = { userId, action, from, to, before, limit: limit + 1 };
    return enterPool(tx, pool, (poolTx) => store.listEntries(poolTx, filter));
  });
  const entries = rows.map(
    ({ actorType, actorId, ...row }) => ({ ...row, actor: { type: actorType, id: actorId } }) as PoolAuditEntry,
  );
  return toPage(entries, limit);
}
