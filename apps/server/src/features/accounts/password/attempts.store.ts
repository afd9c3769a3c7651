import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { PoolTx } from '../../../platform/pool.ts';
import { ipKey, RateLimited } from '../../../platform/rate-limit.ts';

/** So many wrong ones for free, then a wait that doubles with each, up to a quarter of an hour. As many as are free run off in a day. */
interface Rule {
  free: number;
  firstWait: number;
}
/** One account, from one address: what stops an ordinary attacker. */
const pairRule: Rule = { free: 5, firstWait: 30 };
/** One account, from all addresses it has never signed in from: what stops many attackers together. */
const accountRule: Rule = { free: 100, firstWait: 300 };
/** One address, whatever the account: what stops one attempt at each of many accounts. */
const addressRule: Rule = { free: 50, firstWait: 60 };

export interface Attempt {
  pair: Buffer;
  keys: Buffer[];
  rules: Rule[];
  at: Date;
  /** With this one the account is locked, for its address or for all that are new to it: its owner is told. */
  isLock: boolean;
}

const keyOf = (...parts: string[]) => createHash('sha256').update(parts.join('\n')).digest();
export const accountKey = (what: string, name: string) => keyOf('account', what, name.normalize('NFKC').toLowerCase());
export const knownIp = (ip: string) => keyOf('known', ipKey(ip));

/**
 * Counts an attempt before it is tried, so that any number at once cannot try more than the rules allow. An account that
 * does not exist is counted like one that does: the 429 tells nobody which.
 */
export async function takeAttempt(
  tx: PoolTx,
  { what, account, ip, isFamiliar }: { what: string; account: string; ip: string; isFamiliar: boolean },
): Promise<Attempt> {
  const of = accountKey(what, account);
  const from = ipKey(ip);
  const pair = keyOf('pair', of.toString('hex'), from);
  const counted: [Buffer, Rule][] = [
    [pair, pairRule],
    [keyOf('ip', from), addressRule],
    // Somebody at home is not locked out by a crowd elsewhere.
    ...(isFamiliar ? [] : [[of, accountRule] satisfies [Buffer, Rule]]),
  ];
  const keys = counted.map(([key]) => key);
  const rules = counted.map(([, rule]) => rule);
  const owners = keys.map((key) => (key.equals(pair) ? of : key)); // an address is nobody's
  const { rows } = await sql<{ wait: number; moment: Date; locked: Buffer[] | null }>`
    select * from take_login_attempt(${owners}::bytea[], ${keys}::bytea[],
      ${rules.map(({ free }) => free)}::int[], ${rules.map(({ firstWait }) => firstWait)}::int[])`.execute(tx);
  const { wait = 0, moment = new Date(), locked } = rows[0] ?? {};
  if (wait > 0) throw new TooManyAttempts(wait);
  const isLock = (locked ?? []).some((key) => key.equals(pair) || key.equals(of));
  return { pair, keys, rules, at: moment, isLock };
}

/** It was right after all: the pair begins anew. */
export const forgiveAttempt = (tx: PoolTx, attempt: Attempt) => giveBack(tx, attempt, attempt.pair);

/** It was never tried. */
export const undoAttempt = (tx: PoolTx, attempt: Attempt) => giveBack(tx, attempt, null);

const giveBack = (tx: PoolTx, { keys, rules, at }: Attempt, fresh: Buffer | null) =>
  sql`select forgive_login_attempt(${fresh}, ${keys}::bytea[], ${rules.map(({ free }) => free)}::int[], ${at})`.execute(
    tx,
  );

/** Whoever proved to hold the mailbox starts anew everywhere. */
export const deleteAttempts = (tx: PoolTx, account: Buffer) =>
  tx.deleteFrom('loginAttempts').where('account', '=', account).execute();

export class TooManyAttempts extends RateLimited {
  constructor(seconds: number) {
    super({ policy: { name: 'sign-in', points: pairRule.free, seconds }, remaining: 0, resetSeconds: seconds });
  }
}
