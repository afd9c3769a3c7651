import { expect, test } from 'vitest';
import { domainOf, readEmailDomain } from './email-domains.ts';

test.each([
  ['example.com', 'example.com'],
  [' Example.COM ', 'example.com'],
  ['eu.example.co.uk', 'eu.example.co.uk'],
  ['bücher.example', 'xn--bcher-kva.example'],
])('reads %s as %s', (text, domain) => expect(readEmailDomain(text)).toBe(domain));

test.each([
  '',
  'com',
  'co.uk',
  'github.io',
  'localhost',
  '@example.com',
  'me@example.com',
  'https://example.com',
  'example.com/path',
  'example.com:443',
  'example.com.',
  '.example.com',
  'exam ple.com',
  '*.example.com',
  '-example.com',
  '127.0.0.1',
  '[::1]',
])('refuses %j', (text) => expect(readEmailDomain(text)).toBeNull());

test('takes the part after the last @ and normalizes it', () => {
  expect(domainOf('me@example.com/.evil.example')).toBeNull();
  expect(domainOf('"a@evil.example"@Bücher.example')).toBe('xn--bcher-kva.example');
});
