import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { repository } from './processes.ts';

/** A portal as an OIDC client: public, since its only secret is the key of its cookies. */
export const portalClient = (clientId: 'portal' | 'admin', portalUrl: string) => ({
  pool: clientId === 'admin' ? 'admin' : 'customer',
  clientId,
  redirectUris: [`${portalUrl}/api/auth/callback`],
  postLogoutRedirectUris: [`${portalUrl}/sign-in`],
});

export function portalSettings(name: 'portal' | 'admin', dir: string, portalUrl: string, apiUrl: string) {
  const file = join(dir, name === 'admin' ? 'admin-cookie-key' : 'cookie-key');
  if (!existsSync(file)) writeFileSync(file, `local:${randomBytes(32).toString('base64')}`, { mode: 0o600 });
  return {
    PORT: new URL(portalUrl).port,
    PORTAL_URL: portalUrl,
    API_URL: apiUrl,
    COOKIE_KEYS: readFileSync(file, 'utf8'),
    STOP_NOTICE_SECONDS: '0',
    LOG_LEVEL: 'warn',
  } satisfies Record<string, string>;
}

export async function buildPortal(name: 'portal' | 'admin'): Promise<void> {
  const build = spawn('npm', ['run', '--silent', `build:${name}`], {
    cwd: repository,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise<number | null>((done) => build.once('exit', done));
  if (code !== 0) throw new Error(`apps/${name} build failed`);
}
