import type { Config } from '../../platform/config.ts';
import type { Services } from '../../platform/context.ts';
import type { Consume } from '../../platform/rate-limit.ts';
import type { SafeFetch } from '../../platform/safe-fetch.ts';
import type { Log } from '../../platform/telemetry.ts';
import type { Pool } from '../pools/index.ts';
import { passkeySite } from './two-factor/passkeys.ts';

/** One pool with the accounts of its people: what everything in this folder works on. */
export interface Accounts {
  services: Services;
  pool: Pool;
  config: Config;
  site: ReturnType<typeof passkeySite>;
  log: Log;
  consume: Consume;
  /** For addresses that stand in the configuration. */
  fetch: SafeFetch;
  /** Tells every node that what it knows of them is old. */
  invalidateUser(userId: string): void;
  invalidateMember(tenantId: string, userId: string): void;
  invalidateSessions(ids: readonly string[]): void;
  /** Whose token of an external issuer of this pool it is. Throws when it is no good. */
  readExternalToken(accessToken: string): Promise<{ issuer: string; subject: string }>;
  /** Emails wait: somebody looks at once. */
  wakeMailer(): void;
}

export const openAccounts = (parts: Omit<Accounts, 'site'>): Accounts => ({
  ...parts,
  site: passkeySite(parts.config),
});
