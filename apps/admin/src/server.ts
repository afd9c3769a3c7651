// The admin portal: `node src/server.ts`, with the settings of docs/portal.md in the environment.
import { resolve } from 'node:path';
import { loadPortalConfig, logCrashes, startPortal } from '@parley/portal-kit/server';
import { allowed } from './allowed.ts';

const portal = await startPortal({
  name: 'admin',
  pool: 'admin',
  config: loadPortalConfig('admin'),
  allowed,
  root: resolve(import.meta.dirname, '..'),
  isDevelopment: process.argv.includes('--watch'),
});
logCrashes(portal.app.log);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void portal.stop().then(() => process.exit(0)));
