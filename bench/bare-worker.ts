// The least that a turn can be on the engine: an object with as many journaled steps, which do nothing.
import * as restate from '@restatedev/restate-sdk';
import { durableDefaults, keepRegistered, serveDurable } from '../apps/server/src/platform/restate.ts';
import { createLog } from '../apps/server/src/platform/telemetry.ts';

const log = createLog('bare', 'error');
const bare = restate.object({
  name: 'Bare',
  options: durableDefaults,
  handlers: {
    run: async (ctx: restate.ObjectContext, { steps }: { steps: number }) => {
      for (let step = 0; step < steps; step++) await ctx.run(`step ${step}`, () => step);
    },
  },
});
const identityKeys = [process.env['RESTATE_IDENTITY_KEYS'] ?? ''];
const port = Number(process.env['WORKER_PORT']);
await serveDurable({ log, services: [bare], host: '127.0.0.1', port, identityKeys });
keepRegistered({
  adminUrl: process.env['RESTATE_ADMIN_URL'] ?? '',
  workerUrl: `http://127.0.0.1:${port}`,
  force: true,
  log,
});
