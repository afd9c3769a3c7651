import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { repository } from './processes.ts';

/** What the service must be told of the portal: a public client, since the portal keeps no secret but its cookies' key. */
export const portalClient = (portalUrl: string) => ({
  pool: 'customer',
  clientId: 'portal',
  redirectUris: [`${portalUrl}/api/auth/callback`],
  postLogoutRedirectUris: [`${portalUrl}/sign-in`],
});

export function portalSettings(dir: string, portalUrl: string, apiUrl: string): Record<string, string> {
  const file = join(dir, 'cookie-key');
  if (!existsSync(file)) writeFileSync(file, `local:${randomBytes(32).toString('base64')}`, { mode: 0o600 });
  return {
    PORT: new URL(portalUrl).port,
    PORTAL_URL: portalUrl,
    API_URL: apiUrl,
    COOKIE_KEYS: readFileSync(file, 'utf8'),
    LOG_LEVEL: 'warn',
  };
}

export async function buildPortal(): Promise<void> {
  const build = spawn('npm', ['run', '--silent', 'build:portal'], {
    cwd: repository,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise<number | null>((done) => build.once('exit', done));
  if (code !== 0) throw new Error('the portal does not build');
}
