import { availableParallelism } from 'node:os';
import { hash, verify, type Options } from '@node-rs/argon2';
import { dictionary } from '@zxcvbn-ts/language-common';
import { invalid, unavailable } from '../../../platform/errors.ts';
import type { PoolName } from '../../../platform/pool.ts';

/** Argon2id. OWASP's figures for customers; five times that for the few who run the platform. Kept in each hash, so they can be raised. */
const costs: Record<PoolName, Options> = {
  customer: { memoryCost: 19_456, timeCost: 2, parallelism: 1 },
  admin: { memoryCost: 65_536, timeCost: 3, parallelism: 1 },
};

export const minLength = 12;
const maxLength = 256;

// Hashes share the four threads that also look up names and read files. More at once than there are cores would only
// make everybody wait; more waiting than this are told to come back.
const atOnce = availableParallelism();
const maxWaiting = 50;
let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= atOnce) {
    if (waiting.length >= maxWaiting)
      throw unavailable('busy', 'Too many people are signing in right now. Try again in a moment.');
    await new Promise<void>((go) => waiting.push(go)); // whoever leaves hands over the place, so the count stays
  } else running++;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

const normal = (password: string) => password.normalize('NFKC');

export const hashPassword = (pool: PoolName, password: string): Promise<string> =>
  inTurn(() => hash(normal(password), costs[pool]));

/** Costs the same when there is nothing to compare with: nobody learns from the clock which accounts exist. */
export async function isPassword(
  pool: PoolName,
  stored: string | null | undefined,
  password: string,
): Promise<boolean> {
  const against = stored ?? (await nobodys(pool));
  const isRight = await inTurn(() => verify(against, normal(password).slice(0, maxLength)));
  return isRight && stored != null;
}

const nobodysHashes: Partial<Record<PoolName, Promise<string>>> = {};
const nobodys = (pool: PoolName) => (nobodysHashes[pool] ??= hash(crypto.randomUUID(), costs[pool]));

/** Made with less than we ask for today. */
export function isOutdated(pool: PoolName, stored: string): boolean {
  const { memoryCost, timeCost } = costs[pool];
  return !stored.startsWith('$argon2id$') || !stored.includes(`m=${memoryCost},t=${timeCost},`);
}

let common: Set<string> | undefined;
const isCommon = (word: string) => word.length >= 4 && (common ??= new Set(dictionary['passwords-common'])).has(word);

/** What people add to a common password to get it past rules like these. */
function* disguises(password: string): Generator<string> {
  const lower = password.toLowerCase();
  yield lower;
  const bare = lower.replace(/^[^\p{L}]+|(?<![^\p{L}])[^\p{L}]+$/gu, '');
  yield bare;
  yield lower.replaceAll(/[^\p{L}\p{N}]/gu, '');
  const spoken = lower
    .replaceAll('0', 'o')
    .replaceAll('1', 'l')
    .replaceAll('3', 'e')
    .replaceAll('4', 'a')
    .replaceAll('@', 'a')
    .replaceAll('5', 's')
    .replaceAll('$', 's');
  yield spoken;
  yield spoken.replaceAll(/[^\p{L}]/gu, '');
  for (const word of [lower, bare]) {
    const length = `${word}${word}`.indexOf(word, 1); // of what it repeats, or of itself
    if (length > 0 && length < word.length) yield word.slice(0, length);
  }
}

/** No rules about digits and signs: length, and not what everybody tries first. */
export function assertGoodPassword(password: string, email: string, path = '/password'): void {
  const refuse = (reason: string, message: string) => invalid(reason, [{ path, message }]);
  const length = Array.from(normal(password)).length;
  if (length < minLength)
    throw refuse('password_too_short', `Use at least ${minLength} characters. A short sentence works well.`);
  if (length > maxLength) throw refuse('password_too_long', `Use at most ${maxLength} characters.`);
  if (new Set(password).size < 5 || [...disguises(normal(password))].some(isCommon))
    throw refuse('password_too_common', 'This password is too common. Choose another one.');
  const [mailbox = ''] = email.toLowerCase().split('@');
  if (mailbox.length >= 4 && password.toLowerCase().includes(mailbox))
    throw refuse('password_contains_email', 'Your password can’t contain your email address.');
}
