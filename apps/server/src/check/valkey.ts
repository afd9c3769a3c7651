import { Redis } from 'iovalkey';
import { sentinelOptions } from '../platform/valkey.ts';
import { defineFindings, reasonOf, type CheckContext, type Finding } from './finding.ts';

const { types, report } = defineFindings({
  'valkey.unreachable': {
    level: 'error',
    cause:
      'Valkey does not respond at the host and port in VALKEY_URL. Parley works without it, with local rate limits and slower updates.',
    fix: 'Start Valkey, or correct VALKEY_URL. For TLS, the URL starts with `rediss:`. With VALKEY_SENTINELS, check that they are reachable, and that the host in VALKEY_URL is the name of the primary.',
  },
  'valkey.login': {
    level: 'error',
    cause: 'Valkey rejects the user or the password in VALKEY_URL.',
    fix: 'Correct user and password in VALKEY_URL: `redis://user:password@host:6379`. The user may need more permissions.',
  },
  'valkey.version': {
    level: 'error',
    cause: 'Valkey or Redis is older than version 7.',
    fix: 'Upgrade Valkey.',
  },
  'valkey.eviction': {
    level: 'warning',
    cause:
      'Valkey has a memory limit and the policy `noeviction`, so that it rejects every write when it is full. Parley stores nothing there that cannot be evicted.',
    fix: 'Set `maxmemory-policy allkeys-lru` in Valkey.',
  },
  'valkey.replica': {
    level: 'error',
    cause: 'VALKEY_URL points to a replica, which accepts no writes.',
    fix: 'Set VALKEY_URL to the primary.',
  },
});
export const valkeyFindings = types;

export async function checkValkey({ config, requirements, timeoutMs }: CheckContext): Promise<Finding[]> {
  const { host } = new URL(config.VALKEY_URL);
  const settings = config.VALKEY_SENTINELS.length > 0 ? ['VALKEY_URL', 'VALKEY_SENTINELS'] : ['VALKEY_URL'];
  const info = await readInfo(config, timeoutMs).catch((error: Error) => error);
  if (info instanceof Error)
    return /NOAUTH|WRONGPASS|NOPERM/.test(info.message)
      ? [report('valkey.login', settings, `Valkey at ${host} rejects the login.`)]
      : [report('valkey.unreachable', settings, `Valkey does not respond at ${host} (${reasonOf(info)}).`)];
  const version = info.get('valkey_version') ?? info.get('redis_version') ?? '';
  if (Number.parseInt(version, 10) < requirements.valkey)
    return [report('valkey.version', settings, `Valkey ${version} is too old.`)];
  if (info.get('role') === 'slave') return [report('valkey.replica', settings, `Valkey at ${host} is a replica.`)];
  if (info.get('maxmemory') !== '0' && info.get('maxmemory_policy') === 'noeviction')
    return [report('valkey.eviction', settings, 'Valkey rejects writes when its memory is full.')];
  return [];
}

/** `info` and not `config get`, which managed servers do not allow. */
async function readInfo(config: CheckContext['config'], timeoutMs: number): Promise<Map<string, string>> {
  const sentinels = { hosts: config.VALKEY_SENTINELS, password: config.VALKEY_SENTINEL_PASSWORD };
  const valkey = new Redis(config.VALKEY_URL, {
    ...sentinelOptions(config.VALKEY_URL, sentinels),
    sentinelRetryStrategy: () => null,
    lazyConnect: true,
    enableReadyCheck: false,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let failure: Error | undefined;
  valkey.on('error', (error: Error) => (failure = error)); // the cause of a connection that only says that it is closed
  try {
    await valkey.connect();
    const text = await valkey.info();
    return new Map(text.split('\r\n').map((line) => line.split(':', 2) as [string, string]));
  } catch (error) {
    throw failure ?? error;
  } finally {
    valkey.disconnect();
  }
}
