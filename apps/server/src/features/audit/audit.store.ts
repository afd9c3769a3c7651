import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import type { ListAuditEntries } from './audit.contract.ts';

type Filter = Omit<ListAuditEntries, 'cursor' | 'limit'> & {
  /** Any of these. */
  actions?: readonly string[];
  before: string | undefined;
  limit: number;
};

/** The chain's own columns are for `parley-server audit verify`. */
const columns = [
  'id',
  'eventId',
  'action',
  'subjectId',
  'actorType',
  'actorId',
  'requestId',
  'data',
  'createdAt',
] as const;

/** Ids start with their time, so a time range becomes an id range that reads only the matching partitions. */
const firstId = (time: string) => sql<string>`directory.first_id('aud', ${time}::timestamptz)`;

export async function list(tx: Tx, { action, actions, subjectId, actorId, since, until, before, limit }: Filter) {
  let query = tx.selectFrom('auditEntries').select(columns).orderBy('id', 'desc').limit(limit);
  if (action !== undefined) query = query.where('action', '=', action);
  if (actions !== undefined) query = query.where('action', 'in', actions);
  if (subjectId !== undefined) query = query.where('subjectId', '=', subjectId);
  if (actorId !== undefined) query = query.where('actorId', '=', actorId);
  if (since !== undefined) query = query.where('id', '>=', firstId(since));
  if (until !== undefined) query = query.where('id', '<', firstId(until));
  if (before !== undefined) query = query.where('id', '<', before);
  return query.execute();
}
