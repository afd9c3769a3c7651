import { describe, expect, test } from 'vitest';
import { dueRotation, signerFirst, signerOf } from './key-schedule.ts';

const day = 86_400_000;
const now = new Date('2026-06-01T00:00:00Z');
const key = (inDays: number) => ({ signsFrom: new Date(now.getTime() + inDays * day) });

describe('the signer', () => {
  test('is the newest whose time has come', () => {
    const keys = [key(1), key(0), key(-90)];
    expect(signerOf(keys, now)).toBe(keys[1]);
    expect(signerOf([key(1)], now)).toBeUndefined();
    expect(signerFirst(keys, now)).toEqual([keys[1], keys[0], keys[2]]);
  });
});

describe('what is due', () => {
  test('the first key, at once', () => {
    expect(dueRotation([], 90, now)).toEqual({ add: now });
  });

  test('nothing, while one is young', () => {
    expect(dueRotation([key(-0.5)], 90, now)).toEqual({});
  });

  test('the next one a day before it signs, and once', () => {
    const almost = dueRotation([key(-88.9)], 90, now);
    expect(almost.add).toBeUndefined();
    expect(dueRotation([key(-89)], 90, now).add).toEqual(key(1).signsFrom);
    expect(dueRotation([key(1), key(-89)], 90, now).add).toBeUndefined();
  });

  test('an old one goes a day after the next one began to sign, and not before', () => {
    expect(dueRotation([key(-0.9), key(-91)], 90, now).dropBefore).toBeUndefined();
    expect(dueRotation([key(-1), key(-91)], 90, now).dropBefore).toEqual(key(-1).signsFrom);
  });

  test('over two years, day by day: always one that signs, never one that was not seen for a day before', () => {
    let keys = [{ signsFrom: now, since: now }];
    for (let n = 0; n < 730; n++) {
      const today = new Date(now.getTime() + n * day);
      const { add, dropBefore } = dueRotation(keys, 90, today);
      const before = signerOf(keys, today);
      if (add) keys = [{ signsFrom: add, since: today }, ...keys];
      if (dropBefore) keys = keys.filter(({ signsFrom }) => signsFrom >= dropBefore);
      const signer = signerOf(keys, today);
      expect(signer).toBe(before);
      if (!signer) throw new Error('nobody signs');
      if (signer.since > now) expect(signer.signsFrom.getTime() - signer.since.getTime()).toBeGreaterThanOrEqual(day);
      expect(today.getTime() - signer.signsFrom.getTime()).toBeLessThanOrEqual(90 * day);
      expect(keys.length).toBeLessThanOrEqual(3);
    }
  });
});
