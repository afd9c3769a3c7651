import { describe, expect, test } from 'vitest';
import { badIpv4, badIpv6 } from '../../test/ssrf-corpus.ts';
import {
  assertAllowedUrl,
  assertOpenHost,
  EgressRefused,
  isPublicIp,
  isSameIp,
  type EgressPolicy,
} from './ip-addresses.ts';

const strict: EgressPolicy = { openHosts: [], ownHosts: ['parley.example'] };

function verdict(policy: EgressPolicy, url: string): string {
  try {
    return assertAllowedUrl(policy, url).href;
  } catch (error) {
    return error instanceof EgressRefused ? error.reason : String(error);
  }
}

describe('IP address', () => {
  test.each([...badIpv4, ...badIpv6])('%s is not public', (address) => expect(isPublicIp(address)).toBe(false));

  test('invalid input is not public', () => {
    for (const text of ['', 'localhost', '1.2.3', '127.1', '0x7f000001', '[::1]', '8.8.8.8:443', ' 8.8.8.8']) {
      expect(isPublicIp(text), text).toBe(false);
    }
  });

  test.each([
    ['1.0.0.0/9.255.255.255', '0.255.255.255', '10.0.0.0'],
    ['11.0.0.0/100.63.255.255', '10.255.255.255', '100.64.0.0'],
    ['100.128.0.0/126.255.255.255', '100.127.255.255', '127.0.0.0'],
    ['128.0.0.0/168.63.129.15', '127.255.255.255', '168.63.129.16'],
    ['168.63.129.17/169.253.255.255', '168.63.129.16', '169.254.0.0'],
    ['169.255.0.0/172.15.255.255', '169.254.255.255', '172.16.0.0'],
    ['172.32.0.0/191.255.255.255', '172.31.255.255', '192.0.0.0'],
    ['192.0.1.0/192.0.1.255', '192.0.0.255', '192.0.2.0'],
    ['192.0.3.0/192.31.195.255', '192.0.2.255', '192.31.196.0'],
    ['192.31.197.0/192.52.192.255', '192.31.196.255', '192.52.193.0'],
    ['192.52.194.0/192.88.98.255', '192.52.193.255', '192.88.99.0'],
    ['192.88.100.0/192.167.255.255', '192.88.99.255', '192.168.0.0'],
    ['192.169.0.0/192.175.47.255', '192.168.255.255', '192.175.48.0'],
    ['192.175.49.0/198.17.255.255', '192.175.48.255', '198.18.0.0'],
    ['198.20.0.0/198.51.99.255', '198.19.255.255', '198.51.100.0'],
    ['198.51.101.0/203.0.112.255', '198.51.100.255', '203.0.113.0'],
    ['203.0.114.0/223.255.255.255', '203.0.113.255', '224.0.0.0'],
    ['2001:200::/2001:db7:ffff:ffff::', '2001:1ff:ffff:ffff::', '2001:db8::'],
    ['2001:db9::/2001:ffff:ffff:ffff::', '2001:db8:ffff:ffff::', '2002::'],
    ['2003::/3ffe:ffff:ffff:ffff::', '2002:ffff:ffff:ffff::', '3fff::'],
    ['3fff:1000::/3fff:ffff:ffff:ffff::', '3fff:fff:ffff:ffff::', '4000::'],
  ])('range %s is public, its neighbours %s and %s are not', (range, before, after) => {
    expect(range.split('/').map(isPublicIp)).toEqual([true, true]);
    expect([before, after].map(isPublicIp)).toEqual([false, false]);
  });

  test('isSameIp matches every spelling of one IP address and no other', () => {
    expect(isSameIp('127.0.0.1', '::ffff:127.0.0.1')).toBe(true);
    expect(isSameIp('::ffff:7f00:1', '127.0.0.1')).toBe(true);
    expect(isSameIp('2606:4700:0:0::1', '2606:4700::1')).toBe(true);
    expect(isSameIp('127.0.0.1', '127.0.0.2')).toBe(false);
    expect(isSameIp('2606:4700::1', '::')).toBe(false);
  });
});

describe('URL', () => {
  test.each([
    ['https://hooks.example.com/a?b=c', 'https://hooks.example.com/a?b=c'],
    ['https://HOOKS.Example.COM./a', 'https://hooks.example.com/a'],
    ['https://hooks.example.com:443/', 'https://hooks.example.com/'],
    ['https://hooks.example.com.:8443/', 'https://hooks.example.com:8443/'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['https://my_hook.example.com/', 'https://my_hook.example.com/'],
    ['https://notparley.example/', 'https://notparley.example/'],
    ['https://localhost.example.com/', 'https://localhost.example.com/'],
  ])('%s is allowed, as %s', (url, href) => expect(verdict(strict, url)).toBe(href));

  test('refusal does not reveal the IP address', () => {
    expect(() => assertAllowedUrl(strict, 'https://10.1.2.3/')).toThrow(
      expect.objectContaining({ name: 'EgressRefused', message: expect.not.stringContaining('10.1.2.3') as string }),
    );
  });
});

describe('open host', () => {
  const open: EgressPolicy = {
    openHosts: ['llm:8080', '10.0.0.5', '[::1]:9000', 'Tools.Parley.example'],
    ownHosts: ['parley.example'],
  };

  test.each([
    'http://llm:8080/',
    'https://llm:8080/',
    'http://10.0.0.5/',
    'https://10.0.0.5:22/',
    'http://[::1]:9000/',
  ])('%s is allowed', (url) => expect(verdict(open, url)).toBe(url));

  test('matches name and port exactly, no subdomains, and may be one of our own hosts', () => {
    expect(verdict(open, 'https://llm/')).toBe('host_not_allowed');
    expect(verdict(open, 'http://llm:8081/')).toBe('scheme_not_allowed');
    expect(verdict(open, 'http://a.llm:8080/')).toBe('scheme_not_allowed');
    expect(verdict(open, 'https://[::1]/')).toBe('ip_literal');
    expect(verdict(open, 'https://10.0.0.6/')).toBe('ip_literal');
    expect(verdict(open, 'http://tools.parley.example./')).toBe('http://tools.parley.example/');
    expect(verdict(open, 'https://api.parley.example/')).toBe('own_host');
  });

  test('still allows no user info and no scheme other than http and https', () => {
    expect(verdict(open, 'http://me:secret@llm:8080/')).toBe('userinfo');
    expect(verdict(open, 'ftp://llm:8080/')).toBe('scheme_not_allowed');
  });

  test.each(['*.example.com', 'https://llm', 'llm/path', 'a@llm', 'llm:', 'llm.', ' llm', '', '127.1', '[0:0::1]'])(
    'rejects %j, which is a pattern or not canonical',
    (entry) => expect(() => assertOpenHost(entry)).toThrow('exact'),
  );

  test.each(['llm', 'LLM:8080', '10.0.0.5', '[::1]:9000', 'my_llm.internal'])('accepts %s', (entry) =>
    assertOpenHost(entry),
  );
});
