import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createCookies } from './cookies.ts';

const key = (id: string) => ({ id, key: randomBytes(32) });
const [old, fresh] = [key('k1'), key('k2')];
const Token = z.object({ token: z.string() });
const sent = (set: string[]) =>
  set
    .map((line) => line.split(';')[0] ?? '')
    .filter((pair) => !pair.endsWith('='))
    .join('; ');

describe('an encrypted cookie', () => {
  const cookies = createCookies('portal', [fresh, old]);

  test('comes back as it was encrypted, and holds nothing that can be read', async () => {
    const set = await cookies.encrypt('at', { token: 'secret-token' }, { seconds: 60 });
    expect(set.join()).not.toContain('secret');
    expect(await cookies.open('at', `other=1; ${sent(set)}; more=2`, Token)).toEqual({ token: 'secret-token' });
  });

  test('of 12 KB goes into parts that browsers keep, and a shorter one after it leaves no tail', async () => {
    const long = await cookies.encrypt('at', { token: 'x'.repeat(9_000) }, { seconds: 60 });
    const pairs = long.map((line) => line.split(';')[0] ?? '');
    expect(pairs.length).toBeGreaterThan(2);
    for (const pair of pairs) expect(pair.length).toBeLessThan(4_000);
    expect(await cookies.open('at', sent(long), Token)).toEqual({ token: 'x'.repeat(9_000) });
    const short = await cookies.encrypt('at', { token: 'y' }, { seconds: 60 });
    expect(short.some((line) => line.includes('at.1=;') && line.includes('Max-Age=0'))).toBe(true);
  });

  test('of the key before is opened while that key is there, and by no other key', async () => {
    const before = createCookies('portal', [old]);
    const set = await before.encrypt('at', { token: 'a' }, { seconds: 60 });
    expect(await cookies.open('at', sent(set), Token)).toEqual({ token: 'a' });
    expect(await createCookies('portal', [fresh]).open('at', sent(set), Token)).toBeUndefined();
    expect(await createCookies('portal', [{ ...fresh, id: 'k1' }]).open('at', sent(set), Token)).toBeUndefined();
  });

  test('is nothing under another name, in another portal, changed or cut', async () => {
    const line = sent(await cookies.encrypt('rt', { token: 'a' }, { seconds: 60 }));
    expect(await cookies.open('at', line.replace('_rt', '_at'), Token)).toBeUndefined();
    expect(await createCookies('admin', [fresh]).open('rt', line, Token)).toBeUndefined();
    for (const bad of [line.slice(0, -1), `${line.slice(0, -6)}AAAAAA`, line.replace(/\.[^.]+$/, '.'), `${line}.x`])
      expect(await cookies.open('rt', bad, Token)).toBeUndefined();
    expect(await cookies.open('rt', line, z.object({ other: z.string() }))).toBeUndefined();
  });
});
