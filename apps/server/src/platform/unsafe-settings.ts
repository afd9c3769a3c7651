import type { Config, SettingProblem } from './settings.ts';
import { isOpenHost } from './ip-addresses.ts';
import { parseMasterKeys } from './master-keys.ts';

/** Settings that are allowed in development but not in production, each with the fix. */
export function unsafeSettings(config: Config): SettingProblem[] {
  const isLocal = (url: string) => ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
  const checks: [boolean, string[], string][] = [
    [
      !config.PUBLIC_URL.startsWith('https:'),
      ['PUBLIC_URL'],
      'PUBLIC_URL must use https: keys and tokens are sent to it.',
    ],
    [
      [config.PORTAL_URL, config.ADMIN_URL].some((url) => url !== undefined && !url.startsWith('https:')),
      ['PORTAL_URL', 'ADMIN_URL'],
      'PORTAL_URL and ADMIN_URL must use https: people sign in there.',
    ],
    [
      !config.CDN_URL.startsWith('https:'),
      ['CDN_URL'],
      "CDN_URL must use https: scripts from it run on customers' websites.",
    ],
    [
      parseMasterKeys(config.MASTER_KEYS).some((entry) => entry.kind === 'local' && isGuessable(entry.key)),
      ['MASTER_KEYS'],
      'MASTER_KEYS contains an example key. Create one with: openssl rand -base64 32',
    ],
    [
      [config.VAULT_ADDR, config.AWS_ENDPOINT_URL_KMS].some(
        (url) => url !== undefined && !isSafeUrl(config, new URL(url)),
      ),
      ['VAULT_ADDR', 'AWS_ENDPOINT_URL_KMS'],
      'VAULT_ADDR and AWS_ENDPOINT_URL_KMS must use https or a host in EGRESS_OPEN_HOSTS: keys are sent there.',
    ],
    [
      !['127.0.0.1', '::1', 'localhost'].includes(config.METRICS_HOST) && config.METRICS_TOKEN === undefined,
      ['METRICS_TOKEN', 'METRICS_HOST'],
      'METRICS_TOKEN is not set, but METRICS_HOST exposes `/metrics` to other machines.',
    ],
    [
      config.RESTATE_IDENTITY_KEYS.length === 0,
      ['RESTATE_IDENTITY_KEYS'],
      'RESTATE_IDENTITY_KEYS is empty: anyone who can reach the worker could call its handlers.',
    ],
    [
      !isLocal(config.VALKEY_URL) && !new URL(config.VALKEY_URL).password,
      ['VALKEY_URL'],
      'VALKEY_URL has no password and is not on localhost.',
    ],
    [
      ['postgres', 'parley_owner'].includes(new URL(config.DATABASE_URL).username),
      ['DATABASE_URL'],
      'DATABASE_URL connects as an owner, which bypasses row-level security. Use parley_app.',
    ],
    [
      config.OIDC_ISSUERS.some(({ issuer, jwksUrl }) => !issuer.startsWith('https:') || !jwksUrl.startsWith('https:')),
      ['OIDC_ISSUERS'],
      'OIDC_ISSUERS must use https.',
    ],
    [
      config.SMTP_URL !== undefined && /@localhost>?$/.test(config.MAIL_FROM),
      ['MAIL_FROM'],
      'MAIL_FROM must use a domain you own: mail servers reject email from localhost.',
    ],
    [
      config.OIDC_CLIENTS.some(({ redirectUris }) => redirectUris.some((uri) => !uri.startsWith('https:'))),
      ['OIDC_CLIENTS'],
      'OIDC_CLIENTS must redirect to https: authorization codes are sent there.',
    ],
    [
      config.MODELS.some(({ baseUrl }) => baseUrl !== undefined && !isSafeUrl(config, new URL(baseUrl))),
      ['MODELS'],
      'MODELS must use https or a host in EGRESS_OPEN_HOSTS: keys and conversations are sent there.',
    ],
    [
      config.EMBEDDINGS !== null &&
        'baseUrl' in config.EMBEDDINGS &&
        config.EMBEDDINGS.baseUrl !== undefined &&
        !isSafeUrl(config, new URL(config.EMBEDDINGS.baseUrl)),
      ['EMBEDDINGS'],
      'EMBEDDINGS must use https or a host in EGRESS_OPEN_HOSTS: keys and conversations are sent there.',
    ],
    [
      config.CAPTCHA !== null &&
        !(isSafeUrl(config, new URL(config.CAPTCHA.siteverifyUrl)) && config.CAPTCHA.scriptUrl.startsWith('https:')),
      ['CAPTCHA'],
      'CAPTCHA must use https: its secret and a script of the sign-up page are sent over it.',
    ],
    [
      [...config.EGRESS_OPEN_HOSTS, ...config.EGRESS_TENANT_OPEN_HOSTS].some((host) => /[*/?\s]/.test(host)),
      ['EGRESS_OPEN_HOSTS', 'EGRESS_TENANT_OPEN_HOSTS'],
      'EGRESS_OPEN_HOSTS and EGRESS_TENANT_OPEN_HOSTS accept exact hosts only, not patterns.',
    ],
  ];
  return checks
    .filter(([isUnsafe]) => isUnsafe)
    .map(([, settings, message]) => ({ kind: 'unsafe', settings, message }));
}

const isSafeUrl = ({ EGRESS_OPEN_HOSTS: openHosts }: Config, url: URL) =>
  url.protocol === 'https:' || isOpenHost({ openHosts, ownHosts: [] }, url);

/** Fewer than 16 different bytes out of 32: an example, not a random key. */
const isGuessable = (key: Buffer) => new Set(key).size < 16;
