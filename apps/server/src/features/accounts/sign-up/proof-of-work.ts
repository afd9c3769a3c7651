import { createHash, createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

// A proof of work after the manner of ALTCHA (ADR 39): we choose a secret number and publish a hash of it; whoever wants
// something of us finds the number by trying. We keep nothing: the signature says that the challenge is ours.

export interface Challenge {
  algorithm: 'SHA-256';
  salt: string;
  /** SHA-256, in hex, of the salt followed by the number in decimal. */
  hash: string;
  /** The number is smaller. */
  maxNumber: number;
  signature: string;
  expiresAt: Date;
}

export const lifetimeSeconds = 300;
/** 50,000 hashes on average. How long that takes on a phone was not measured. */
const baseNumber = 100_000;
/** So many from one network in an hour are everybody's due; each further ten double the work, up to 32 times. */
const freeCount = 10;
const maxDoublings = 5;

/** How many hashes to try at most, by the number of challenges that the same network got within the hour. */
export const maxNumberFor = (recent: number): number =>
  baseNumber * 2 ** Math.min(maxDoublings, Math.floor(Math.max(0, recent - 1) / freeCount));

export function createChallenge(key: string, maxNumber: number, now = Date.now()): Challenge {
  const expires = Math.floor(now / 1_000) + lifetimeSeconds;
  // With the number no more than 55 characters, which SHA-256 hashes as one block: pages count on it.
  const salt = `${randomBytes(16).toString('hex')}.${expires}.`;
  const hash = hashOf(salt, String(randomInt(maxNumber)));
  const expiresAt = new Date(expires * 1_000);
  return { algorithm: 'SHA-256', salt, hash, maxNumber, signature: sign(key, salt, hash).toString('hex'), expiresAt };
}

const form = /^([0-9a-f]{32})\.(\d{10})\.(\d{1,7})\.([0-9a-f]{64})$/;

/** The id of the challenge that this solves, under any of the keys. Undefined: it solves none, or too late. */
export function readProof(keys: readonly string[], proof: string, now = Date.now()): string | undefined {
  const [, id, expires, number, signature] = form.exec(proof) ?? [];
  if (id === undefined || expires === undefined || number === undefined || signature === undefined) return undefined;
  if (Number(expires) * 1_000 <= now) return undefined;
  const salt = `${id}.${expires}.`;
  const hash = hashOf(salt, number);
  const given = Buffer.from(signature, 'hex');
  return keys.some((key) => timingSafeEqual(sign(key, salt, hash), given)) ? id : undefined;
}

const hashOf = (salt: string, number: string) =>
  createHash('sha256')
    .update(salt + number)
    .digest('hex');
const sign = (key: string, salt: string, hash: string) =>
  createHmac('sha256', key)
    .update(salt + hash)
    .digest();
