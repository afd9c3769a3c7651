import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { Invitation, Locale } from './members.contract.ts';
import { sortRoles } from './rank.ts';

// No `where tenantId` below: row-level security adds it, which a test verifies.

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

const withSortedRoles = (row: StoredInvitation): StoredInvitation => ({ ...row, roles: sortRoles(row.roles) });

interface Filter {
  before: string | undefined;
  status: 'open' | 'all';
  limit: number;
}
export async function list(tx: Tx, { before, status, limit }: Filter): Promise<Invitation[]> {
  let query = invitations(tx).orderBy('id', 'desc').limit(limit);
  if (before !== undefined) query = query.where('id', '<', before);
  if (status === 'open') query = query.where(isOpen);
  return (await query.execute()).map(withSortedRoles);
}

export async function find(tx: Tx, id: string): Promise<StoredInvitation | undefined> {
  const row = await invitations(tx).where('id', '=', id).executeTakeFirst();
  return row && withSortedRoles(row);
}

/** The pending invitation for this email address, expired or not. A unique index ensures that there is at most one. */
export async function findPending(tx: Tx, email: string): Promise<StoredInvitation | undefined> {
  const row = await invitations(tx)
    .where('email', '=', email)
    .where('acceptedAt', 'is', null)
    .where('revokedAt', 'is', null)
    .executeTakeFirst();
  return row && withSortedRoles(row);
}

/** Pending invitations for the role of owner, expired or not, newest first. */
export async function listPendingOwners(tx: Tx): Promise<StoredInvitation[]> {
  const rows = await invitations(tx)
    .where(sql<boolean>`'owner' = any (roles)`)
    .where('acceptedAt', 'is', null)
    .where('revokedAt', 'is', null)
    .orderBy('id', 'desc')
    .execute();
  return rows.map(withSortedRoles);
}

export async function listPendingBy(tx: Tx, userId: string): Promise<StoredInvitation[]> {
  const rows = await invitations(tx)
    .where('invitedBy', '=', userId)
    .where('acceptedAt', 'is', null)
    .where('revokedAt', 'is', null)
    .execute();
  return rows.map(withSortedRoles);
}

/** Members and open invitations. */
export async function countSeats(tx: Tx): Promise<number> {
  const { rows } = await sql<{ n: number }>`select ((select count(*) from memberships)
    + (select count(*) from invitations where ${isOpen}))::int as n`.execute(tx);
  return rows[0]?.n ?? 0;
}

type NewInvitation = Pick<StoredInvitation, 'id' | 'email' | 'roles' | 'invitedBy' | 'locale' | 'expiresAt'>;
export const insert = (tx: Tx, row: NewInvitation) => tx.insertInto('invitations').values(row).execute();

export const update = (tx: Tx, id: string, change: { expiresAt?: Date; acceptedAt?: Date; revokedAt?: Date }) =>
  tx.updateTable('invitations').set(change).where('id', '=', id).execute();

/** Publishes the invitation in the directory, where it is found by email address, and by token once the email is rendered. */
export const publish = (
  tx: Tx,
  { id, email, expiresAt }: Pick<Invitation, 'id' | 'email' | 'expiresAt'>,
  tokenHash: Buffer | null,
) => sql`select directory.set_invitation(${id}, ${email}, ${tokenHash}, ${expiresAt})`.execute(tx);

export const withdraw = (tx: Tx, id: string) => sql`select directory.remove_invitation(${id})`.execute(tx);

export const tenantName = async (tx: Tx): Promise<string> =>
  (await tx.selectFrom('tenants').select('name').executeTakeFirstOrThrow()).name;

export interface InvitationRef {
  tenantId: Id<'tenant'>;
  invitationId: Id<'invitation'>;
}
// Both run before the tenant is known, so they use functions of the directory that allow exact matches only.

export async function findByToken(db: Db, tokenHash: Buffer): Promise<InvitationRef | undefined> {
  const call = sql<InvitationRef>`select * from directory.find_invitation(${tokenHash})`;
  return (await call.execute(db)).rows[0];
}

export async function findFor(db: Db, email: string): Promise<InvitationRef[]> {
  return (await sql<InvitationRef>`select * from directory.invitations_for(${email})`.execute(db)).rows;
}

/** Suspended or deleted tenants cannot be joined. */
export const isTenantInactive = async (tx: Tx): Promise<boolean> =>
  (await tx.selectFrom('tenants').select('status').executeTakeFirst())?.status !== 'active';
