import { readFileSync } from 'node:fs';
import type { Config } from './config.ts';
import type { EgressPolicy } from './safe-fetch.ts';

type EgressSettings = Pick<Config, 'PUBLIC_URL' | 'EGRESS_CA_FILE'>;

/** The egress policy of this deployment with the given open hosts. */
export const egressPolicy = (
  { PUBLIC_URL: publicUrl, EGRESS_CA_FILE: caFile }: EgressSettings,
  openHosts: EgressPolicy['openHosts'],
): EgressPolicy => ({
  ownHosts: [new URL(publicUrl).hostname],
  openHosts,
  ...(caFile && { extraCa: readFileSync(caFile, 'utf8') }),
});
