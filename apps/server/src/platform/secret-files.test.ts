import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadPortalConfig } from '../../../../packages/portal-kit/src/server/config.ts';
import { loadConfig } from './config.ts';
import { secretNames } from './secret-files.ts';
import { Settings } from './settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));
const fileWith = (name: string, text: string) => {
  const file = join(folder, name);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
};

const key = `k1:${randomBytes(32).toString('base64')}`;
const server = {
  PARLEY_ENV: 'test',
  DATABASE_URL: 'postgres://parley_app@db.example/parley',
  VALKEY_URL: 'redis://valkey.example',
  RESTATE_INGRESS_URL: 'http://restate.example:8080',
};
const portal = { PORTAL_URL: 'https://portal.example', API_URL: 'http://api.example:3000' };

describe.each([
  ['server', 'MASTER_KEYS', (env: Record<string, string>) => loadConfig({ ...server, ...env }).MASTER_KEYS],
  [
    'portals',
    'COOKIE_KEYS',
    (env: Record<string, string>) =>
      loadPortalConfig('portal', { ...portal, ...env })
        .COOKIE_KEYS.map((cookieKey) => `${cookieKey.id}:${cookieKey.key.toString('base64')}`)
        .join(','),
  ],
])('%s', (_name, setting, load) => {
  test.each(['', '\n', '\r\n'])(`reads ${setting} from a file that ends with %j`, (end) => {
    expect(load({ [`${setting}_FILE`]: fileWith('keys', key + end) })).toBe(key);
  });

  test(`rejects ${setting} together with ${setting}_FILE`, () => {
    expect(() => load({ [setting]: key, [`${setting}_FILE`]: fileWith('keys', key) })).toThrow(
      `${setting} and ${setting}_FILE are both set. Remove one of them.`,
    );
  });

  test('names a missing or empty file, and nothing else', () => {
    const missing = join(folder, 'missing');
    expect(() => load({ [`${setting}_FILE`]: missing })).toThrow(
      new RegExp(`:\\n(- )?${setting}_FILE: ${missing} cannot be read \\(ENOENT\\).$`),
    );
    expect(() => load({ [`${setting}_FILE`]: fileWith('empty', '\n') })).toThrow(/empty is empty.$/);
  });

  test('does not print the content of a file with an invalid value', () => {
    const load42 = () => load({ [`${setting}_FILE`]: fileWith('wrong', 'k1:fortytwo') });
    expect(load42).toThrow(setting);
    expect(load42).not.toThrow('fortytwo');
  });
});

test('accepts a file for each secret of the server', () => {
  expect(secretNames(Settings)).toEqual([
    'DATABASE_URL',
    'VALKEY_URL',
    'VALKEY_SENTINEL_PASSWORD',
    'RESTATE_INGRESS_TOKEN',
    'RESTATE_ADMIN_TOKEN',
    'MASTER_KEYS',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
    'METRICS_TOKEN',
    'OIDC_CLIENTS',
    'CAPTCHA',
    'SMTP_URL',
    'MODELS',
    'EMBEDDINGS',
  ]);
});
