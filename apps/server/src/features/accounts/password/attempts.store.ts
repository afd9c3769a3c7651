import { createHash } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import type { PoolTx } from '../../../platform/pool.ts';
import { ipKey, RateLimited } from '../../../platform/rate-limit.ts';

/**
 * `free` wrong attempts without a wait, then a wait that doubles with each, up to 15 minutes. The count decays by `free`
 * attempts per day.
 */
interface Rule {
  free: number;
  firstWait: number;
}
/** One account from one IP address: stops an ordinary attacker. */
const pairRule: Rule = { free: 5, firstWait: 30 };
/** One account from all IP addresses that it has never signed in from: stops a distributed attack. */
const accountRule: Rule = { free: 100, firstWait: 300 };
/** One IP address across all accounts: stops password spraying. */
const ipRule: Rule = { free: 50, firstWait: 60 };

export interface Attempt {
  pair: Buffer;
  keys: Buffer[];
  rules: Rule[];
  at: Date;
  /** This attempt locked the account, for its IP address or for all unknown ones; the owner gets an email. */
  isLock: boolean;
}

const keyOf = (...parts: string[]) => createHash('sha256').update(parts.join('\n')).digest();
export const accountKey = (kind: string, name: string) => keyOf('account', kind, name.normalize('NFKC').toLowerCase());
export const knownIp = (ip: string) => keyOf('known', ipKey(ip));

interface AttemptInput {
  kind: string;
  account: string;
  ip: string;
  /** The account has signed in from this IP address; or a query for it, so that counting does not wait for its result. */
  isKnownIp: boolean | RawBuilder<boolean>;
}

/**
 * Counts an attempt before the check, so that concurrent requests can't exceed the limits. Unknown accounts are counted
 * in the same way, so that the 429 does not reveal which accounts exist.
 */
export async function takeAttempt(tx: PoolTx, { kind, account, ip, isKnownIp }: AttemptInput): Promise<Attempt> {
  const accountHash = accountKey(kind, account);
  const clientKey = ipKey(ip);
  const pair = keyOf('pair', accountHash.toString('hex'), clientKey);
  const limits: [Buffer, Rule][] = [
    [pair, pairRule],
    [keyOf('ip', clientKey), ipRule],
    // Last, and not for a known IP address: an attack from other IP addresses must not lock out the owner.
    [accountHash, accountRule],
  ];
  const keys = limits.map(([key]) => key);
  const rules = limits.map(([, rule]) => rule);
  const owners = keys.map((key) => (key.equals(pair) ? accountHash : key)); // an IP address has no owner
  const { rows } = await sql<{ n: number; wait: number; moment: Date; locked: Buffer[] | null }>`
    select n, attempt.* from (select case when ${isKnownIp}::boolean then 2 else 3 end as n) as applicable,
      take_login_attempt((${owners}::bytea[])[:n], (${keys}::bytea[])[:n],
        (${rules.map(({ free }) => free)}::int[])[:n], (${rules.map(({ firstWait }) => firstWait)}::int[])[:n]) as attempt`.execute(
    tx,
  );
  const { n = limits.length, wait = 0, moment = new Date(), locked } = rows[0] ?? {};
  if (wait > 0) throw new TooManyAttempts(wait);
  const isLock = (locked ?? []).some((key) => key.equals(pair) || key.equals(accountHash));
  return { pair, keys: keys.slice(0, n), rules: rules.slice(0, n), at: moment, isLock };
}

/** The attempt was correct: resets the count for this account and IP address. */
export const forgiveAttempt = (tx: PoolTx, attempt: Attempt) => refundAttempt(tx, attempt, attempt.pair);

/** The attempt was not checked. */
export const undoAttempt = (tx: PoolTx, attempt: Attempt) => refundAttempt(tx, attempt, null);

const refundAttempt = (tx: PoolTx, { keys, rules, at }: Attempt, keyToReset: Buffer | null) =>
  sql`select forgive_login_attempt(${keyToReset}, ${keys}::bytea[], ${rules.map(({ free }) => free)}::int[], ${at})`.execute(
    tx,
  );

/** Resets the counts for all IP addresses, after the owner proved access to the inbox. */
export const deleteAttempts = (tx: PoolTx, account: Buffer) =>
  tx.deleteFrom('loginAttempts').where('account', '=', account).execute();

export class TooManyAttempts extends RateLimited {
  constructor(seconds: number) {
    super({ policy: { name: 'sign-in', points: pairRule.free, seconds }, remaining: 0, resetSeconds: seconds });
  }
}
