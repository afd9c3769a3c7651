import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createCookies } from './cookies.ts';

const key = (id: string) => ({ id, key: randomBytes(32) });
const [old, current] = [key('k1'), key('k2')];
const Token = z.object({ token: z.string() });
const cookieHeader = (set: string[]) =>
  set
    .map((line) => line.split(';')[0] ?? '')
    .filter((pair) => !pair.endsWith('='))
    .join('; ');

describe('encrypted cookies', () => {
  const cookies = createCookies('portal', [current, old]);

  test('decrypt to the original value and contain no plaintext', async () => {
    const set = await cookies.encrypt('at', { token: 'secret-token' }, { seconds: 60 });
    expect(set.join()).not.toContain('secret');
    expect(await cookies.open('at', `other=1; ${cookieHeader(set)}; more=2`, Token)).toEqual({ token: 'secret-token' });
  });

  test('of 12 KB are split into chunks, and a shorter value clears the old chunks', async () => {
    const long = await cookies.encrypt('at', { token: 'x'.repeat(9_000) }, { seconds: 60 });
    const pairs = long.map((line) => line.split(';')[0] ?? '');
    expect(pairs.length).toBeGreaterThan(2);
    for (const pair of pairs) expect(pair.length).toBeLessThan(4_000);
    expect(await cookies.open('at', cookieHeader(long), Token)).toEqual({ token: 'x'.repeat(9_000) });
    const short = await cookies.encrypt('at', { token: 'y' }, { seconds: 60 });
    expect(short.some((line) => line.includes('at.1=;') && line.includes('Max-Age=0'))).toBe(true);
  });

  test('are decrypted with a previous key while it is configured, and with no other key', async () => {
    const before = createCookies('portal', [old]);
    const set = await before.encrypt('at', { token: 'a' }, { seconds: 60 });
    expect(await cookies.open('at', cookieHeader(set), Token)).toEqual({ token: 'a' });
    expect(await createCookies('portal', [current]).open('at', cookieHeader(set), Token)).toBeUndefined();
    expect(
      await createCookies('portal', [{ ...current, id: 'k1' }]).open('at', cookieHeader(set), Token),
    ).toBeUndefined();
  });

  test('are rejected under another name, in another portal, or when tampered with', async () => {
    const line = cookieHeader(await cookies.encrypt('rt', { token: 'a' }, { seconds: 60 }));
    expect(await cookies.open('at', line.replace('_rt', '_at'), Token)).toBeUndefined();
    expect(await createCookies('admin', [current]).open('rt', line, Token)).toBeUndefined();
    for (const tampered of [
      line.slice(0, -1),
      `${line.slice(0, -6)}AAAAAA`,
      line.replace(/\.[^.]+$/, '.'),
      `${line}.x`,
    ])
      expect(await cookies.open('rt', tampered, Token)).toBeUndefined();
    expect(await cookies.open('rt', line, z.object({ other: z.string() }))).toBeUndefined();
  });
});
