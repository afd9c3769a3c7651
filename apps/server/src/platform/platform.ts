import { sql } from 'kysely';
import type { Registry } from 'prom-client';
import { UnsafeConfig, type Config } from './config.ts';
import type { Services } from './context.ts';
import { openKeyring } from './crypto.ts';
import { connect } from './db.ts';
import { egressPolicy } from './egress-settings.ts';
import { createFailedAuthentications, type FailedAuthentications } from './failed-authentications.ts';
import { openRemoteKeys } from './platform-keys.ts';
import { announceProcess, type Processes } from './processes.ts';
import { createRateLimitUsage, type RateLimitUsage } from './rate-limit-usage.ts';
import { createRateLimits, type Consume } from './rate-limit.ts';
import type { Readiness } from './readiness.ts';
import { createReadLimit, type ConsumeRead } from './read-limit.ts';
import { purgeInvocations } from './restate-purge.ts';
import { checkRestate, connectRestate, type RestateClient } from './restate-client.ts';
import { openRestateAdmin, type RestateAdmin } from './restate-admin.ts';
import { createSafeFetch, type HttpClient } from './safe-fetch.ts';
import { bypassesRowLevelSecurity } from './row-level-security.ts';
import { shareCheck } from './shared-check.ts';
import { waitAtMost } from './shutdown.ts';
import { watchEventLoop } from './event-loop.ts';
import { createComponentMetrics, type ComponentMetrics } from './metrics/component-metrics.ts';
import { readGauge, reuse } from './metrics/gauges.ts';
import { createMetrics } from './metrics/process-metrics.ts';
import { createLog, serveMetrics, type Log } from './telemetry.ts';
import { createTenantActivity, type TenantActivity } from './tenant-activity.ts';
import { startTracing } from './tracing.ts';
import { purgeKeys } from './valkey-purge.ts';
import { openSignals, openValkey, type Signals } from './valkey.ts';
import {
  clockOffset,
  databaseHealthMetrics,
  valkeyHealthMetrics,
  type DatabaseHealthMetrics,
  type ValkeyHealthMetrics,
} from './health-metrics.ts';

/** Opened once per process. Features use it; it does not depend on any feature. */
export interface Platform {
  config: Config;
  log: Log;
  metrics: Registry;
  /** For components that only some processes use. */
  componentMetrics: ComponentMetrics;
  services: Services;
  signals: Signals;
  consume: Consume;
  consumeRead: ConsumeRead;
  failedAuthentications: FailedAuthentications;
  /** The running processes of this deployment. Throws while Valkey is down. */
  listProcesses: Processes['list'];
  /** Who was rate limited most often. */
  rateLimitUsage: Pick<RateLimitUsage, 'top'>;
  tenantActivity: Pick<TenantActivity, 'top'>;
  restate: RestateClient;
  restateAdmin: RestateAdmin;
  /** For erasure: deletes data outside the database. */
  externalStores: {
    purgeKeys(findOwned: Parameters<typeof purgeKeys>[2]): ReturnType<typeof purgeKeys>;
    purgeInvocations(prefix: string): ReturnType<typeof purgeInvocations>;
  };
  /** For operators. Throws while the server in question is down. */
  healthMetrics: { database(): Promise<DatabaseHealthMetrics>; valkey(): Promise<ValkeyHealthMetrics> };
  /** For URLs from the configuration. */
  safeFetch: HttpClient;
  /** For URLs from tenants. */
  tenantFetch: HttpClient;
  health: { database: () => Promise<unknown>; others: Record<'valkey' | 'restate', () => Promise<unknown>> };
  /** For workers: serves `/health/ready` next to `/metrics`. */
  serveReadiness(check: () => Promise<Readiness>): void;
  close(): Promise<void>;
}

export const relayChannel = 'relay';

