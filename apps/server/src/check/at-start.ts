import type { Platform } from '../platform/platform.ts';
import { checkDatabaseClock } from './clock.ts';
import { checkDatabase } from './database.ts';
import { checkPorts } from './ports.ts';
import { checkRestate } from './restate.ts';
import { defaults, run, type Check } from './run.ts';
import { checkSettings } from './settings.ts';
import { checkSignIn } from './sign-in.ts';
import { checkValkey } from './valkey.ts';

/** Cheap, and without calls to other companies or to this deployment itself. */
const startChecks: Check[] = [
  checkSettings,
  checkSignIn,
  checkDatabase,
  checkDatabaseClock,
  checkValkey,
  checkRestate,
  checkPorts,
];

type StartDeps = Pick<Platform, 'config' | 'safeFetch'> & {
  services: Pick<Platform['services'], 'db'>;
  log: Pick<Platform['log'], 'warn'>;
};

/** In production, once after the start. Never stops a process: what is not safe has been refused before. */
export async function warnAtStart({ config, services, safeFetch, log }: StartDeps): Promise<void> {
  const findings = await run({ ...defaults, config, db: services.db, fetch: safeFetch }, startChecks);
  for (const { id, settings, message, fix } of findings) log.warn({ finding: id, settings }, `${message} ${fix}`);
}
