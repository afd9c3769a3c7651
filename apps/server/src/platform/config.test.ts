import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from './config.ts';

const issuer = {
  pool: 'customer',
  issuer: 'https://id.example',
  jwksUrl: 'https://id.example/jwks',
  audience: ['parley'],
  tenants: 'all',
};
const safe = {
  DATABASE_URL: 'postgres://parley_app:x@db.example/parley',
  VALKEY_URL: 'rediss://:password@valkey.example',
  RESTATE_INGRESS_URL: 'http://restate.example:8080',
  RESTATE_IDENTITY_KEYS: 'publickeyv1_abc',
  MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  PUBLIC_URL: 'https://api.example',
  OIDC_ISSUERS: JSON.stringify([issuer]),
};

const model = { name: 'default', provider: 'openai', model: 'gpt-4.1-mini', inputPrice: 0.4, outputPrice: 1.6 };
const modelAt = (baseUrl: string) => JSON.stringify([{ ...model, provider: 'openai-compatible', baseUrl }]);

const embeddingsAt = (baseUrl?: string, more: object = {}) =>
  JSON.stringify({ provider: 'openai-compatible', model: 'e', dimensions: 512, inputPrice: 0, baseUrl, ...more });

const captchaWith = (more: object = {}) =>
  JSON.stringify({ provider: 'turnstile', siteKey: 'k', secret: 's', ...more });

test('accepts a safe production configuration', () => {
  expect(loadConfig(safe)).toMatchObject({ PARLEY_ENV: 'production', PORT: 3000, EGRESS_OPEN_HOSTS: [] });
});

test.each([
  ['PUBLIC_URL', 'http://api.example', 'must use https'],
  ['MASTER_KEYS', `k1:${Buffer.alloc(32).toString('base64')}`, 'example key'],
  ['VAULT_ADDR', 'http://vault.example:8200', 'VAULT_ADDR and AWS_ENDPOINT_URL_KMS must use https'],
  ['AWS_ENDPOINT_URL_KMS', 'http://kms.example', 'VAULT_ADDR and AWS_ENDPOINT_URL_KMS must use https'],
  ['RESTATE_IDENTITY_KEYS', '', 'anyone who can reach the worker'],
  ['VALKEY_URL', 'redis://valkey.example', 'no password'],
  ['DATABASE_URL', 'postgres://postgres@db.example/parley', 'parley_app'],
  ['METRICS_HOST', '0.0.0.0', 'METRICS_TOKEN is not set'],
  ['OIDC_ISSUERS', JSON.stringify([{ ...issuer, jwksUrl: 'http://id.example/jwks' }]), 'must use https'],
  ['EGRESS_OPEN_HOSTS', '*.internal', 'exact hosts'],
  ['EGRESS_TENANT_OPEN_HOSTS', 'a.example/b', 'exact hosts'],
  ['MODELS', modelAt('http://models.example/v1'), 'MODELS must use https'],
  ['EMBEDDINGS', embeddingsAt('http://models.example/v1'), 'EMBEDDINGS must use https'],
  ['CDN_URL', 'http://cdn.example', 'CDN_URL must use https'],
  ['CAPTCHA', captchaWith({ siteverifyUrl: 'http://captcha.example/siteverify' }), 'CAPTCHA must use https'],
  ['CAPTCHA', captchaWith({ scriptUrl: 'http://captcha.example/api.js' }), 'CAPTCHA must use https'],
  ['PORTAL_URL', 'http://portal.example', 'must use https'],
  ['ADMIN_URL', 'http://admin.example', 'must use https'],
  ['SMTP_URL', 'smtps://mail.example', 'MAIL_FROM must use a domain you own'],
  [
    'OIDC_CLIENTS',
    JSON.stringify([{ pool: 'customer', clientId: 'portal', redirectUris: ['http://portal.example/back'] }]),
    'must redirect to https',
  ],
])('refuses an unsafe %s in production and allows it in development', (name, value, why) => {
  expect(() => loadConfig({ ...safe, [name]: value })).toThrow(why);
  expect(() => loadConfig({ ...safe, [name]: value, PARLEY_ENV: 'development' })).not.toThrow();
});

