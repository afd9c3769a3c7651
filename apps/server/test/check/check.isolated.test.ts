import { createServer, request as callHttp } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';
import { Redis } from 'iovalkey';
import { sql } from 'kysely';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../../../../tools/stack/index.ts';
import { isFull } from '../../../../tools/testing/size.ts';
import { warnAtStart } from '../../src/check/at-start.ts';
import { requirements, type CheckContext } from '../../src/check/finding.ts';
import { checkDeployment, findingTypes } from '../../src/check/index.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { admin, api, ownDir, services, urlAs } from '../harness.ts';
import { startPgBouncer } from '../pgbouncer.ts';
import { startDeployment } from './deployment.ts';

vi.setConfig({ hookTimeout: 180_000 });

const deployment = await startDeployment();
const { env: healthy, urlOf } = deployment;
/** A busy machine must not look like one that does not respond. */
const options = { dnsServers: deployment.dnsServers, timeoutMs: 60_000 };
afterAll(() => deployment.close());

interface Misconfiguration {
  /** What is wrong, and what is found. */
  finding: string;
  settings?: Record<string, string>;
  /** Breaks a server. What it returns repairs it. */
  damage?: () => Promise<() => unknown>;
  /** Settings that are known only after the damage is done. */
  settingsAfter?: () => Record<string, string>;
  overrides?: Partial<CheckContext>;
}

const run = (statement: string) => sql.raw(statement).execute(admin);
const database = new URL(urlAs('postgres')).pathname.slice(1);
const damaged = (statement: string, repair: string) => async () => {
  await run(statement);
  return () => run(repair);
};
const valkeyCommand = async (...command: [string, ...string[]]) => {
  const valkey = new Redis(healthy['VALKEY_URL'] ?? '');
  await valkey.call(...command).finally(() => valkey.disconnect());
};
const damagedValkey = (command: [string, ...string[]], repair: [string, ...string[]]) => async () => {
  await valkeyCommand(...command);
  return () => valkeyCommand(...repair);
};
const withUrl = (setting: string, change: Partial<URL>) => ({
  [setting]: Object.assign(new URL(healthy[setting] ?? ''), change).href,
});
const closedPort = String(await freePort());
let late = '';

