// The customer portal: `node src/server.ts`, with the settings of docs/portal.md in the environment.
import { resolve } from 'node:path';
import { loadPortalConfig, logCrashes, startPortal } from '@parley/portal-kit/server';
import { allowed } from './allowed.ts';
import { previewRoutes } from './preview.ts';

const portal = await startPortal({
  name: 'portal',
  pool: 'customer',
  config: loadPortalConfig('portal'),
  allowed,
  root: resolve(import.meta.dirname, '..'),
  extraRoutes: previewRoutes,
  isDevelopment: process.argv.includes('--watch'),
});
logCrashes(portal.app.log);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void portal.stop().then(() => process.exit(0)));
