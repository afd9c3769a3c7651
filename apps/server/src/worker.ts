import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { Counter, Gauge } from 'prom-client';
import { chores, emailRenderers, startDelivery, subscribers, timerHandlers, workflows } from './features/durable.ts';
import { startChores } from './platform/chores.ts';
import { loadConfig } from './platform/config.ts';
import { emailsChannel } from './platform/emails.ts';
import { openPlatform, relayChannel } from './platform/platform.ts';
import { startMailer } from './platform/mailer.ts';
import { keepTickShape, stopOnSignal } from './platform/process.ts';
import { createWorkerReadiness } from './platform/readiness.ts';
import { startRelay } from './platform/relay.ts';
import { openDeployments } from './platform/deployments.ts';
import { retireDeployments } from './platform/retire-deployments.ts';
import { keepRegistered } from './platform/registration.ts';
import { serveDurable } from './platform/restate.ts';
import { warnIfRestateIsOpen } from './platform/restate-exposure.ts';
import { startSweeper, sweepChannel } from './platform/sweeper.ts';

keepTickShape();
const config = loadConfig();
const platform = await openPlatform('worker', config);
const { services, log, restate, metrics } = platform;

const durable = workflows(platform);
const server = await serveDurable({
  log,
  services: durable,
  host: config.HOST,
  port: config.WORKER_PORT,
  identityKeys: config.RESTATE_IDENTITY_KEYS,
});
void warnIfRestateIsOpen(config, log);
if (config.PARLEY_ENV === 'production')
  void import('./check/at-start.ts')
    .then(({ warnAtStart }) => warnAtStart(platform))
    .catch((error: unknown) => log.warn({ err: error }, 'check at start failed'));
const deployments = openDeployments(config.RESTATE_ADMIN_URL, config.RESTATE_ADMIN_TOKEN);
const registration =
  config.RESTATE_ADMIN_URL !== undefined &&
  keepRegistered({
    deployments,
    workerUrl: config.WORKER_URL ?? `http://${config.HOST}:${server.port}`,
    services: durable,
    force: config.PARLEY_ENV === 'development',
    log,
    onRegistered: () => sweeper.wake(),
  });

// Without the admin URL, operators register the worker themselves.
const isRegistered = () => !registration || registration.isRegistered();
let isStopping = false;
platform.serveReadiness(
  createWorkerReadiness({
    database: platform.health.database,
    valkey: platform.health.others.valkey,
    isRegistered,
    isStopping: () => isStopping,
  }),
);

const relay = startRelay({ services, subscribers: subscribers(services, restate), log });
platform.signals.listen(relayChannel, relay.wake);
const recovered = new Counter({
  name: 'parley_sweeper_recovered_total',
  help: 'Overdue work that the sweeper started because Restate had not, by kind.',
  labelNames: ['kind'],
  registers: [metrics],
});
const sweeper = startSweeper({
  services,
  isReady: isRegistered,
  onRecovered: (kind) => recovered.inc({ kind }),
  handlers: timerHandlers(services, restate, platform.externalStores),
  log,
});
platform.signals.listen(sweepChannel, sweeper.wake);
const lanes = startDelivery(platform);
const mailer = startMailer({
  services,
  renderers: emailRenderers(services, config),
  smtpUrl: config.SMTP_URL,
  from: config.MAIL_FROM,
  log,
});
platform.signals.listen(emailsChannel, mailer.wake);

const housekeeping = startChores({
  services,
  chores: {
    ...chores(services, restate, log),
    ...(registration && {
      'old-deployments': {
        everySeconds: 15,
        run: () => retireDeployments({ deployments, listProcesses: platform.listProcesses, log }),
      },
    }),
  },
  log,
});

stopOnSignal(
  async () => {
    isStopping = true;
    if (registration) await registration.stop();
    await Promise.all([
      relay.stop(),
      sweeper.stop(),
      mailer.stop(),
      lanes.stop(config.STOP_GRACE_SECONDS * 1_000),
      // A chore that takes longer is interrupted between its transactions, and another worker runs it again.
      Promise.race([housekeeping.stop(), sleep(config.STOP_GRACE_SECONDS * 1_000, undefined, { ref: false })]),
      server.stop(config.STOP_GRACE_SECONDS),
    ]);
    await platform.close();
  },
  { graceSeconds: config.STOP_GRACE_SECONDS + 5, log },
);

const gauge = (name: string, help: string, read: () => Promise<number> | number) =>
  new Gauge({
    name,
    help,
    registers: [metrics],
    async collect() {
      this.set(await Promise.resolve(read()).catch(() => Number.NaN));
    },
  });
gauge('parley_events_oldest_pending_seconds', 'Age of the oldest event that has not been published.', async () => {
  const { rows } = await sql<{ oldestSeconds: number }>`select * from directory.event_stream_lag()`.execute(
    services.db,
  );
  return rows[0]?.oldestSeconds ?? 0;
});
gauge('parley_webhook_lanes', 'Delivery lanes that this worker owns.', () => lanes.lanes().length);
gauge('parley_webhook_lanes_taken', 'How often this worker took a lane, at its start or from another worker.', () =>
  lanes.takeOvers(),
);
gauge(
  'parley_webhook_endpoints_due',
  'Endpoints of this worker with due deliveries that it has not claimed yet.',
  () => lanes.backlog().endpoints,
);
gauge('parley_webhook_requests', 'Webhook requests in flight.', () => lanes.backlog().inFlight);
gauge('parley_partition_days_ahead', 'Days until there is no partition for new rows.', async () => {
  const { rows } = await sql<{ days: number }>`select directory.partition_days_ahead() as days`.execute(services.db);
  return rows[0]?.days ?? 0;
});
gauge('parley_chores_overdue_seconds', 'How late the most overdue maintenance is.', async () => {
  const { rows } = await sql<{ seconds: number }>`select directory.chores_overdue_seconds() as seconds`.execute(
    services.db,
  );
  return rows[0]?.seconds ?? 0;
});
gauge(
  'parley_timers_overdue',
  'Turns, syncs and other work more than a minute overdue (counted up to 500).',
  async () => {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from directory.overdue_timers(60, 500)`.execute(
      services.db,
    );
    return rows[0]?.n ?? 0;
  },
);
gauge('parley_action_runs_unknown', 'Action runs with an unknown outcome (counted up to 100).', async () => {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from directory.list_unknown_runs('', 100)`.execute(services.db);
  return rows[0]?.n ?? 0;
});
const emails = async () => {
  const { rows } = await sql<{ oldestSeconds: number; failed: number }>`
    select * from directory.emails_waiting()`.execute(services.db);
  return rows[0] ?? { oldestSeconds: 0, failed: 0 };
};
gauge(
  'parley_emails_oldest_pending_seconds',
  'Age of the oldest email that has been neither sent nor marked as failed.',
  async () => (await emails()).oldestSeconds,
);
gauge('parley_emails_failed', 'Emails that failed permanently.', async () => (await emails()).failed);
log.info({ port: server.port }, 'worker ready');
