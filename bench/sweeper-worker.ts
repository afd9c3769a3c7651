// A worker with a sweeper, and with handlers that do nothing but say that they were called.
import { implement } from '@restatedev/restate-sdk';
import { overdueTurns } from '../apps/server/src/features/conversations/conversations.reactions.ts';
import { conversationObject } from '../apps/server/src/features/conversations/turn/conversation.interface.ts';
import type { Services } from '../apps/server/src/platform/context.ts';
import { connect } from '../apps/server/src/platform/db.ts';
import { connectRestate } from '../apps/server/src/platform/restate-client.ts';
import { durableDefaults, serveDurable } from '../apps/server/src/platform/restate.ts';
import { startSweeper } from '../apps/server/src/platform/sweeper.ts';
import { createLog } from '../apps/server/src/platform/telemetry.ts';

export interface WorkerReport {
  sent: number;
  /** The turns of which a handler was called. */
  turnIds: string[];
  cpuMs: number;
}

const { APP_URL = '', INGRESS_URL = '', IDENTITY_KEY = '', WORKER_PORT } = process.env;
const log = createLog('bench', 'silent');
const db = connect(APP_URL, { max: 2 });
let [sent, turnIds]: [number, string[]] = [0, []];

await serveDurable({
  services: [
    implement(conversationObject, {
      options: durableDefaults,
      handlers: {
        run: async (_ctx, { turnId }) => {
          turnIds.push(turnId);
        },
      },
    }),
  ],
  log,
  host: '127.0.0.1',
  port: Number(WORKER_PORT),
  identityKeys: [IDENTITY_KEY],
});
process.send?.('ready');

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  startSweeper({
    services: { db } as unknown as Services,
    handlers: overdueTurns(connectRestate(INGRESS_URL)),
    log,
    onRecovered: () => sent++,
  });
  setInterval(() => {
    const used = process.cpuUsage();
    const cpuMs = (used.user - user + used.system - system) / 1_000;
    process.send?.({ sent, turnIds, cpuMs } satisfies WorkerReport);
    turnIds = [];
  }, 200);
});
