import { createHash } from 'node:crypto';

export interface Challenge {
  salt: string;
  hash: string;
  maxNumber: number;
  signature: string;
}

/** As a program would solve it that only reads the documentation. */
export function solve({ salt, hash, maxNumber, signature }: Challenge): string {
  for (let number = 0; number < maxNumber; number++) {
    const tried = createHash('sha256')
      .update(salt + number)
      .digest('hex');
    if (tried === hash) return `${salt}${number}.${signature}`;
  }
  throw new Error('no number solves this challenge');
}
