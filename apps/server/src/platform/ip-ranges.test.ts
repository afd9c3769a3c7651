import { expect, test } from 'vitest';
import { compileIpRanges, isWithin, readIpRange } from './ip-ranges.ts';

test.each([
  ['203.0.113.7', '203.0.113.7/32'],
  [' 203.0.113.0/24 ', '203.0.113.0/24'],
  ['2001:DB8::1', '2001:db8::1/128'],
  ['2001:db8:0:0::/32', '2001:db8::/32'],
  ['::ffff:203.0.113.7', '203.0.113.7/32'],
  ['::ffff:cb00:7100/120', '203.0.113.0/24'],
  ['0.0.0.0/0', '0.0.0.0/0'],
])('reads %s as %s', (text, range) => expect(readIpRange(text)).toBe(range));

test.each([
  '',
  '203.0.113',
  '203.0.113.256',
  '0203.0.113.7',
  '203.0.113.7/33',
  '203.0.113.7/-1',
  '203.0.113.7/',
  '203.0.113.7/24/24',
  '2001:db8::/129',
  '::ffff:203.0.113.0/24',
  'fe80::1%eth0',
  'example.com',
  '203.0.113.0-203.0.113.9',
])('refuses %j', (text) => expect(readIpRange(text)).toBeNull());

const allows = (ranges: string[], ip: string) => {
  const list = compileIpRanges(ranges.map((range) => readIpRange(range) ?? ''));
  return list === null || isWithin(list, ip);
};

test('an empty list allows every IP address', () => expect(allows([], '203.0.113.7')).toBe(true));

test.each([
  ['203.0.113.0/24', '203.0.113.255', true],
  ['203.0.113.0/24', '203.0.114.0', false],
  ['203.0.113.0/24', '::ffff:203.0.113.9', true],
  ['203.0.113.0/24', '::ffff:cb00:7109', true],
  ['203.0.113.0/24', '::ffff:203.0.114.9', false],
  ['203.0.113.0/24', '2001:db8::1', false],
  ['::ffff:203.0.113.0/120', '203.0.113.9', true],
  ['2001:db8::/32', '2001:0db8:ffff::1', true],
  ['2001:db8::/32', '2001:db9::1', false],
  ['2001:db8::/32', '203.0.113.9', false],
  ['fe80::/10', 'fe80::1%eth0', true],
  ['::/0', '203.0.113.9', false],
  ['0.0.0.0/0', '2001:db8::1', false],
  ['203.0.113.0/24', 'unknown', false],
])('%s and %s: %s', (range, ip, isAllowed) => expect(allows([range], ip)).toBe(isAllowed));
