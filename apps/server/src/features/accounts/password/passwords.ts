import { availableParallelism } from 'node:os';
import { hash, verify, type Options } from '@node-rs/argon2';
import { busy, invalid } from '../../../platform/errors.ts';
import type { PoolName } from '../../../platform/pool.ts';

/** Argon2id with OWASP's parameters for customers and five times that for operators. Stored in each hash, so they can be raised. */
const costs: Record<PoolName, Options> = {
  customer: { memoryCost: 19_456, timeCost: 2, parallelism: 1 },
  admin: { memoryCost: 65_536, timeCost: 3, parallelism: 1 },
};

export const minLength = 12;
const maxLength = 256;

// Hashing shares libuv's four threads with DNS lookups and file reads. More concurrent hashes than cores would only slow
// all of them down; when the queue is full, requests fail with 503.
const maxConcurrent = availableParallelism();
const maxWaiting = 50;
let running = 0;
const waiting: (() => void)[] = [];

async function withHashingLimit<T>(work: () => Promise<T>): Promise<T> {
  if (running >= maxConcurrent) {
    if (waiting.length >= maxWaiting) throw busy('Too many people are signing in right now. Try again in a moment.');
    await new Promise<void>((resolve) => waiting.push(resolve)); // the finished hash passes its slot on, so `running` stays
  } else running++;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

const normalizePassword = (password: string) => password.normalize('NFKC');

export const hashPassword = (pool: PoolName, password: string): Promise<string> =>
  withHashingLimit(() => hash(normalizePassword(password), costs[pool]));

/** Takes the same time if there is no stored hash, so that timing does not reveal which accounts exist. */
export async function isPassword(
  pool: PoolName,
  stored: string | null | undefined,
  password: string,
): Promise<boolean> {
  const against = stored ?? (await dummyHash(pool));
  const isCorrect = await withHashingLimit(() => verify(against, normalizePassword(password).slice(0, maxLength)));
  return isCorrect && stored != null;
}

const dummyHashes: Partial<Record<PoolName, Promise<string>>> = {};
const dummyHash = (pool: PoolName) => (dummyHashes[pool] ??= hash(crypto.randomUUID(), costs[pool]));

/** The hash was created with weaker parameters than today's. */
export function isOutdated(pool: PoolName, stored: string): boolean {
  const { memoryCost, timeCost } = costs[pool];
  return !stored.startsWith('$argon2id$') || !stored.includes(`m=${memoryCost},t=${timeCost},`);
}

/** Variants that people derive from a common password to get past such rules. */
function* commonVariants(password: string): Generator<string> {
  const lower = password.toLowerCase();
  yield lower;
  const bare = lower.replace(/^[^\p{L}]+|(?<![^\p{L}])[^\p{L}]+$/gu, '');
  yield bare;
  yield lower.replaceAll(/[^\p{L}\p{N}]/gu, '');
  const withoutLeetspeak = lower
    .replaceAll('0', 'o')
    .replaceAll('1', 'l')
    .replaceAll('3', 'e')
    .replaceAll('4', 'a')
    .replaceAll('@', 'a')
    .replaceAll('5', 's')
    .replaceAll('$', 's');
  yield withoutLeetspeak;
  yield withoutLeetspeak.replaceAll(/[^\p{L}]/gu, '');
  for (const word of [lower, bare]) {
    const length = `${word}${word}`.indexOf(word, 1); // length of the repeated unit
    if (length > 0 && length < word.length) yield word.slice(0, length);
  }
}

/** No rules about digits and symbols, only length and a check for common passwords. */
export async function assertGoodPassword(password: string, email: string, path = '/password'): Promise<void> {
  const refuse = (reason: string, message: string) => invalid(reason, [{ path, message }]);
  const length = Array.from(normalizePassword(password)).length;
  if (length < minLength)
    throw refuse('password_too_short', `Use at least ${minLength} characters. A short sentence works well.`);
  if (length > maxLength) throw refuse('password_too_long', `Use at most ${maxLength} characters.`);
  const { commonPasswords } = await import('./common-passwords.ts'); // 5 MB, for the few who choose a password
  if (
    new Set(password).size < 5 ||
    [...commonVariants(normalizePassword(password))].some((word) => commonPasswords.has(word))
  )
    throw refuse('password_too_common', 'This password is too common. Choose another one.');
  const [mailbox = ''] = email.toLowerCase().split('@');
  if (mailbox.length >= 4 && password.toLowerCase().includes(mailbox))
    throw refuse('password_contains_email', 'Your password can’t contain your email address.');
}
