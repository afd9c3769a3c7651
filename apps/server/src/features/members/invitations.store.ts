import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { Invitation, Locale } from './members.contract.ts';
import { sortRoles } from './rank.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

export type StoredInvitation = Invitation & { locale: Locale };

const isOpen = sql<boolean>`accepted_at is null and revoked_at is null and expires_at > now()`;

const invitations = (tx: Tx) =>
  tx
    .selectFrom('invitations')
    .select(['id', 'email', 'roles', 'invitedBy', 'locale', 'createdAt', 'expiresAt'])
    .select(
      sql<
        Invitation['status']
      >`case when accepted_at is not null then 'accepted' when revoked_at is not null then 'revoked'
        when expires_at <= now() then 'expired' else 'open' end`.as('status'),
    )
    .$narrowType<StoredInvitation>();

const shaped = (row: StoredInvitation): StoredInvitation => ({ ...row, roles: sortRoles(row.roles) });

interface Filter {
  before: string | undefined;
  status: 'open' | 'all';
  limit: number;
}
export async function list(tx: Tx, { before, status, limit }: Filter): Promise<Invitation[]> {
  let query = invitations(tx).orderBy('id', 'desc').limit(limit);
  if (before !== undefined) query = query.where('id', '<', before);
  if (status === 'open') query = query.where(isOpen);
  return (await query.execute()).map(shaped);
}

export async function find(tx: Tx, id: string): Promise<StoredInvitation | undefined> {
  const row = await invitations(tx).where('id', '=', id).executeTakeFirst();
  return row && shaped(row);
}

/** The one that holds this address, expired or not: a unique index sees to it that there is only one. */
export async function findUnanswered(tx: Tx, email: string): Promise<StoredInvitation | undefined> {
  const row = await invitations(tx)
    .where('email', '=', email)
    .where('acceptedAt', 'is', null)
    .where('revokedAt', 'is', null)
    .executeTakeFirst();
  return row && shaped(row);
}

/** Those to the role of owner that nobody has answered, expired or not, newest first. */
export async function listUnansweredOwners(tx: Tx): Promise<StoredInvitation[]> {
  const rows = await invitations(tx)
    .where(sql<boolean>`'owner' = any (roles)`)
    .where('acceptedAt', 'is', null)
    .where('revokedAt', 'is', null)
    .orderBy('id', 'desc')
    .execute();
  return rows.map(shaped);
}

export async function listUnansweredBy(tx: Tx, userId: string): Promise<StoredInvitation[]> {
  const rows = await invitations(tx)
    .where('invitedBy', '=', userId)
    .where('acceptedAt', 'is', null)
    .where('revokedAt', 'is', null)
    .execute();
  return rows.map(shaped);
}

/** Members, and those who can become one at any moment. */
export async function countPlaces(tx: Tx): Promise<number> {
  const { rows } = await sql<{ n: number }>`select ((select count(*) from memberships)
    + (select count(*) from invitations where ${isOpen}))::int as n`.execute(tx);
  return rows[0]?.n ?? 0;
}

type NewInvitation = Pick<StoredInvitation, 'id' | 'email' | 'roles' | 'invitedBy' | 'locale' | 'expiresAt'>;
export const insert = (tx: Tx, row: NewInvitation) => tx.insertInto('invitations').values(row).execute();

export const update = (tx: Tx, id: string, change: { expiresAt?: Date; acceptedAt?: Date; revokedAt?: Date }) =>
  tx.updateTable('invitations').set(change).where('id', '=', id).execute();

/** Lets whoever has no tenant yet find it: by the address, and by a link, once that is written. */
export const publish = (
  tx: Tx,
  { id, email, expiresAt }: Pick<Invitation, 'id' | 'email' | 'expiresAt'>,
  tokenHash: Buffer | null,
) => sql`select directory.set_invitation(${id}, ${email}, ${tokenHash}, ${expiresAt})`.execute(tx);

export const withdraw = (tx: Tx, id: string) => sql`select directory.remove_invitation(${id})`.execute(tx);

export const tenantName = async (tx: Tx): Promise<string> =>
  (await tx.selectFrom('tenants').select('name').executeTakeFirstOrThrow()).name;

export interface InvitationPlace {
  tenantId: Id<'tenant'>;
  invitationId: Id<'invitation'>;
}
// Both run before we know the tenant, so they go through functions of the directory: by exact match only.

export async function findByToken(db: Db, tokenHash: Buffer): Promise<InvitationPlace | undefined> {
  const call = sql<InvitationPlace>`select * from directory.find_invitation(${tokenHash})`;
  return (await call.execute(db)).rows[0];
}

export async function findFor(db: Db, email: string): Promise<InvitationPlace[]> {
  return (await sql<InvitationPlace>`select * from directory.invitations_for(${email})`.execute(db)).rows;
}

/** Suspended or deleted: nobody joins what nobody can use. */
export const isTenantShut = async (tx: Tx): Promise<boolean> =>
  (await tx.selectFrom('tenants').select('status').executeTakeFirst())?.status !== 'active';
