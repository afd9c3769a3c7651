import { createHash, createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

// Proof of work like ALTCHA's (ADR 39): we choose a secret number and publish its hash; the client finds the number by
// brute force. No state is stored: the signature shows that we issued the challenge.

export interface Challenge {
  algorithm: 'SHA-256';
  salt: string;
  /** SHA-256, in hex, of the salt followed by the number in decimal. */
  hash: string;
  /** Exclusive upper bound of the number. */
  maxNumber: number;
  signature: string;
  expiresAt: Date;
}

export const lifetimeSeconds = 300;
/** 50,000 hashes on average. How long that takes on a phone was not measured. */
const baseNumber = 100_000;
/** The first 10 challenges per network and hour have the base difficulty; every further 10 double it, up to 32 times. */
const freeCount = 10;
const maxDoublings = 5;

/** The difficulty for a network that requested this many challenges within the hour. */
export const maxNumberFor = (recent: number): number =>
  baseNumber * 2 ** Math.min(maxDoublings, Math.floor(Math.max(0, recent - 1) / freeCount));

export function createChallenge(key: string, maxNumber: number, now = Date.now()): Challenge {
  const expires = Math.floor(now / 1_000) + lifetimeSeconds;
  // At most 55 characters with the number, so that SHA-256 needs one block. The page's script relies on it.
  const salt = `${randomBytes(16).toString('hex')}.${expires}.`;
  const hash = hashOf(salt, String(randomInt(maxNumber)));
  const expiresAt = new Date(expires * 1_000);
  return { algorithm: 'SHA-256', salt, hash, maxNumber, signature: sign(key, salt, hash).toString('hex'), expiresAt };
}

const proofPattern = /^([0-9a-f]{32})\.(\d{10})\.(\d{1,7})\.([0-9a-f]{64})$/;

/** Returns the id of the solved challenge, signed with any of the keys. Undefined if the proof is invalid or expired. */
export function readProof(keys: readonly string[], proof: string, now = Date.now()): string | undefined {
  const [, id, expires, number, signature] = proofPattern.exec(proof) ?? [];
  if (id === undefined || expires === undefined || number === undefined || signature === undefined) return undefined;
  if (Number(expires) * 1_000 <= now) return undefined;
  const salt = `${id}.${expires}.`;
  const hash = hashOf(salt, number);
  const expected = Buffer.from(signature, 'hex');
  return keys.some((key) => timingSafeEqual(sign(key, salt, hash), expected)) ? id : undefined;
}

const hashOf = (salt: string, number: string) =>
  createHash('sha256')
    .update(salt + number)
    .digest('hex');
const sign = (key: string, salt: string, hash: string) =>
  createHmac('sha256', key)
    .update(salt + hash)
    .digest();