const misconfigurations: Record<string, Misconfiguration> = {
  'PORT is not a number': { finding: 'settings.invalid', settings: { PORT: 'eighty' } },
  'MASTER_KEYS_FILE names a file that does not exist': {
    finding: 'settings.invalid',
    settings: { MASTER_KEYS: '', MASTER_KEYS_FILE: '/nowhere/key' },
  },
  'a secret is set and given as a file': {
    finding: 'settings.invalid',
    settings: { SMTP_URL_FILE: deployment.fileWith('smtp', 'smtp://127.0.0.1') },
  },
  'the server connects as the owner': {
    finding: 'settings.unsafe',
    settings: { DATABASE_URL: urlAs('parley_owner') },
  },
  'MASTER_KEYS is the key of an example': {
    finding: 'settings.unsafe',
    settings: { MASTER_KEYS: `test:${Buffer.alloc(32).toString('base64')}` },
  },
  'RESTATE_IDENTITY_KEYS is empty': { finding: 'settings.unsafe', settings: { RESTATE_IDENTITY_KEYS: '' } },
  'all users can read a secret file': {
    finding: 'settings.file_mode',
    settings: {
      MASTER_KEYS: '',
      MASTER_KEYS_FILE: deployment.fileWith('master-keys', healthy['MASTER_KEYS'] ?? '', 0o644),
    },
  },
  'a file is set for a setting that is no secret': {
    finding: 'settings.file_ignored',
    settings: { MAIL_FROM_FILE: '/run/secrets/mail_from' },
  },
  'every client is a trusted proxy': {
    finding: 'settings.trusted_proxies',
    settings: { TRUSTED_PROXIES: '127.0.0.1,0.0.0.0/0' },
  },
  'no proxy is trusted': { finding: 'settings.proxy_missing', settings: { TRUSTED_PROXIES: '' } },

  'PostgreSQL is down': { finding: 'database.unreachable', settings: withUrl('DATABASE_URL', { port: closedPort }) },
  'the database does not exist': {
    finding: 'database.login',
    settings: withUrl('DATABASE_URL', { pathname: 'no_such_database' }),
  },
  'PostgreSQL is too old': {
    finding: 'database.version',
    overrides: { requirements: { ...requirements, postgres: 99 } },
  },
  'the role bypasses row-level security': {
    finding: 'database.role',
    settings: { DATABASE_URL: urlAs('check_bypass') },
    damage: damaged('create role check_bypass login bypassrls in role parley_app', 'drop role check_bypass'),
  },
  'the role lacks the roles of roles.sql': {
    finding: 'database.role_grants',
    settings: { DATABASE_URL: urlAs('check_plain') },
    damage: damaged('create role check_plain login', 'drop role check_plain'),
  },
  'a migration has not been applied': {
    finding: 'database.migrations',
    damage: damaged(
      `create table applied_before as select * from migrations.applied;
       delete from migrations.applied where name = (select max(name) from migrations.applied)`,
      `insert into migrations.applied select * from applied_before on conflict do nothing; drop table applied_before`,
    ),
  },
  'row-level security is not forced on a table': {
    finding: 'database.row_level_security',
    damage: damaged('alter table bots no force row level security', 'alter table bots force row level security'),
  },
  'the role has no statement timeout': {
    finding: 'database.timeouts',
    damage: damaged(
      `alter role parley_app in database ${database} set statement_timeout = 0`,
      `alter role parley_app in database ${database} reset statement_timeout`,
    ),
  },
  'the pool is larger than what PostgreSQL accepts': {
    finding: 'database.connections',
    settings: { DATABASE_POOL_SIZE: '200' },
  },
  'PgBouncer pools statements': {
    finding: 'database.pooling',
    damage: async () => {
      const pgbouncer = await startPgBouncer(ownDir('check-pgbouncer'), urlAs('postgres'), {
        poolSize: 2,
        mode: 'statement',
      });
      late = pgbouncer.through(healthy['DATABASE_URL'] ?? '');
      return () => pgbouncer.stop();
    },
    settingsAfter: () => ({ DATABASE_URL: late }),
  },

  'the master key has other bytes': {
    finding: 'keys.wrong',
    settings: { MASTER_KEYS: `test:${randomBytes(32).toString('base64')}` },
  },
  'the master key that encrypted the data is gone': {
    finding: 'keys.wrong',
    settings: { MASTER_KEYS: `new:${randomBytes(32).toString('base64')}` },
  },
  'Vault is down': {
    finding: 'keys.service',
    settings: {
      MASTER_KEYS: `v:vault:parley,${healthy['MASTER_KEYS']}`,
      VAULT_ADDR: `https://127.0.0.1:${closedPort}`,
      VAULT_TOKEN: 'token',
      EGRESS_OPEN_HOSTS: `${healthy['EGRESS_OPEN_HOSTS']},127.0.0.1:${closedPort}`,
    },
  },

  'Valkey is down': { finding: 'valkey.unreachable', settings: withUrl('VALKEY_URL', { port: closedPort }) },
  'Valkey needs a password': {
    finding: 'valkey.login',
    damage: async () => {
      await valkeyCommand('config', 'set', 'requirepass', 'secret');
      return async () => {
        const valkey = new Redis(healthy['VALKEY_URL'] ?? '', { password: 'secret' });
        await valkey.config('SET', 'requirepass', '').finally(() => valkey.disconnect());
      };
    },
  },
  'Valkey is too old': { finding: 'valkey.version', overrides: { requirements: { ...requirements, valkey: 99 } } },
  'Valkey rejects writes when it is full': {
    finding: 'valkey.eviction',
    damage: damagedValkey(['config', 'set', 'maxmemory', '100mb'], ['config', 'set', 'maxmemory', '0']),
  },
  'VALKEY_URL is a replica': {
    finding: 'valkey.replica',
    damage: damagedValkey(['replicaof', '127.0.0.1', closedPort], ['replicaof', 'no', 'one']),
  },

  'RESTATE_INGRESS_URL is the admin port': {
    finding: 'restate.ingress',
    settings: { RESTATE_INGRESS_URL: healthy['RESTATE_ADMIN_URL'] ?? '' },
  },
  'RESTATE_ADMIN_URL is the ingress port': {
    finding: 'restate.admin',
    settings: { RESTATE_ADMIN_URL: healthy['RESTATE_INGRESS_URL'] ?? '' },
  },
  'RESTATE_ADMIN_URL is not set': { finding: 'restate.admin_missing', settings: { RESTATE_ADMIN_URL: '' } },
  'the proxy in front of Restate rejects the token': {
    finding: 'restate.token',
    damage: async () => {
      const proxy = createServer((request, response) => {
        if (request.headers.authorization !== 'Bearer the right token') return void response.writeHead(401).end();
        callHttp(`${healthy['RESTATE_INGRESS_URL']}${request.url}`, (received) => received.pipe(response)).end();
      });
      await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
      late = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      return () => proxy.close();
    },
    settingsAfter: () => ({ RESTATE_INGRESS_URL: late, RESTATE_INGRESS_TOKEN: 'not the right token' }),
  },
  'Restate is too old': { finding: 'restate.version', overrides: { requirements: { ...requirements, restate: 99 } } },
  'Restate is open to the internet': {
    finding: 'restate.public',
    settings: withUrl('RESTATE_INGRESS_URL', { hostname: 'localhost' }),
    overrides: { lookup: async (host) => [{ address: host === 'localhost' ? '1.1.1.1' : '127.0.0.1' }] },
  },
  'the worker listens on all addresses without WORKER_URL': {
    finding: 'restate.worker_url',
    settings: { WORKER_URL: '', HOST: '0.0.0.0' },
  },
  'the worker is down': { finding: 'restate.worker', settings: withUrl('WORKER_URL', { port: closedPort }) },
  'the worker has the identity key of another Restate': {
    finding: 'restate.worker',
    damage: async () => {
      const worker = await deployment.startWorker('publickeyv1_w7YHemBctH5Ck2nQRQ47iBBqhNHy4FV7t2Usbye2A6f');
      late = `http://127.0.0.1:${worker.port}`;
      return () => worker.stop(1);
    },
    settingsAfter: () => ({ WORKER_URL: late }),
  },

  'SMTP_URL is not set': { finding: 'mail.missing', settings: { SMTP_URL: '' } },
  'the SMTP server is down': { finding: 'mail.unreachable', settings: withUrl('SMTP_URL', { port: closedPort }) },
  // Not loopback for the client, but the same server.
  'the SMTP server offers no TLS': { finding: 'mail.tls', settings: { SMTP_URL: deployment.smtpAt('0.0.0.0') } },
  'the password of SMTP_URL is wrong': {
    finding: 'mail.login',
    settings: { SMTP_URL: deployment.smtpAt('127.0.0.1', 'wrong') },
  },
  'the domain of MAIL_FROM does not exist': {
    finding: 'mail.sender',
    settings: { MAIL_FROM: 'Parley <no-reply@typo.example>' },
  },

  'CDN_URL has no DNS record': { finding: 'urls.dns', settings: { CDN_URL: urlOf('typo') } },
  'nothing listens at CDN_URL': {
    finding: 'urls.unreachable',
    settings: withUrl('CDN_URL', { port: closedPort }),
  },
  'a certificate has expired': { finding: 'urls.certificate', settings: { CDN_URL: urlOf('expired') } },
  'a certificate is for another host': { finding: 'urls.certificate', settings: { CDN_URL: urlOf('another') } },
  'a certificate is not renewed': { finding: 'urls.certificate_expires', settings: { CDN_URL: urlOf('soon') } },
  'CDN_URL is the portal': { finding: 'urls.response', settings: { CDN_URL: urlOf('') } },
  'PORTAL_URL is the API': {
    finding: 'urls.response',
    settings: { PORTAL_URL: urlOf('api'), OIDC_CLIENTS: deployment.clients(urlOf('api')) },
  },
  'the portal has another PORTAL_URL than the server': {
    finding: 'urls.portal',
    settings: { PORTAL_URL: urlOf('stale'), OIDC_CLIENTS: deployment.clients(urlOf('stale')) },
  },
  'PUBLIC_URL runs another version': {
    finding: 'urls.version',
    settings: { PUBLIC_URL: urlOf('old'), PORTAL_URL: '', ADMIN_URL: '' },
  },

  'OIDC_CLIENTS has another URL of the portal': {
    finding: 'sign_in.redirect',
    settings: { OIDC_CLIENTS: deployment.clients('https://portal.example') },
  },
  'PASSKEY_DOMAIN is another domain': {
    finding: 'sign_in.passkey_domain',
    settings: { PASSKEY_DOMAIN: 'portal.example' },
  },
  'PASSKEY_DOMAIN is not set, and the portal is not below the API': {
    finding: 'sign_in.passkey_domain',
    settings: { PASSKEY_DOMAIN: '' },
  },
  'the keys of an issuer cannot be read': {
    finding: 'sign_in.issuer_keys',
    settings: { OIDC_ISSUERS: deployment.issuerAt(`${urlOf('api')}/no-such-keys`) },
  },

  'the clock of this machine is a minute ahead': {
    finding: 'clock.skew',
    overrides: { now: () => Date.now() + 60_000 },
  },
  '/metrics listens on a public IP address': {
    finding: 'ports.public',
    damage: async () => {
      const server = createServer();
      await new Promise<void>((done) => server.listen(0, '0.0.0.0', done));
      late = String((server.address() as AddressInfo).port);
      return () => server.close();
    },
    settingsAfter: () => ({ METRICS_PORT: late }),
    overrides: { ownAddresses: ['127.0.0.1', '8.8.8.8'] },
  },
  'a model does not respond': {
    finding: 'models.unreachable',
    settings: { MODELS: deployment.modelsAt(urlOf('typo')) },
  },
  'the API key of a model is wrong': {
    finding: 'models.key',
    settings: { MODELS: deployment.modelsAt(urlOf('models'), 'wrong') },
  },
  'the folder of the embedding model is empty': {
    finding: 'models.local',
    settings: { EMBEDDINGS: JSON.stringify({ provider: 'local', path: import.meta.dirname }) },
  },
};

