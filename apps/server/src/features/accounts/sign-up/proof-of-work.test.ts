import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { solve } from '../../../../../../tools/testing/proof-of-work.ts';
import { solveChallenge } from '../../../../../../packages/portal-kit/src/ui/proof-of-work.ts';
import { createChallenge, lifetimeSeconds, maxNumberFor, readProof } from './proof-of-work.ts';

const key = 'k'.repeat(43);
const now = Date.parse('2026-11-17T10:00:00Z');
const anEasyChallenge = () => createChallenge(key, 500, now);

test('accepts the solution that the portal finds and returns the id of the challenge', async () => {
  const challenge = anEasyChallenge();
  const proof = await solveChallenge(challenge);
  expect(proof).toBe(solve(challenge));
  expect(readProof([key], proof, now)).toBe(challenge.salt.split('.')[0]);
});

test('the portal’s SHA-256 is correct up to 55 characters', async () => {
  for (const [number, length] of [
    [0, 44],
    [10, 1],
    [300, 52],
    [10_000, 50],
  ] as const) {
    const salt = 'a1.'.repeat(20).slice(0, length);
    const hash = createHash('sha256').update(`${salt}${number}`).digest('hex');
    const challenge = { salt, hash, maxNumber: number + 1, signature: 's' };
    expect(await solveChallenge(challenge)).toBe(`${salt}${number}.s`);
    await expect(solveChallenge({ ...challenge, maxNumber: number })).rejects.toThrow('no solution');
  }
  expect(createChallenge(key, maxNumberFor(1_000)).salt.length + String(maxNumberFor(1_000)).length).toBeLessThan(56);
});

test('refuses a wrong number, a changed salt, signature or expiry, and a challenge signed with another key', () => {
  const proof = solve(anEasyChallenge());
  const [id = '', expires = '', number = '', signature = ''] = proof.split('.');
  const other = solve(anEasyChallenge()).split('.');
  for (const forged of [
    [id, expires, String(Number(number) + 1), signature],
    [id, expires, `0${number}`, signature],
    [id.replace(/./, id.startsWith('a') ? 'b' : 'a'), expires, number, signature],
    [id, String(Number(expires) + 600), number, signature],
    [id, expires, number, other[3]],
    [id, expires, number, '0'.repeat(64)],
    [id, expires, number],
    ['', '', '', ''],
  ])
    expect(readProof([key], forged.join('.'), now), forged.join('.')).toBeUndefined();
  expect(readProof(['x'.repeat(43)], proof, now)).toBeUndefined();
  expect(readProof(['x'.repeat(43), key], proof, now)).toBe(id); // during a master key rotation
});

test('expires after five minutes', () => {
  const proof = solve(anEasyChallenge());
  expect(readProof([key], proof, now + (lifetimeSeconds - 1) * 1_000)).toBeDefined();
  expect(readProof([key], proof, now + lifetimeSeconds * 1_000)).toBeUndefined();
});

test('the difficulty doubles with every ten challenges of a network, up to 32 times', () => {
  expect([1, 10, 11, 20, 21, 51, 1_000].map(maxNumberFor)).toEqual([
    100_000, 100_000, 200_000, 200_000, 400_000, 3_200_000, 3_200_000,
  ]);
});
