import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRestateKey } from './restate-identity.ts';

export interface GivenSecrets {
  domain: string;
  smtpUrl?: string | undefined;
  tlsCertificate?: string | undefined;
  tlsKey?: string | undefined;
}

const password = () => randomBytes(24).toString('base64url');
const key = () => `k1:${randomBytes(32).toString('base64')}`;
const databaseUrl = (role: string, secret: string, name = 'parley') =>
  `postgres://${role}:${secret}@postgres:5432/${name}`;

/**
 * Writes every secret of the deployment to its own file in `dir`, and returns which are new. What exists is kept, because the
 * data is encrypted with it. The exception is what was empty until now and is given this time.
 */
export function writeSecrets(dir: string, given: GivenSecrets): { created: string[]; restateKey: string } {
  // Containers run as other users than the one who owns these files, and Compose mounts them as they are. So the files can be
  // read by all, in a folder that only its owner can enter.
  mkdirSync(dir, { recursive: true });
  chmodSync(dir, 0o700);
  const created: string[] = [];
  const keep = (name: string, make: () => string): string => {
    const file = join(dir, name);
    const existing = existsSync(file) ? readFileSync(file, 'utf8').trimEnd() : undefined;
    if (existing) return existing;
    const content = make();
    if (existing === content) return content;
    writeFileSync(`${file}.new`, content && `${content.trimEnd()}\n`, { mode: 0o600 });
    chmodSync(`${file}.new`, 0o644);
    renameSync(`${file}.new`, file); // never half a secret, also if this is interrupted
    created.push(name);
    return content;
  };

  const superuser = keep('postgres_password', password);
  keep('postgres_url', () => databaseUrl('postgres', superuser, 'postgres'));
  keep('owner_database_url', () => databaseUrl('parley_owner', password()));
  keep('database_url', () => databaseUrl('parley_app', password()));
  const valkeyUrl = keep('valkey_url', () => `redis://:${password()}@valkey:6379`);
  keep('valkey_conf', () => `requirepass ${new URL(valkeyUrl).password}`);
  const restateKey = keep('restate_identity', createRestateKey);
  keep('master_keys', key);
  keep('portal_cookie_keys', key);
  keep('admin_cookie_keys', key);
  keep('metrics_token', password);
  keep('backup_passphrase', password);
  keep('oidc_clients', () => JSON.stringify(portalClients(given.domain), null, 2));
  keep('models', () => '[]');
  keep('embeddings', () => JSON.stringify(modelInImage));
  keep('smtp_url', () => given.smtpUrl ?? '');
  keep('tls_certificate', () => given.tlsCertificate ?? '');
  keep('tls_key', () => given.tlsKey ?? '');
  return { created, restateKey };
}

/** The sentence model of the server's image (ADR 59). */
const modelInImage = {
  provider: 'local',
  path: '/app/models/all-MiniLM-L6-v2',
  languages: ['en'],
  confidentAt: 0.65,
};

/** The portals sign in at the API like any other application. They have no client secret. */
const portalClients = (domain: string) =>
  [
    { pool: 'customer', clientId: 'portal', url: `https://${domain}` },
    { pool: 'admin', clientId: 'admin', url: `https://admin.${domain}` },
  ].map(({ url, ...client }) => ({
    ...client,
    redirectUris: [`${url}/api/auth/callback`],
    postLogoutRedirectUris: [`${url}/sign-in`],
  }));