export async function openPlatform(name: 'api' | 'worker', config: Config): Promise<Platform> {
  const log = createLog(`parley-${name}`, config.LOG_LEVEL);
  const tracing = await startTracing(`parley-${name}`, config.OTEL_EXPORTER_OTLP_ENDPOINT, log);
  const db = connect(config.DATABASE_URL, {
    max: config.DATABASE_POOL_SIZE,
    connectMs: config.DATABASE_WAIT_SECONDS * 1_000,
  });
  const safeFetch = createSafeFetch(egressPolicy(config, config.EGRESS_OPEN_HOSTS));
  const openKeys = async () => {
    if (config.PARLEY_ENV === 'production' && (await bypassesRowLevelSecurity(db)))
      throw new UnsafeConfig(
        'Refusing to start: the database role owns tables or bypasses row-level security. Use parley_app.',
      );
    return openKeyring(config.MASTER_KEYS, await openRemoteKeys(db, config, safeFetch));
  };
  const keyring = await openKeys().catch(async (error: unknown) => {
    await Promise.all([db.destroy(), safeFetch.close()]);
    throw error;
  });

  const valkey = openValkey(config.VALKEY_URL, log, {
    hosts: config.VALKEY_SENTINELS,
    password: config.VALKEY_SENTINEL_PASSWORD,
  });
  const signals = openSignals(valkey, config.VALKEY_PREFIX);
  const tenantFetch = createSafeFetch(egressPolicy(config, config.EGRESS_TENANT_OPEN_HOSTS));
  const rateLimitUsage = createRateLimitUsage(valkey, config.VALKEY_PREFIX);
  const tenantActivity = createTenantActivity(valkey, config.VALKEY_PREFIX);
  const consume = createRateLimits(valkey, config.VALKEY_PREFIX, rateLimitUsage.record);
  const processes = announceProcess(valkey, config.VALKEY_PREFIX, name, keyring);
  const metrics = createMetrics(name);
  const eventLoop = watchEventLoop(log, metrics);
  let checkReadiness: (() => Promise<Readiness>) | undefined;
  const health: Platform['health'] = {
    database: shareCheck(() => sql`select 1`.execute(db)),
    others: {
      valkey: shareCheck(() => valkey.ping()),
      restate: shareCheck(() => checkRestate(config.RESTATE_INGRESS_URL, config.RESTATE_INGRESS_TOKEN)),
    },
  };
  const componentMetrics = createComponentMetrics(metrics);
  componentMetrics.add('postgresql', { check: health.database });
  componentMetrics.add('valkey', { check: health.others.valkey });
  componentMetrics.add('restate', { check: health.others.restate });
  const clock = reuse(() => clockOffset(db));
  readGauge(metrics, 'parley_clock_offset_seconds', 'How far this machine’s clock is ahead of PostgreSQL’s.', clock);
  const metricsServer = await serveMetrics(metrics, config, () => checkReadiness?.());
  return {
    config,
    log,
    metrics,
    componentMetrics,
    services: {
      db,
      keyring,
      wakeRelay: () => signals.send(relayChannel, ''),
      notify: signals.send,
      countActivity: tenantActivity.count,
    },
    signals,
    consume,
    consumeRead: createReadLimit(consume),
    failedAuthentications: createFailedAuthentications(
      consume,
      config.FAILED_AUTHENTICATIONS_PER_MINUTE,
      rateLimitUsage.record,
    ),
    rateLimitUsage,
    tenantActivity,
    listProcesses: processes.list,
    restate: connectRestate(config.RESTATE_INGRESS_URL, config.RESTATE_INGRESS_TOKEN),
    restateAdmin: openRestateAdmin(config.RESTATE_ADMIN_URL, config.RESTATE_ADMIN_TOKEN),
    externalStores: {
      purgeKeys: (findOwned) => purgeKeys(valkey, config.VALKEY_PREFIX, findOwned),
      purgeInvocations: (prefix) =>
        purgeInvocations({ url: config.RESTATE_ADMIN_URL, token: config.RESTATE_ADMIN_TOKEN }, prefix),
    },
    healthMetrics: { database: () => databaseHealthMetrics(db), valkey: () => valkeyHealthMetrics(valkey) },
    safeFetch,
    tenantFetch,
    health,
    serveReadiness: (check) => {
      checkReadiness = check;
    },
    close: async () => {
      rateLimitUsage.stop();
      tenantActivity.stop();
      await waitAtMost('process list', processes.stop(), { seconds: 1, log });
      signals.close();
      valkey.disconnect();
      metricsServer.close();
      eventLoop.stop();
      await Promise.all([
        waitAtMost('database', db.destroy(), { seconds: 2, log }),
        safeFetch.close(),
        tenantFetch.close(),
        waitAtMost('traces', tracing.stop(), { seconds: 2, log }),
      ]);
    },
  };
}
