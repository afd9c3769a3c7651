import { describe, expect, test } from 'vitest';
import { dueRotation, signerFirst, signerOf } from './key-schedule.ts';

const day = 86_400_000;
const now = new Date('2026-06-01T00:00:00Z');
const key = (inDays: number) => ({ signsFrom: new Date(now.getTime() + inDays * day) });

describe('signerOf', () => {
  test('returns the newest key that is active', () => {
    const keys = [key(1), key(0), key(-90)];
    expect(signerOf(keys, now)).toBe(keys[1]);
    expect(signerOf([key(1)], now)).toBeUndefined();
    expect(signerFirst(keys, now)).toEqual([keys[1], keys[0], keys[2]]);
  });
});

describe('dueRotation', () => {
  test('adds the first key immediately', () => {
    expect(dueRotation([], 90, now)).toEqual({ add: now });
  });

  test('does nothing while the key is recent', () => {
    expect(dueRotation([key(-0.5)], 90, now)).toEqual({});
  });

  test('adds the next key once, one day before it signs', () => {
    const almost = dueRotation([key(-88.9)], 90, now);
    expect(almost.add).toBeUndefined();
    expect(dueRotation([key(-89)], 90, now).add).toEqual(key(1).signsFrom);
    expect(dueRotation([key(1), key(-89)], 90, now).add).toBeUndefined();
  });

  test('drops an old key one day after the next one started to sign', () => {
    expect(dueRotation([key(-0.9), key(-91)], 90, now).dropBefore).toBeUndefined();
    expect(dueRotation([key(-1), key(-91)], 90, now).dropBefore).toEqual(key(-1).signsFrom);
  });

  test('over two years: always has a signer that was published for at least one day', () => {
    let keys = [{ signsFrom: now, since: now }];
    for (let n = 0; n < 730; n++) {
      const today = new Date(now.getTime() + n * day);
      const { add, dropBefore } = dueRotation(keys, 90, today);
      const before = signerOf(keys, today);
      if (add) keys = [{ signsFrom: add, since: today }, ...keys];
      if (dropBefore) keys = keys.filter(({ signsFrom }) => signsFrom >= dropBefore);
      const signer = signerOf(keys, today);
      expect(signer).toBe(before);
      if (!signer) throw new Error('no signer');
      if (signer.since > now) expect(signer.signsFrom.getTime() - signer.since.getTime()).toBeGreaterThanOrEqual(day);
      expect(today.getTime() - signer.signsFrom.getTime()).toBeLessThanOrEqual(90 * day);
      expect(keys.length).toBeLessThanOrEqual(3);
    }
  });
});
