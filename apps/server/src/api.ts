import { setTimeout as sleep } from 'node:timers/promises';
import { openFeatures } from './features/index.ts';
import { loadConfig } from './platform/config.ts';
import { buildHttp } from './platform/http/server.ts';
import { openPlatform } from './platform/platform.ts';
import { collectStartupGarbage, keepTickShape, logCrashes, stopOnSignal } from './platform/process.ts';
import { warnIfRestateIsOpen } from './platform/restate-exposure.ts';
import { closeSeconds, waitAtMost } from './platform/shutdown.ts';

keepTickShape();
const config = loadConfig();
const platform = await openPlatform('api', config);
const { log, services, metrics, consume, consumeRead, failedAuthentications } = platform;
logCrashes(log);
let isStopping = false;
const features = openFeatures(platform, () => isStopping);

const app = await buildHttp({
  services,
  log,
  metrics,
  consume,
  consumeRead,
  failedAuthentications,
  routes: features.routes,
  authenticators: features.authenticators,
  tenantState: features.tenantState,
  visitorOf: features.visitorOf,
  ...(features.onRequestFailed && { onRequestFailed: features.onRequestFailed }),
  publicUrl: config.PUBLIC_URL,
  trustedProxies: config.TRUSTED_PROXIES,
});
// During shutdown, tells clients to close their keep-alive connections.
app.addHook('onSend', (_request, reply, _payload, done) => {
  if (isStopping) reply.header('connection', 'close');
  done();
});
await app.ready();
collectStartupGarbage();
await app.listen({ host: config.HOST, port: config.PORT });
log.info({ url: app.listeningOrigin }, 'API ready');
void warnIfRestateIsOpen(config, log);
if (config.PARLEY_ENV === 'production')
  void import('./check/at-start.ts')
    .then(({ warnAtStart }) => warnAtStart(platform))
    .catch((error: unknown) => log.warn({ err: error }, 'check at start failed'));

stopOnSignal(
  async () => {
    isStopping = true;
    await sleep(config.STOP_NOTICE_SECONDS * 1_000);
    await waitAtMost('requests', app.close(), { seconds: config.STOP_GRACE_SECONDS, log });
    await waitAtMost('buffered writes', features.stop(), { seconds: 2, log });
    await platform.close();
  },
  { graceSeconds: config.STOP_NOTICE_SECONDS + config.STOP_GRACE_SECONDS + closeSeconds, log },
);
