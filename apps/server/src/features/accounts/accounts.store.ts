import { sql } from 'kysely';
import type { Db } from '../../platform/db.ts';
import type { PoolTx } from '../../platform/pool.ts';

export interface Account {
  userId: string;
  email: string;
  name: string;
  locale: string;
  isDisabled: boolean;
  passwordHash: string | null;
  hasTotp: boolean;
  hasPasskey: boolean;
  /** Has signed in from this IP address in the last 30 days. */
  isKnownIp: boolean;
  /** Has not signed in from this IP address today, so `rememberIp` must be called. */
  isIpUnrecorded: boolean;
}

const hasSignedInFrom = (ip: Buffer | null, within: '30 days' | '1 day') =>
  sql<boolean>`exists (select from known_ips where user_id = people.user_id and ip = ${ip}
    and seen_at > now() - ${within}::interval)`;

/** `isKnownIp` of the account with this email address, as part of another statement. */
export const isKnownIpOf = (email: string, ip: Buffer) =>
  sql<boolean>`exists (select from people
    where lower(email) = ${email.toLowerCase()} and ${hasSignedInFrom(ip, '30 days')})`;

const select = (tx: PoolTx, ip: Buffer | null) =>
  tx
    .selectFrom('people')
    .innerJoin('accounts', 'accounts.userId', 'people.userId')
    .select(['people.userId', 'people.email', 'people.name', 'people.locale', 'accounts.passwordHash'])
    .select([
      sql<boolean>`people.disabled_at is not null`.as('isDisabled'),
      sql<boolean>`exists (select from totp where user_id = people.user_id and confirmed_at is not null)`.as('hasTotp'),
      sql<boolean>`exists (select from passkeys where user_id = people.user_id)`.as('hasPasskey'),
      hasSignedInFrom(ip, '30 days').as('isKnownIp'),
      sql<boolean>`not ${hasSignedInFrom(ip, '1 day')}`.as('isIpUnrecorded'),
    ])
    .$narrowType<Account>();

export const findByEmail = (tx: PoolTx, email: string, ip: Buffer | null = null): Promise<Account | undefined> =>
  select(tx, ip)
    .where(sql<string>`lower(people.email)`, '=', email.toLowerCase())
    .executeTakeFirst();

export const findById = (tx: PoolTx, userId: string, ip: Buffer | null = null): Promise<Account | undefined> =>
  select(tx, ip).where('people.userId', '=', userId).executeTakeFirst();

export interface NewAccount {
  userId: string;
  email: string;
  name: string;
  locale: string;
  passwordHash: string | null;
  platformRoles?: string[];
}

/**
 * An account created with a password has a verified email address, because its owner opened a link. An account without
 * one was created by an operator; it is verified when its owner sets a password, and deleted after 7 days otherwise.
 */
export async function insertAccount(tx: PoolTx, { userId, passwordHash, platformRoles = [], ...person }: NewAccount) {
  await tx
    .insertInto('people')
    .values({ userId, ...person, email: person.email.toLowerCase(), platformRoles })
    .execute();
  await tx
    .insertInto('accounts')
    .values({ userId, passwordHash, emailVerifiedAt: passwordHash === null ? null : sql`now()` })
    .execute();
}

/** Sets the first password of a person who signed in through an external issuer, or replaces an existing one. */
export const setPassword = (tx: PoolTx, userId: string, passwordHash: string) =>
  tx
    .insertInto('accounts')
    .values({ userId, passwordHash, emailVerifiedAt: sql`now()` })
    .onConflict((same) => same.column('userId').doUpdateSet({ passwordHash, emailVerifiedAt: sql`now()` }))
    .execute();

export const findPersonByEmail = (tx: PoolTx, email: string) =>
  tx
    .selectFrom('people')
    .select(['userId', 'email', 'name', 'locale'])
    .where(sql<string>`lower(email)`, '=', email.toLowerCase())
    .executeTakeFirst();

export const rememberIp = (tx: PoolTx, userId: string, ip: Buffer) =>
  tx
    .insertInto('knownIps')
    .values({ userId, ip })
    .onConflict((same) => same.columns(['userId', 'ip']).doUpdateSet({ seenAt: sql`now()` }))
    .execute();

/** True at most once per day and account. */
export const claimDailyWarning = async (tx: PoolTx, userId: string): Promise<boolean> => {
  const { numUpdatedRows } = await tx
    .updateTable('accounts')
    .set({ warnedAt: sql`now()` })
    .where('userId', '=', userId)
    .where(sql<boolean>`(warned_at is null or warned_at < now() - interval '1 day')`)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
};

/** Invalidates all access tokens issued until now, by any issuer. */
export const revokeTokens = (tx: PoolTx, userId: string) =>
  tx
    .updateTable('people')
    .set({ tokensValidAfter: sql`now()` })
    .where('userId', '=', userId)
    .execute();

export const setDisabled = (tx: PoolTx, userId: string, isDisabled: boolean) =>
  tx
    .updateTable('people')
    .set({ disabledAt: isDisabled ? sql`coalesce(disabled_at, now())` : null })
    .where('userId', '=', userId)
    .returning(['userId'])
    .executeTakeFirst();

export interface NewSignup {
  id: string;
  email: string;
  name: string;
  organisation: string;
  locale: string;
}
export const insertSignup = (tx: PoolTx, signup: NewSignup) =>
  tx
    .insertInto('signups')
    .values({ ...signup, expiresAt: sql<Date>`now() + interval '1 day'` })
    .execute();
export const findSignup = (tx: PoolTx, id: string): Promise<NewSignup | undefined> =>
  tx
    .selectFrom('signups')
    .select(['id', 'email', 'name', 'organisation', 'locale'])
    .where('id', '=', id)
    .where('expiresAt', '>', sql<Date>`now()`)
    .executeTakeFirst();
export const deleteSignup = (tx: PoolTx, id: string) => tx.deleteFrom('signups').where('id', '=', id).execute();

/** Returns the owner of the identity, and whether this call added it. */
export const addIdentity = async (db: Db, issuer: string, subject: string, userId: string) =>
  (
    await sql<{ userId: string; isNew: boolean }>`
      select * from directory.add_identity(${issuer}, ${subject}, ${userId})`.execute(db)
  ).rows[0];
