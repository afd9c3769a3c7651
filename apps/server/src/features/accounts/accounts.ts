import type { Config } from '../../platform/config.ts';
import type { Services } from '../../platform/context.ts';
import type { Consume } from '../../platform/rate-limit.ts';
import type { SafeFetch } from '../../platform/safe-fetch.ts';
import type { Log } from '../../platform/telemetry.ts';
import type { Pool } from '../pools/index.ts';
import { passkeySite } from './two-factor/passkeys.ts';

/** One pool and its dependencies, used by everything in this folder. */
export interface Accounts {
  services: Services;
  pool: Pool;
  config: Config;
  site: ReturnType<typeof passkeySite>;
  log: Log;
  consume: Consume;
  /** For URLs from the configuration. */
  fetch: SafeFetch;
  /** Invalidates the cached user on every node. */
  invalidateUser(userId: string): void;
  invalidateMember(tenantId: string, userId: string): void;
  invalidateSessions(ids: readonly string[]): void;
  /** Verifies an access token from an external issuer of this pool. Throws if it is invalid. */
  readExternalToken(accessToken: string): Promise<{ issuer: string; subject: string }>;
  /** Makes the mailer poll immediately because emails were queued. */
  wakeMailer(): void;
}

export const openAccounts = (deps: Omit<Accounts, 'site'>): Accounts => ({
  ...deps,
  site: passkeySite(deps.config),
});
