import type { Db } from '../platform/db.ts';
import type { SafeFetch } from '../platform/safe-fetch.ts';
import type { Config } from '../platform/settings.ts';

/** Something that `check` can find. docs/operators/check.md is generated from these. */
export interface FindingType {
  /** `error`: a part of Parley does not work or is not safe. `warning`: it works, but not as well as it should. */
  level: 'error' | 'warning';
  cause: string;
  fix: string;
}

export interface Finding {
  id: string;
  level: FindingType['level'];
  /** The settings to look at. */
  settings: readonly string[];
  /** What was found, without secrets. */
  message: string;
  fix: string;
}

export const defineFindings = <Id extends string>(types: Record<Id, FindingType>) => ({
  types: types as Record<string, FindingType>,
  report: (id: Id, settings: readonly string[], message: string): Finding => {
    const { level, fix } = types[id];
    return { id, level, settings, message, fix };
  },
});

/** What the checks of all areas need. */
export interface CheckContext {
  config: Config;
  db: Db;
  /** For URLs from the configuration. */
  fetch: SafeFetch;
  now: () => number;
  /** For each connection and request. All areas run concurrently, so that the whole takes little longer. */
  timeoutMs: number;
  requirements: typeof requirements;
  /** For tests: DNS servers, and what host names resolve to. */
  dnsServers?: readonly string[];
  lookup?: (host: string) => Promise<{ address: string }[]>;
  /** For tests: the IP addresses of this machine. */
  ownAddresses?: readonly string[];
}

/** The oldest versions that Parley supports. */
export const requirements = { postgres: 15, valkey: 7, restate: 1.7 };

export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown error';
  const { code, cause } = error as NodeJS.ErrnoException;
  if (cause instanceof Error && !code) return reasonOf(cause);
  return code ?? error.message.replace(/https?:\/\/\S+/g, '[…]'); // a URL may contain credentials
};

/** For the HTTP client, which has one timeout per step. */
export const timeouts = (ms: number) => ({ dnsMs: ms, connectMs: ms, headersMs: ms, totalMs: ms });
