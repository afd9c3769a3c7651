import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { conflict } from '../../platform/errors.ts';
import type { PoolTx } from '../../platform/pool.ts';
import { sha256 } from '../../platform/crypto.ts';

export type Purpose =
  | 'reset'
  | 'welcome'
  | 'signup'
  | 'mfa'
  | 'passkey-create'
  | 'passkey-get'
  | 'impersonation'
  | 'first-sign-in';

interface NewToken {
  purpose: Purpose;
  seconds: number;
  userId?: string | null;
  data?: Record<string, unknown>;
  /** A value chosen by something else, such as a passkey challenge. */
  value?: string;
}

/** Creates a token that can be used once. Only its hash is stored. */
export async function createToken(
  tx: PoolTx,
  { purpose, seconds, userId = null, data = {}, value }: NewToken,
): Promise<string> {
  const token = value ?? randomBytes(32).toString('base64url');
  await tx
    .insertInto('oneTimeTokens')
    .values({
      hash: sha256(token),
      purpose,
      userId,
      data: JSON.stringify(data),
      expiresAt: sql<Date>`now() + make_interval(secs => ${seconds})`,
    })
    .execute();
  return token;
}

export interface OneTimeToken {
  userId: string | null;
  data: Record<string, unknown>;
}

/** Reads a token without consuming it. */
export async function peekToken(tx: PoolTx, purpose: Purpose, token: string): Promise<OneTimeToken | undefined> {
  const row = await tx
    .selectFrom('oneTimeTokens')
    .select(['userId', 'data'])
    .where('hash', '=', sha256(token))
    .where('purpose', '=', purpose)
    .where('expiresAt', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return row as OneTimeToken | undefined;
}

/** Consumes a token. Of two concurrent calls, one succeeds. */
export async function consumeToken(tx: PoolTx, purpose: Purpose, token: string): Promise<OneTimeToken | undefined> {
  const row = await tx
    .deleteFrom('oneTimeTokens')
    .where('hash', '=', sha256(token))
    .where('purpose', '=', purpose)
    .where('expiresAt', '>', sql<Date>`now()`)
    .returning(['userId', 'data'])
    .executeTakeFirst();
  return row as OneTimeToken | undefined;
}

/** The error for every kind of link that has expired or was used. */
export const linkExpired = () =>
  conflict('link_expired', 'This link has expired or was already used. Request a new one.');

/** Invalidates the links of older emails when a new one is sent. */
export const deleteTokens = (tx: PoolTx, purpose: Purpose, userId: string) =>
  tx.deleteFrom('oneTimeTokens').where('purpose', '=', purpose).where('userId', '=', userId).execute();

/** True if a token was created within the last `seconds` seconds. */
export const hasRecentToken = async (
  tx: PoolTx,
  purpose: Purpose,
  userId: string,
  seconds: number,
): Promise<boolean> => {
  const found = await tx
    .selectFrom('oneTimeTokens')
    .select('purpose')
    .where('purpose', '=', purpose)
    .where('userId', '=', userId)
    .where('createdAt', '>', sql<Date>`now() - make_interval(secs => ${seconds})`)
    .executeTakeFirst();
  return found !== undefined;
};
