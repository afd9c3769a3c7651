import { createHash } from 'node:crypto';

export interface Challenge {
  salt: string;
  hash: string;
  maxNumber: number;
  signature: string;
}

/** As a client that follows the documentation would solve it. */
export function solve({ salt, hash, maxNumber, signature }: Challenge): string {
  for (let number = 0; number < maxNumber; number++) {
    const candidate = createHash('sha256')
      .update(salt + number)
      .digest('hex');
    if (candidate === hash) return `${salt}${number}.${signature}`;
  }
  throw new Error('no number solves this challenge');
}
