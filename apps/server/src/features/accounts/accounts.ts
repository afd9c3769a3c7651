import type { Config } from '../../platform/config.ts';
import type { Ground } from '../../platform/context.ts';
import type { Log } from '../../platform/telemetry.ts';
import type { Pool } from '../pools/index.ts';
import { passkeySite } from './passkeys.ts';

/** One pool with the accounts of its people: what everything in this folder works on. */
export interface Accounts {
  ground: Ground;
  pool: Pool;
  config: Config;
  site: ReturnType<typeof passkeySite>;
  log: Log;
  /** Tells every node that what it knows of them is old. */
  forgetUser(userId: string): void;
  forgetMember(tenantId: string, userId: string): void;
  forgetSessions(ids: readonly string[]): void;
  /** Letters wait: somebody looks at once. */
  wakePostman(): void;
}

export const openAccounts = (parts: Omit<Accounts, 'site'>): Accounts => ({
  ...parts,
  site: passkeySite(parts.config),
});
