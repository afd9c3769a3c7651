import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { newId } from '../../platform/ids.ts';
import type { PoolTx } from '../../platform/pool.ts';

export interface KnownUser {
  userId: Id<'user'>;
  pool: 'customer' | 'admin';
  email: string;
  name: string;
  platformRoles: string[];
  disabled: boolean;
  tokensValidAfter: Date;
  tenantIds: Id<'tenant'>[];
}

/** Runs before the tenant is known, so it uses a function of the directory that allows exact matches only. */
export async function findUser(db: Db, issuer: string, subject: string): Promise<KnownUser | undefined> {
  const call = sql<KnownUser>`select * from directory.find_user(${issuer}, ${subject})`;
  return (await call.execute(db)).rows[0];
}

/** A user of a built-in pool, whose subject is the user id. */
export async function findOwnUser(db: Db, pool: string, userId: string): Promise<KnownUser | undefined> {
  const call = sql<KnownUser>`select * from directory.find_own_user(${pool}, ${userId})`;
  return (await call.execute(db)).rows[0];
}

export const findRoles = async (tx: Tx, userId: string): Promise<string[] | undefined> =>
  (await tx.selectFrom('memberships').select('roles').where('userId', '=', userId).executeTakeFirst())?.roles;

export const updatePerson = (tx: PoolTx, userId: string, change: { name?: string; locale?: string }) =>
  tx.updateTable('people').set(change).where('userId', '=', userId).execute();

/** Finds the user of an external identity, or creates one. `hasAccount`: the email belongs to an account without it. */
export async function joinByIdentity(
  db: Db,
  { pool, issuer, subject }: { pool: string; issuer: string; subject: string },
  { email, name }: { email: string; name?: string | undefined },
): Promise<{ userId: string | null; hasAccount: boolean }> {
  const { rows } = await sql<{ userId: string | null; hasAccount: boolean }>`
    select * from directory.join_by_identity(${pool}, ${issuer}, ${subject}, ${newId('user')}, ${email}, ${name ?? email})`.execute(
    db,
  );
  return rows[0] ?? { userId: null, hasAccount: false };
}
