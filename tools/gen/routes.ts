// The routes and events as the server declares them. Needs no server to run.
import { openFeatures } from '../../apps/server/src/features/index.ts';
import { loadConfig } from '../../apps/server/src/platform/config.ts';
import { openPlatform } from '../../apps/server/src/platform/platform.ts';

const unusedHost = '127.0.0.1:9';

export async function declaredRoutes() {
  const config = loadConfig({
    PARLEY_ENV: 'test',
    DATABASE_URL: `postgres://parley_app@${unusedHost}/parley`,
    VALKEY_URL: `redis://${unusedHost}`,
    RESTATE_INGRESS_URL: `http://${unusedHost}`,
    MASTER_KEYS: `gen:${Buffer.alloc(32, 1).toString('base64')}`,
    METRICS_PORT: '0',
    LOG_LEVEL: 'silent',
    PUBLIC_URL: 'https://api.parley.example',
  });
  const platform = await openPlatform('api', config);
  const features = openFeatures(platform, () => false);
  await features.stop();
  await platform.close();
  return features.routes;
}
