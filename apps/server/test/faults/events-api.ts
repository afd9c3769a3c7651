// src/api.ts, but it kills itself between a commit and the wake-up of the relay: at the KILL_AT_WAKE'th one.
import { openFeatures } from '../../src/features/index.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { buildHttp } from '../../src/platform/http/server.ts';
import { openPlatform } from '../../src/platform/platform.ts';

const config = loadConfig();
const platform = await openPlatform('api', config);
const { services, log } = platform;
const wake = services.wakeRelay;
let remaining = Number(process.env['KILL_AT_WAKE']);
services.wakeRelay = () => {
  if (--remaining === 0) process.kill(process.pid, 'SIGKILL');
  wake();
};

const app = await buildHttp({ ...platform, ...openFeatures(platform, () => false), publicUrl: config.PUBLIC_URL });
await app.listen({ host: config.HOST, port: config.PORT });
log.info({ url: app.listeningOrigin }, 'API ready');
