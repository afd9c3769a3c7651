import { createPublicKey, sign, verify } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseMasterKeys } from '../platform/master-keys.ts';
import { collectAnswers } from './answers.ts';
import { parseEnv, setEnv } from './env-file.ts';
import type { Finding } from './preflight.ts';
import { restatePublicKey } from './restate-identity.ts';
import { setup } from './setup.ts';

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'setup-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}
const flags = ['--yes', '--domain', 'chat.example.com', '--admin-email', 'ada@example.com', '--tls', 'internal'];
const secretsOf = (dir: string) =>
  Object.fromEntries(
    readdirSync(join(dir, 'secrets')).map((name) => [name, readFileSync(join(dir, 'secrets', name), 'utf8').trim()]),
  );
const envOf = (dir: string) => parseEnv(readFileSync(join(dir, '.env'), 'utf8'));
const modeOf = (...path: string[]) => (statSync(join(...path)).mode & 0o777).toString(8);

/** Without DNS, which may take seconds to say no. */
const healthy = async (): Promise<Finding[]> => [{ kind: 'ok', text: 'All is well.' }];

async function run(dir: string, ...more: string[]): Promise<string> {
  const lines: string[] = [];
  await setup([...flags, '--dir', dir, ...more], (line) => lines.push(line), healthy);
  return lines.join('\n');
}

test('writes settings and secrets that belong together, which only their owner can reach', async () => {
  const dir = folder();
  await run(dir, '--admin-name', 'Ada Lovelace', '--image', 'valkey=parley/valkey:1.2.3');
  const [env, secrets] = [envOf(dir), secretsOf(dir)];
  expect(env).toMatchObject({
    DOMAIN: 'chat.example.com',
    TLS: 'internal',
    ADMIN_NAME: 'Ada Lovelace',
    COMPOSE_PROFILES: 'blue',
    SMTP_URL_FILE: '',
    VALKEY_IMAGE: 'parley/valkey:1.2.3',
    MAIL_FROM: 'Parley <no-reply@chat.example.com>',
  });
  expect(env['BLUE_VERSION']).toBe(env['VERSION']);
  expect(parseMasterKeys(secrets['master_keys'] ?? '')).toMatchObject([{ kind: 'local', id: 'k1' }]);
  expect(secrets['postgres_url']).toBe(`postgres://postgres:${secrets['postgres_password']}@postgres:5432/postgres`);
  expect(secrets['valkey_conf']).toBe(`requirepass ${new URL(secrets['valkey_url'] ?? '').password}`);
  expect(JSON.parse(secrets['oidc_clients'] ?? '')).toMatchObject([
    { pool: 'customer', redirectUris: ['https://chat.example.com/api/auth/callback'] },
    { pool: 'admin', redirectUris: ['https://admin.chat.example.com/api/auth/callback'] },
  ]);
  const passwords = ['postgres_password', 'owner_database_url', 'database_url', 'valkey_url', 'metrics_token'];
  expect(new Set(passwords.map((name) => secrets[name])).size).toBe(passwords.length);
  expect([modeOf(dir, 'secrets'), modeOf(dir, '.env')]).toEqual(['700', '600']);
  for (const name of Object.keys(secrets)) expect([name, modeOf(dir, 'secrets', name)]).toEqual([name, '644']);
});

test('keeps every secret and the running version in a second run, and says so', async () => {
  const dir = folder();
  await run(dir);
  const before = secretsOf(dir);
  writeFileSync(
    join(dir, '.env'),
    setEnv(readFileSync(join(dir, '.env'), 'utf8'), { VERSION: '9.9.9', ACTIVE: 'green', EXTRA: '1' }),
  );
  const printed = await run(dir);
  expect(printed).toContain('All secrets existed already and were kept.');
  expect(secretsOf(dir)).toEqual(before);
  expect(envOf(dir)).toMatchObject({ VERSION: '9.9.9', ACTIVE: 'green', EXTRA: '1' });
});

test('adds a mail server later', async () => {
  const dir = folder();
  await run(dir);
  const file = join(dir, 'smtp');
  writeFileSync(file, 'smtps://user:secret@mail.example.com:465\n');
  expect(await run(dir, '--smtp-url-file', file)).toContain('Created secrets: smtp_url.');
  expect(secretsOf(dir)['smtp_url']).toBe('smtps://user:secret@mail.example.com:465');
  expect(envOf(dir)['SMTP_URL_FILE']).toBe('/run/secrets/smtp_url');
});

test('prints no secret', async () => {
  const dir = folder();
  const printed = await run(dir);
  for (const [name, secret] of Object.entries(secretsOf(dir)))
    if (secret.length > 8) expect(printed, name).not.toContain(secret);
  const { postgres_password: password = '' } = secretsOf(dir);
  expect(readFileSync(join(dir, '.env'), 'utf8')).not.toContain(password);
});

test.each([
  'https://chat.example.com',
  'chat.example.com/path',
  'localhost',
  '10.0.0.1',
  'a_b.example.com',
  'a-.example.com',
  '',
])('rejects the domain "%s" and writes nothing', async (domain) => {
  const dir = folder();
  await expect(setup([...flags, '--domain', domain, '--dir', dir], () => {}, healthy)).rejects.toThrow(
    'must be a domain such as chat.example.com',
  );
  expect(readdirSync(dir)).toEqual([]);
});

test('refuses to change the domain of a deployment', async () => {
  const dir = folder();
  await run(dir);
  await expect(run(dir, '--domain', 'other.example.com')).rejects.toThrow('This deployment is chat.example.com.');
});

test('stops at a port that is in use, and writes nothing', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  const dir = folder();
  const lines: string[] = [];
  await expect(
    setup([...flags, '--http-port', String(port), '--dir', dir], (line) => lines.push(line)),
  ).rejects.toThrow('Nothing was written.');
  other.close();
  expect(lines.join('\n')).toContain(`PROBLEM Port ${port} is in use.`);
  expect(readdirSync(dir)).toEqual([]);
});

test('asks three questions', async () => {
  const questions: string[] = [];
  const replies = ['Chat.Example.com', 'smtp://mail.example.com:587', 'Ada Lovelace <ada@example.com>'];
  const answers = await collectAnswers({}, async (question) => replies[questions.push(question) - 1] ?? '');
  expect(questions).toHaveLength(3);
  expect(answers).toMatchObject({
    domain: 'chat.example.com',
    smtpUrl: 'smtp://mail.example.com:587',
    adminEmail: 'ada@example.com',
    adminName: 'Ada Lovelace',
    tls: 'acme',
  });
});

test('requires a certificate and its key for TLS with files', async () => {
  await expect(run(folder(), '--tls', 'files')).rejects.toThrow('--tls-certificate-file and --tls-key-file');
});

test('names the public key of the key that Restate signs with', async () => {
  const dir = folder();
  await run(dir);
  const pem = secretsOf(dir)['restate_identity'] ?? '';
  expect(envOf(dir)['RESTATE_IDENTITY_KEYS']).toBe(restatePublicKey(pem));
  const raw = decodeBase58(restatePublicKey(pem).slice('publickeyv1_'.length));
  const publicKey = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') },
    format: 'jwk',
  });
  const message = Buffer.from('a request');
  expect(verify(null, message, publicKey, sign(null, message, pem))).toBe(true);
});

function decodeBase58(text: string): Buffer {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  let number = 0n;
  for (const char of text) number = number * 58n + BigInt(alphabet.indexOf(char));
  return Buffer.from(number.toString(16).padStart(64, '0'), 'hex');
}