test('finds nothing in a healthy deployment', async () => {
  expect(await checkDeployment(healthy, options)).toEqual([]);
});

/** Each finding once in the sample. */
const sample = Object.entries(misconfigurations).filter(
  ([, { finding }], n, all) => isFull || all.findIndex(([, other]) => other.finding === finding) === n,
);
test.each(sample)('%s', async (_title, misconfiguration) => {
  const { finding, settings, settingsAfter, damage, overrides } = misconfiguration;
  const repair = await damage?.();
  if (repair) onTestFinished(async () => void (await repair()));
  const env = { ...healthy, ...settings, ...settingsAfter?.() };
  const findings = await checkDeployment(env, { ...options, ...overrides });
  expect(findings).toMatchObject([{ id: finding }]);
  const secrets = [healthy['MASTER_KEYS'], env['MASTER_KEYS'], 'wrong@', 'right@'].filter(Boolean);
  for (const secret of secrets) expect(JSON.stringify(findings)).not.toContain(secret);
});

test('warns at start about what is cheap to check, without calling itself or other companies', async () => {
  const log = { warn: vi.fn() };
  const config = loadConfig({
    ...healthy,
    TRUSTED_PROXIES: '',
    ...withUrl('VALKEY_URL', { port: closedPort }),
    // Not checked at start.
    CDN_URL: urlOf('typo'),
    SMTP_URL: deployment.smtpAt('127.0.0.1', 'wrong'),
    MODELS: deployment.modelsAt(urlOf('models'), 'wrong'),
  });
  await warnAtStart({ config, services, safeFetch: api.platform.safeFetch, log });
  expect(log.warn.mock.calls.map(([fields]) => fields as unknown)).toEqual([
    { finding: 'settings.proxy_missing', settings: ['TRUSTED_PROXIES'] },
    { finding: 'valkey.unreachable', settings: ['VALKEY_URL'] },
  ]);
});

test('has a misconfiguration for each finding', () => {
  const tested = Object.values(misconfigurations).map(({ finding }) => finding);
  const all = Object.values(findingTypes).flatMap((types) => Object.keys(types));
  // An error that no check knows cannot be caused on purpose.
  expect(all.filter((id) => !tested.includes(id))).toEqual(['check.failed']);
});
