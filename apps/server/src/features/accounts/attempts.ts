import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { PoolTx } from '../../platform/pool.ts';
import { addressKey, RateLimited } from '../../platform/rate-limit.ts';

/** So many wrong ones for free, then a wait that doubles with each, up to a quarter of an hour. Forgotten after a day. */
interface Rule {
  free: number;
  firstWait: number;
}
/** One account, from one address: what stops an ordinary guesser. */
const pairRule: Rule = { free: 5, firstWait: 30 };
/** One account, from all addresses it has never signed in from: what stops many guessers together. */
const accountRule: Rule = { free: 100, firstWait: 300 };
/** One address, whatever the account: what stops one guess at each of many accounts. */
const addressRule: Rule = { free: 50, firstWait: 60 };

export interface Attempt {
  account: Buffer;
  pair: Buffer;
  keys: Buffer[];
  rules: Rule[];
}

const keyOf = (...parts: string[]) => createHash('sha256').update(parts.join('\n')).digest();
export const accountKey = (what: string, name: string) => keyOf('account', what, name.normalize('NFKC').toLowerCase());
export const knownAddress = (address: string) => keyOf('known', addressKey(address));

/**
 * Counts an attempt before it is tried, so that any number at once cannot try more than the rules allow. An account that
 * does not exist is counted like one that does: the 429 tells nobody which.
 */
export async function takeAttempt(
  tx: PoolTx,
  { what, account, address, isFamiliar }: { what: string; account: string; address: string; isFamiliar: boolean },
): Promise<Attempt> {
  const of = accountKey(what, account);
  const from = addressKey(address);
  const pair = keyOf('pair', of.toString('hex'), from);
  const counted: [Buffer, Rule][] = [
    [pair, pairRule],
    [keyOf('address', from), addressRule],
    // Somebody at home is not locked out by a crowd elsewhere.
    ...(isFamiliar ? [] : [[of, accountRule] satisfies [Buffer, Rule]]),
  ];
  const keys = counted.map(([key]) => key);
  const rules = counted.map(([, rule]) => rule);
  const { rows } = await sql<{ wait: number }>`select take_guess(${of}, ${keys}::bytea[],
    ${rules.map(({ free }) => free)}::int[], ${rules.map(({ firstWait }) => firstWait)}::int[]) as wait`.execute(tx);
  const wait = rows[0]?.wait ?? 0;
  if (wait > 0) throw new TooManyAttempts(wait);
  return { account: of, pair, keys, rules };
}

/** It was right after all. */
export const forgiveAttempt = (tx: PoolTx, { pair, keys, rules }: Attempt) =>
  sql`select forgive_guess(${pair}, ${keys}::bytea[], ${rules.map(({ free }) => free)}::int[])`.execute(tx);

/** Whoever proved to hold the mailbox starts anew everywhere. */
export const forgetAttempts = (tx: PoolTx, account: Buffer) =>
  tx.deleteFrom('guesses').where('account', '=', account).execute();

/** The attempt after which the account is locked for that address: the moment to tell its owner. */
export const isLast = async (tx: PoolTx, { pair }: Attempt): Promise<boolean> => {
  const row = await tx.selectFrom('guesses').select('failures').where('key', '=', pair).executeTakeFirst();
  return row?.failures === pairRule.free;
};

export class TooManyAttempts extends RateLimited {
  constructor(seconds: number) {
    super({ policy: { name: 'sign-in', points: pairRule.free, seconds }, remaining: 0, resetSeconds: seconds });
  }
}
