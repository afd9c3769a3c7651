import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { conflict } from '../../platform/errors.ts';
import type { PoolTx } from '../../platform/pool.ts';
import { sha256 } from '../../platform/crypto.ts';

export type Purpose = 'reset' | 'welcome' | 'signup' | 'mfa' | 'passkey-create' | 'passkey-get' | 'impersonation';

interface NewToken {
  purpose: Purpose;
  seconds: number;
  userId?: string | null;
  data?: Record<string, unknown>;
  /** Where something else chose it, such as the challenge of a passkey. */
  value?: string;
}

/** A value that is good once. Only its hash is kept. */
export async function mint(
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

export interface Minted {
  userId: string | null;
  data: Record<string, unknown>;
}

/** Looks, and leaves it good. */
export async function peek(tx: PoolTx, purpose: Purpose, token: string): Promise<Minted | undefined> {
  const row = await tx
    .selectFrom('oneTimeTokens')
    .select(['userId', 'data'])
    .where('hash', '=', sha256(token))
    .where('purpose', '=', purpose)
    .where('expiresAt', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return row as Minted | undefined;
}

/** Uses it up. Of two at once one gets it. */
export async function take(tx: PoolTx, purpose: Purpose, token: string): Promise<Minted | undefined> {
  const row = await tx
    .deleteFrom('oneTimeTokens')
    .where('hash', '=', sha256(token))
    .where('purpose', '=', purpose)
    .where('expiresAt', '>', sql<Date>`now()`)
    .returning(['userId', 'data'])
    .executeTakeFirst();
  return row as Minted | undefined;
}

/** For a link that is no longer good, whatever it was for. */
export const linkExpired = () =>
  conflict('link_expired', 'This link has expired or was already used. Request a new one.');

/** A newer email makes the older one's link worthless. */
export const discard = (tx: PoolTx, purpose: Purpose, userId: string) =>
  tx.deleteFrom('oneTimeTokens').where('purpose', '=', purpose).where('userId', '=', userId).execute();

/** One was made less than so many seconds ago. */
export const isFresh = async (tx: PoolTx, purpose: Purpose, userId: string, seconds: number): Promise<boolean> => {
  const found = await tx
    .selectFrom('oneTimeTokens')
    .select('purpose')
    .where('purpose', '=', purpose)
    .where('userId', '=', userId)
    .where('createdAt', '>', sql<Date>`now() - make_interval(secs => ${seconds})`)
    .executeTakeFirst();
  return found !== undefined;
};
