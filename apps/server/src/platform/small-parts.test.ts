import { expect, test } from 'vitest';
import { idOf } from './ids.contract.ts';
import { firstId, newId, shardOf, shardText, timeOfId } from './ids.ts';
import { ipKey, networkKey } from './rate-limit.ts';
import { redact } from './log-contents.ts';
import { traceparentOf } from './tracing.ts';

const base32 = '0123456789abcdefghjkmnpqrstvwxyz';

test('ids: contain their creation time, and sort between the first ids of this and the next millisecond', () => {
  const before = Date.now();
  const id = newId('delivery');
  const createdAt = timeOfId(id);
  expect(createdAt).toBeGreaterThanOrEqual(before);
  expect(createdAt).toBeLessThanOrEqual(Date.now());
  expect(id >= firstId('delivery', createdAt) && id < firstId('delivery', createdAt + 1)).toBe(true);
});

test('ids: tenants are spread evenly over 4,096 shards, the same in id and keys', () => {
  const shards = Array.from({ length: 20_000 }, () => shardOf(newId('tenant')));
  expect(Math.min(...shards)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...shards)).toBeLessThanOrEqual(4_095);
  expect(new Set(shards).size).toBeGreaterThan(3_900);
  expect(shardText(2741)).toBe('2nn'); // the example in the documentation of the key format
  expect(shardText(0)).toBe('000');
  expect(shardText(4_095)).toBe('3zz');
  expect(shardOf('ten_01h455vb4pex5vsknk084sn02q')).toBe((0 << 10) | (2 << 5) | 23);
});

test('ids: are unique TypeIDs, a prefix and the 128 bits of a UUIDv7', () => {
  const ids = Array.from({ length: 50_000 }, () => newId('event'));
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids.slice(0, 2_000)) {
    expect(idOf('event').safeParse(id).success).toBe(true);
    const bits = Array.from(id.slice(4)).reduce((sum, character) => sum * 32n + BigInt(base32.indexOf(character)), 0n);
    const uuid = bits.toString(16).padStart(32, '0');
    expect(Math.abs(Number.parseInt(uuid.slice(0, 12), 16) - Date.now())).toBeLessThan(10_000);
    expect(uuid[12]).toBe('7');
    expect('89ab').toContain(uuid[16]);
  }
});

test('ids: sort in the order in which a process creates them, also within a millisecond', () => {
  const ids = Array.from({ length: 500 }, () => newId('event'));
  expect(ids).toEqual(ids.toSorted());
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:aaaa:bbbb:cccc:dddd', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::9', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
])('rate limits: %s counts as %s', (address, key) => {
  expect(ipKey(address)).toBe(key);
});

test.each([
  ['203.0.113.7', '203.0.113.0/24'],
  ['::ffff:203.0.113.9', '203.0.113.0/24'],
  ['2001:db8:1:2:aaaa:bbbb:cccc:dddd', '2001:db8:1::/48'],
  ['2001:0db8:0001:ffff::9', '2001:db8:1::/48'],
  ['2001:db8::1', '2001:db8:0::/48'],
  ['::1', '0:0:0::/48'],
])('rate limits: the network of %s is %s', (address, key) => {
  expect(networkKey(address)).toBe(key);
});

test('logs: redacts keys, webhook secrets and tokens', () => {
  const line = JSON.stringify({
    msg: `key sc_live_30d${'a'.repeat(38)} and whsec_${'b'.repeat(44)}= and eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln`,
  });
  const clean = redact(line);
  expect(clean).not.toMatch(/a{8}|b{8}|c2ln/);
  expect(clean).toContain('sc_live_[redacted]');
  expect(() => JSON.parse(clean)).not.toThrow();
});

test('traces: keeps a valid traceparent and replaces anything else', () => {
  const good = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  expect(traceparentOf(good)).toBe(good);
  for (const bad of [undefined, '', 'x', ['a'], `${good}x`])
    expect(traceparentOf(bad)).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
});
