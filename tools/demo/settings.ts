import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { createRoles, migrate } from '../../apps/server/src/migrate.ts';
import { connect } from '../../apps/server/src/platform/db.ts';
import { freePort, type Stack } from '../stack/index.ts';
import { miniLm } from '../model/minilm.ts';

interface SettingsOptions {
  api?: number;
  smtpUrl?: string;
  model?: { url: string; host: string };
  clients?: object[];
  portalUrl?: string;
  adminUrl?: string;
  /** Hosts of this machine that tenants may read, in addition to the receiver. */
  openHosts?: string[];
  /** A backend of the demo's tenant, with its own certificate authority. */
  receiver?: { host: string; caPem: string };
}

/** Creates the roles and the empty database. Returns its URL for each role. */
export async function createDatabase(adminUrl: string): Promise<(username: string) => string> {
  const root = connect(adminUrl, { max: 1 });
  await createRoles(root);
  const { rows } = await sql`select 1 from pg_database where datname = 'parley'`.execute(root);
  if (rows.length === 0) await sql`create database parley owner parley_owner`.execute(root);
  await root.destroy();
  return (username) => Object.assign(new URL(adminUrl), { pathname: 'parley', username }).href;
}

/** Creates and migrates the stack's database; returns the settings of API and worker. */
export async function prepare(
  stack: Stack,
  { api, smtpUrl, model, clients = [], receiver, portalUrl, adminUrl, openHosts = [] }: SettingsOptions = {},
): Promise<Record<string, string>> {
  const urlAs = await createDatabase(stack.postgres.adminUrl);
  const owner = connect(urlAs('parley_owner'), { max: 2 });
  await migrate(owner).catch((error: unknown) => {
    throw new Error(`The database in ${stack.dir} has another schema. Delete that folder and start again.`, {
      cause: error,
    });
  });
  await owner.destroy();

  const port = api ?? (await freePort());
  return {
    PARLEY_ENV: 'development',
    DATABASE_URL: urlAs('parley_app'),
    VALKEY_URL: stack.valkey.url,
    RESTATE_INGRESS_URL: stack.restate.ingressUrl,
    RESTATE_ADMIN_URL: stack.restate.adminUrl,
    RESTATE_IDENTITY_KEYS: stack.restate.identityKey,
    MASTER_KEYS: masterKey(stack.dir),
    PORT: String(port),
    PUBLIC_URL: `http://localhost:${port}`, // a host name: passkeys are bound to a domain, not to an IP
    OIDC_CLIENTS: JSON.stringify(clients),
    SIGNUP: 'open',
    UPGRADE_URL: 'mailto:sales@parley.example?subject=Upgrade',
    ...(adminUrl && { ADMIN_URL: adminUrl }),
    ...(portalUrl && { PORTAL_URL: portalUrl, TRUSTED_PROXIES: '127.0.0.1' }), // the portal forwards the client's IP
    WORKER_PORT: String(await freePort()),
    METRICS_PORT: '0',
    ...(smtpUrl && { SMTP_URL: smtpUrl, MAIL_FROM: 'Parley <no-reply@parley.example>' }),
    ...(model && {
      MODELS: JSON.stringify([
        {
          name: 'default',
          provider: 'openai-compatible',
          baseUrl: model.url,
          model: 'demo',
          inputPrice: 0.1,
          outputPrice: 0.4,
        },
      ]),
      EGRESS_OPEN_HOSTS: model.host,
    }),
    EMBEDDINGS: JSON.stringify(miniLm()),
    ...(receiver && {
      EGRESS_TENANT_OPEN_HOSTS: [receiver.host, ...openHosts].join(','),
      EGRESS_CA_FILE: authorityFile(stack.dir, receiver.caPem),
    }),
    LOG_LEVEL: 'warn',
    STOP_NOTICE_SECONDS: '0',
  };
}

function authorityFile(dir: string, pem: string): string {
  const file = join(dir, 'receiver-ca.pem');
  writeFileSync(file, pem);
  return file;
}

/** Created once and kept with the data that it encrypts. */
function masterKey(dir: string): string {
  const file = join(dir, 'master-key');
  if (!existsSync(file)) writeFileSync(file, `local:${randomBytes(32).toString('base64')}`, { mode: 0o600 });
  return readFileSync(file, 'utf8');
}
