import { setTimeout as sleep } from 'node:timers/promises';
import { deploymentUrl, type Deployment, type Deployments } from './deployments.ts';
import { productVersion } from './product-version.ts';
import type { Durable } from './restate.ts';
import type { Log } from './telemetry.ts';

interface RegistrationOptions {
  deployments: Pick<Deployments, 'list' | 'register'>;
  /** The address at which Restate reaches the workers of this version. */
  workerUrl: string;
  version?: string;
  services: readonly Durable[];
  /** Registers again at every start. For development, where the code changes and the version does not. */
  force: boolean;
  log: Log;
  everyMs?: number;
  /** Restate knew nothing of this worker before, so it may know nothing of its work either. */
  onRegistered?: () => void;
}

/**
 * Registers this version of the worker with Restate, retries until it succeeds, and registers again if Restate lost its
 * data. Runs in the background, so that a worker can start while Restate is down.
 */
export function keepRegistered({
  force,
  log,
  everyMs = 15_000,
  version = productVersion,
  onRegistered = () => {},
  ...options
}: RegistrationOptions) {
  const stopping = new AbortController();
  let isRegistered = false;
  const running = (async () => {
    let isFirst = true;
    for (let failures = 0; !stopping.signal.aborted;) {
      try {
        const result = await ensureRegistered({ ...options, version }, { isFirst, force: force && isFirst });
        report(result, isFirst);
        isRegistered = result.state === 'registered';
        if (isRegistered && (isFirst || result.isNew)) onRegistered();
        isFirst = false;
        failures = 0;
      } catch (error) {
        failures++;
        isRegistered = false;
        log.error({ err: error, failures }, 'Restate registration failed; retrying');
      }
      const pauseMs = failures > 0 ? Math.min(250 * failures, 5_000) : everyMs;
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();

  function report(result: Result, isFirst: boolean): void {
    if (result.state === 'removed')
      log.error({ version, latest: result.latest }, 'this version was removed from Restate: stop this worker');
    else if (isFirst || result.isNew) {
      log.info({ version }, 'registered with Restate');
      if (result.latest !== version)
        log.warn(
          { version, latest: result.latest },
          `another version gets new work. To switch back, run: parley-server deployments activate ${version}`,
        );
    }
  }

  return {
    /** Whether Restate can call this worker. */
    isRegistered: () => isRegistered,
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}

interface Result {
  state: 'registered' | 'removed';
  isNew: boolean;
  /** The version that gets new work. */
  latest: string | null;
}

async function ensureRegistered(
  {
    deployments,
    workerUrl,
    version,
    services,
  }: Pick<RegistrationOptions, 'deployments' | 'workerUrl' | 'services'> & { version: string },
  { isFirst, force }: { isFirst: boolean; force: boolean },
): Promise<Result> {
  const url = deploymentUrl(workerUrl, version);
  const known = await deployments.list();
  const own = known.find((deployment) => deployment.url === url);
  const latest = known.find(({ isLatest }) => isLatest);
  const isCurrent = own !== undefined && own === latest;
  if (isCurrent && !isFirst) return { state: 'registered', isNew: false, latest: version };

  // The latest version was at our address, so we have replaced it.
  const hasReplacedLatest = latest !== undefined && latest !== own && isSameAddress(latest.url, url);
  if (own && !isFirst && !hasReplacedLatest)
    return { state: 'registered', isNew: false, latest: latest?.version ?? null };
  // Restate forgot us, but knows a newer version: an operator removed this one.
  if (!own && !isFirst && latest && isNewer(latest, version))
    return { state: 'removed', isNew: false, latest: latest.version };

  const handlers = await deployments.register({ url, version, force: force || hasReplacedLatest });
  const missing = services.flatMap(({ name, ...definition }) =>
    handlerNames(definition)
      .filter((handler) => !handlers.get(name)?.includes(handler))
      .map((handler) => `${name}.${handler}`),
  );
  // Restate does not read the handlers of a URL that it knows.
  if (missing.length > 0)
    throw new Error(
      `Restate knows version ${version} without ${missing.join(', ')}. Two builds must not have the same version: change it, or run: parley-server deployments activate ${version}`,
    );
  const isLatest = !own || force || hasReplacedLatest || isCurrent;
  return { state: 'registered', isNew: true, latest: isLatest ? version : (latest?.version ?? null) };
}

/** The SDK stores them in a property that is named after the kind of service. */
const handlerNames = (definition: object): string[] =>
  Object.entries(definition)
    .filter(([kind]) => ['service', 'object', 'workflow'].includes(kind))
    .flatMap(([, handlers]) => Object.keys(handlers as object));

const isSameAddress = (a: string, b: string) => addressOf(a) === addressOf(b);
/** Without the version (`deploymentUrl`). */
const addressOf = (url: string) => url.slice(0, url.lastIndexOf('/v'));

const isNewer = ({ version }: Pick<Deployment, 'version'>, than: string) =>
  version !== null && version.localeCompare(than, 'en', { numeric: true }) > 0;
