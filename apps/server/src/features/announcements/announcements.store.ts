import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db.ts';
import type { Announcement, OperatorAnnouncement } from './announcements.contract.ts';

const all = sql`id, title, text, kind, plan, starts_at, ends_at, created_by, created_at,
  case when starts_at > clock_timestamp() then 'planned' when ends_at <= clock_timestamp() then 'ended' else 'shown' end as state`;

/** The announcements that are currently shown, with the plan each is limited to. */
export async function listCurrent(db: Db): Promise<(Announcement & { plan: string | null })[]> {
  const { rows } = await sql<Announcement & { plan: string | null }>`
    select id, title, text, kind, plan, starts_at, ends_at from deployment.announcements
    where starts_at <= now() and (ends_at is null or ends_at > now()) order by id desc limit 100`.execute(db);
  return rows;
}

export async function list(db: Db, before: string | undefined, limit: number): Promise<OperatorAnnouncement[]> {
  const { rows } = await sql<OperatorAnnouncement>`select ${all} from deployment.announcements
    where ${before ?? null}::text is null or id < ${before ?? null} order by id desc limit ${limit}`.execute(db);
  return rows;
}

/** Locks the row until the transaction ends, so concurrent changes are applied one after the other. */
export async function lock(tx: Tx, id: string): Promise<OperatorAnnouncement | undefined> {
  const { rows } = await sql<OperatorAnnouncement>`
    select ${all} from deployment.announcements where id = ${id} for update`.execute(tx);
  return rows[0];
}

/** Uses the database clock, which all nodes share. */
export const end = (tx: Tx, id: string) =>
  sql`update deployment.announcements set ends_at = greatest(clock_timestamp(), starts_at) where id = ${id}`.execute(
    tx,
  );

type AnnouncementFields = Pick<OperatorAnnouncement, 'title' | 'text' | 'kind' | 'plan' | 'startsAt' | 'endsAt'>;

type NewAnnouncement = Omit<AnnouncementFields, 'startsAt'> & { startsAt: Date | null; createdBy: string };
export async function insert(tx: Tx, id: string, fields: NewAnnouncement): Promise<void> {
  const { title, text, kind, plan, startsAt, endsAt, createdBy } = fields;
  await sql`insert into deployment.announcements (id, title, text, kind, plan, starts_at, ends_at, created_by)
    values (${id}, ${title}, ${text}, ${kind}, ${plan}, coalesce(${startsAt}, clock_timestamp()), ${endsAt}, ${createdBy})`.execute(
    tx,
  );
}

export async function update(tx: Tx, id: string, fields: AnnouncementFields): Promise<void> {
  const { title, text, kind, plan, startsAt, endsAt } = fields;
  await sql`update deployment.announcements set title = ${title}, text = ${text}, kind = ${kind}, plan = ${plan},
    starts_at = ${startsAt}, ends_at = ${endsAt} where id = ${id}`.execute(tx);
}

export const remove = (tx: Tx, id: string) => sql`delete from deployment.announcements where id = ${id}`.execute(tx);
