import { setTimeout as sleep } from 'node:timers/promises';
import { chores, emailRenderers, startDelivery, subscribers, timerHandlers, workflows } from './features/durable.ts';
import { startChores } from './platform/chores.ts';
import { loadConfig } from './platform/config.ts';
import { emailsChannel } from './platform/emails.ts';
import { openPlatform, relayChannel } from './platform/platform.ts';
import { startMailer } from './platform/mailer.ts';
import { keepTickShape, logCrashes, stopOnSignal } from './platform/process.ts';
import { createWorkerReadiness } from './platform/readiness.ts';
import { startRelay } from './platform/relay.ts';
import { openDeployments } from './platform/deployments.ts';
import { retireDeployments } from './platform/retire-deployments.ts';
import { keepRegistered } from './platform/registration.ts';
import { serveDurable } from './platform/restate.ts';
import { warnIfRestateIsOpen } from './platform/restate-exposure.ts';
import { closeSeconds } from './platform/shutdown.ts';
import { startSweeper, sweepChannel } from './platform/sweeper.ts';
import { countRecovered, showWorkerMetrics } from './worker-metrics.ts';

keepTickShape();
const config = loadConfig();
const platform = await openPlatform('worker', config);
const { services, log, restate } = platform;
logCrashes(log);

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
const sweeper = startSweeper({
  services,
  isReady: isRegistered,
  onRecovered: countRecovered,
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
  { graceSeconds: config.STOP_GRACE_SECONDS + closeSeconds, log },
);

showWorkerMetrics(platform, lanes);
log.info({ port: server.port }, 'worker ready');
