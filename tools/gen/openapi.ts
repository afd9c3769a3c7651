// Writes apps/server/openapi.json from the routes themselves. Needs no server to run.
import { resolve } from 'node:path';
import { openFeatures } from '../../apps/server/src/features/index.ts';
import { loadConfig } from '../../apps/server/src/platform/config.ts';
import { buildHttp } from '../../apps/server/src/platform/http/server.ts';
import { openPlatform } from '../../apps/server/src/platform/platform.ts';
import { writeGenerated } from './write.ts';

const unusedHost = '127.0.0.1:9';
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
const app = await buildHttp({ ...platform, ...features, publicUrl: config.PUBLIC_URL });
await app.ready();
writeGenerated(
  resolve(import.meta.dirname, '../../apps/server/openapi.json'),
  `${JSON.stringify(app.swagger(), null, 2)}\n`,
);
process.exit();
