import { describe, expect, test } from 'vitest';
import { probes } from '../../../../../tools/testing/probes.ts';
import { below, notBelow, notSite, site } from '../../../test/hostile-origins.ts';
import { AllowedOrigin } from './bots.contract.ts';
import { isOriginAllowed } from './origins.ts';

describe('an exact origin', () => {
  test.each([
    site,
    'https://example.com:8443',
    'http://localhost:3000',
    'http://127.0.0.1',
    'https://xn--mnchen-3ya.de',
  ])('allows only %s', (origin) => {
    expect(isOriginAllowed([origin], origin)).toBe(true);
    expect(isOriginAllowed([], origin)).toBe(false);
    expect(isOriginAllowed([`${origin}0`], origin)).toBe(false);
    expect(isOriginAllowed(['https://other.example', origin], origin)).toBe(true);
  });

  test.each(notSite)('refuses %s', (_name, origin) => {
    expect(isOriginAllowed([site], origin)).toBe(false);
  });

  test('compares international names as punycode', () => {
    expect(isOriginAllowed(['https://xn--mnchen-3ya.de'], 'https://münchen.de')).toBe(false);
  });

  test('refuses `null` even if it is on the list', () => {
    expect(isOriginAllowed(['null', '', '*'], 'null')).toBe(false);
    expect(isOriginAllowed(['null', '', '*'], '')).toBe(false);
    expect(isOriginAllowed(['*', 'https://*'], site)).toBe(false);
  });
});

describe('a wildcard', () => {
  test.each([
    'https://www.example.com',
    'https://a.b.c.example.com',
    'https://my_shop.example.com',
    'https://xn--mnchen-3ya.example.com',
    'https://1.example.com',
    'https://example.com.example.com',
  ])('allows %s', (origin) => {
    expect(isOriginAllowed([below], origin)).toBe(true);
  });

  test.each(notBelow)('refuses %s', (_name, origin) => {
    expect(isOriginAllowed([below], origin)).toBe(false);
  });

  test('matches only its own port', () => {
    expect(isOriginAllowed(['https://*.example.com:8443'], 'https://www.example.com:8443')).toBe(true);
    expect(isOriginAllowed(['https://*.example.com:8443'], 'https://www.example.com')).toBe(false);
    expect(isOriginAllowed(['https://*.example.com:8443'], 'https://www.example.com:18443')).toBe(false);
  });
});

const invalid = [
  '',
  'null',
  '*',
  'https://*',
  'https://*.com',
  'https://*.localhost',
  'https://*example.com',
  'https://a.*.example.com',
  'https://*.*.example.com',
  'https://www.example.*',
  'https://*.127.0.0.1',
  'https://*.0.1',
  'https://*.example.com.',
  'https://*..example.com',
  'example.com',
  '//example.com',
  'http://example.com',
  'http://*.localhost:3000',
  'http://localhost.evil.example',
  'http://127.0.0.2',
  'http://127.1',
  'ws://localhost',
  'ftp://example.com',
  'chrome-extension://abcdef',
  'HTTPS://example.com',
  'https://Example.com',
  'https://example.com/',
  'https://example.com/path',
  'https://example.com?x',
  'https://example.com#x',
  'https://example.com.',
  'https://exam..ple.com',
  'https://.example.com',
  'https://-example.com',
  'https://example.com:443',
  'http://localhost:80',
  'https://example.com:0',
  'https://example.com:08443',
  'https://example.com:65536',
  'https://example.com:',
  'https://user@example.com',
  'https://user:word@example.com',
  'https://münchen.de',
  'https://010.1.1.1',
  'https://0x7f.1',
  'https://[::1]',
  'https://example.com https://evil.example',
  ' https://example.com',
  'https://example.com\n',
  `https://${'a'.repeat(260)}.com`,
];

describe('AllowedOrigin', () => {
  test('tests as many invalid origins as documented', () => {
    expect(new Set(invalid).size).toBeGreaterThanOrEqual(probes.originSettings.min);
  });

  test.each([
    site,
    below,
    'https://example.com:8443',
    'https://*.shop.example.com:8443',
    'https://xn--mnchen-3ya.de',
    'https://10.0.0.5:8443',
    'https://intranet',
    'http://localhost',
    'http://localhost:3000',
    'http://127.0.0.1:5173',
  ])('accepts %s', (origin) => {
    expect(AllowedOrigin.safeParse(origin).success).toBe(true);
    expect(isOriginAllowed([origin], origin.replace('*', 'www'))).toBe(true); // an accepted origin can also match
  });

  test.each(invalid)('rejects %j', (origin) => {
    expect(AllowedOrigin.safeParse(origin).success).toBe(false);
  });
});