test.each([
  ['DATABASE_URL', undefined],
  ['PORT', 'eighty'],
  ['VALKEY_SENTINELS', 'sentinel-1:99999'],
  ['VALKEY_SENTINELS', 'redis://sentinel-1'],
  ['MASTER_KEYS', 'k1:too-short'],
  ['MASTER_KEYS', `${safe.MASTER_KEYS},${safe.MASTER_KEYS}`],
  ['MASTER_KEYS', 'k1:awskms:arn:aws:kms:eu-central-1:111122223333:alias/parley'],
  ['MASTER_KEYS', 'k1:awskms'],
  ['MASTER_KEYS', 'k1:vault:../sys/seal'],
  ['VAULT_TRANSIT_MOUNT', '/transit/'],
  ['OIDC_ISSUERS', '{'],
  ['OIDC_ISSUERS', JSON.stringify([{ ...issuer, audience: [] }])],
  ['OIDC_ISSUERS', JSON.stringify([{ ...issuer, tenants: undefined }])],
  ['LOG_LEVEL', 'loud'],
  ['CDN_URL', 'ftp://cdn.example'],
  ['CDN_URL', 'https://cdn.example;script-src'],
  ['SMTP_URL', 'https://mail.example'],
  ['SIGN_UP_CHECK', 'captcha'],
  ['CAPTCHA', captchaWith({ provider: 'another' })],
  ['SIGN_UP_BLOCKED_DOMAINS', 'ada@example.com'],
  ['UPGRADE_URL', 'javascript:alert(1)'],
  ['UPGRADE_URL', 'http://plans.example'],
  ['RESTATE_ADMIN_TOKEN', 'short'],
  ['BUILTIN_POOLS', 'customers'],
  ['MODELS', JSON.stringify([{ ...model, provider: 'openai-compatible' }])],
  ['MODELS', JSON.stringify([{ ...model, inputPrice: -1 }])],
  ['EMBEDDINGS', embeddingsAt()],
  ['EMBEDDINGS', embeddingsAt('https://models.example/v1', { dimensions: 0 })],
  ['EMBEDDINGS', embeddingsAt('https://models.example/v1', { provider: 'anthropic' })],
  ['MODELS', JSON.stringify([model, model])],
  ['MODELS', modelAt('file:///etc/passwd')],
  ['OIDC_CLIENTS', JSON.stringify([{ pool: 'customer', clientId: 'x', clientSecret: 'short', redirectUris: [] }])],
])('names an invalid %s in every environment', (name, value) => {
  expect(() => loadConfig({ ...safe, [name]: value, PARLEY_ENV: 'test' })).toThrow(name);
});

test('reads Sentinels with and without a port', () => {
  const { VALKEY_SENTINELS } = loadConfig({ ...safe, VALKEY_SENTINELS: 'sentinel-1, 10.0.0.2:26380,[fd00::3]:26379' });
  expect(VALKEY_SENTINELS).toEqual([
    { host: 'sentinel-1', port: 26_379 },
    { host: '10.0.0.2', port: 26_380 },
    { host: 'fd00::3', port: 26_379 },
  ]);
});

test('lists everything that is missing or invalid', () => {
  expect(() => loadConfig({ ...safe, VALKEY_URL: '', PORT: 'eighty' })).toThrow(
    /^Invalid configuration:\n- VALKEY_URL is required, but not set\.\n- PORT: Invalid input: .*\.$/,
  );
});

test('accepts master keys that are local, in AWS KMS and in Vault', () => {
  const arns = [
    'arn:aws:kms:eu-central-1:111122223333:key/mrk-1234abcd',
    'arn:aws-cn:kms:cn-north-1:111122223333:key/1234-ab',
  ];
  const MASTER_KEYS = ['v:vault:parley', ...arns.map((arn, n) => `a${n}:awskms:${arn}`), safe.MASTER_KEYS].join(', ');
  expect(loadConfig({ ...safe, MASTER_KEYS })).toMatchObject({ MASTER_KEYS, VAULT_TRANSIT_MOUNT: 'transit' });
});

test('allows http for models on an open host, without opening it for tenants', () => {
  const config = { ...safe, MODELS: modelAt('http://10.0.0.5:8000/v1'), EGRESS_OPEN_HOSTS: '10.0.0.5:8000' };
  expect(loadConfig(config)).toMatchObject({ MODELS: [{ name: 'default' }], EGRESS_TENANT_OPEN_HOSTS: [] });
  expect(() => loadConfig({ ...config, EGRESS_OPEN_HOSTS: '', EGRESS_TENANT_OPEN_HOSTS: '10.0.0.5:8000' })).toThrow(
    'MODELS must use https',
  );
  expect(loadConfig({ ...safe, MODELS: JSON.stringify([model]) }).MODELS).toEqual([model]);
});

test('serves the widget from PUBLIC_URL and this repository by default', () => {
  const { CDN_URL, WIDGET_DIR } = loadConfig(safe);
  expect(CDN_URL).toBe('https://api.example/cdn');
  expect(WIDGET_DIR).toBe(resolve(import.meta.dirname, '../../../../packages/widget/dist'));
  const own = loadConfig({ ...safe, CDN_URL: 'https://cdn.example/', WIDGET_DIR: '/srv/widget' });
  expect([own.CDN_URL, own.WIDGET_DIR]).toEqual(['https://cdn.example', '/srv/widget']);
});

test('requires a proof of work for sign-up by default, and allows only the origins of the configured CAPTCHA', () => {
  expect(loadConfig(safe)).toMatchObject({ SIGN_UP_CHECK: 'proof_of_work', CAPTCHA: null });
  const of = (more: object) => loadConfig({ ...safe, SIGN_UP_CHECK: 'captcha', CAPTCHA: captchaWith(more) }).CAPTCHA;
  expect(of({})?.origins).toEqual(['https://challenges.cloudflare.com']);
  expect(of({ provider: 'hcaptcha', scriptUrl: 'https://captcha.example/api.js' })).toMatchObject({
    origins: ['https://captcha.example'],
    siteverifyUrl: 'https://api.hcaptcha.com/siteverify',
  });
});
