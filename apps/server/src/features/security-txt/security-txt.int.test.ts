import { expect, onTestFinished, test } from 'vitest';
import { api, openApi, send, settings } from '../../../test/harness.ts';
import { loadConfig } from '../../platform/config.ts';
import { securityTxt } from './security-txt.ts';

const url = '/.well-known/security.txt';

test('returns 404 when no contact is set', async () => {
  const response = await send('GET', url);
  expect([response.statusCode, response.json().error.reason]).toEqual([404, 'security_contact_not_found']);
});

test('returns the contacts in their order and an expiry within a year, without authentication', async () => {
  const contacts = 'mailto:security@parley.example, https://parley.example/security';
  const other = await openApi({ SECURITY_CONTACT: contacts, PUBLIC_URL: 'https://api.parley.example' });
  onTestFinished(other.close);
  const response = await send('GET', url, {}, undefined, other.app);
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  const lines = response.body.trimEnd().split('\n');
  const expires = lines.find((line) => line.startsWith('Expires: '))?.slice('Expires: '.length) ?? '';
  expect(lines).toEqual([
    'Contact: mailto:security@parley.example',
    'Contact: https://parley.example/security',
    `Expires: ${expires}`,
    'Preferred-Languages: en',
    'Canonical: https://api.parley.example/.well-known/security.txt',
  ]);
  const days = (Date.parse(expires) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(90);
  expect(days).toBeLessThan(365);
  const again = await send('GET', url, { 'if-none-match': String(response.headers.etag) }, undefined, other.app);
  expect(again.statusCode).toBe(304);
});

test('changes once per day', () => {
  const at = (time: string) => securityTxt(['mailto:a@b.example'], 'https://x.example', new Date(time));
  expect(at('2026-11-15T00:00:00Z')).toBe(at('2026-11-15T23:59:59Z'));
  expect(at('2026-11-15T23:59:59Z')).not.toBe(at('2026-11-16T00:00:00Z'));
  expect(at('2026-11-15T10:00:00Z')).toContain('Expires: 2027-05-14T00:00:00.000Z\n');
});

test.each(['security@parley.example', 'http://parley.example', 'mailto:a@b.example\nContact: mailto:c@d.example'])(
  'refuses to start with the contact %j',
  (contact) => {
    expect(() => loadConfig(settings({ SECURITY_CONTACT: contact }))).toThrow('SECURITY_CONTACT');
  },
);

test('is described in the OpenAPI document', () => {
  expect(api.app.swagger().paths?.[url]?.get?.operationId).toBe('getSecurityTxt');
});
