import { setTimeout as sleep } from 'node:timers/promises';
import { runEntry } from '../../../../tools/demo/processes.ts';
import { all, type Fault } from '../fault.ts';
import type { Product } from '../product.ts';
import { burns } from './burns.ts';
import { repeat, request } from './repeat.ts';

// API, worker and portals: gone, frozen, or with too much to do.

const killed =
  (name: keyof Product['processes']): Fault['start'] =>
  async ({ processes }) => {
    await processes[name].kill();
    return () => processes[name].start();
  };

/** Several scrapes see each start. */
const restartEveryMs = 11_000;

export const processes: readonly Fault[] = [
  {
    name: 'api-missing',
    cause: 'The only API process: kill -9',
    fires: ['ParleyApiMissing critical'],
    consequences: ['ParleyPortalErrors warning', 'ParleyWebhookErrorBudgetBurn warning'],
    start: killed('api'),
  },
  {
    name: 'worker-missing',
    cause: 'The only worker: kill -9',
    fires: ['ParleyWorkerMissing critical'],
    consequences: burns('Webhook', 'FirstToken', 'Api'), // which refuses messages when 50 wait
    start: killed('worker'),
  },
  {
    name: 'worker-halting',
    cause: 'The only worker frozen for 14 s every 20 s (SIGSTOP, SIGCONT)',
    fires: ['ParleyWebhookErrorBudgetBurn critical'],
    lingers: ['ParleyWebhookErrorBudgetBurn warning'],
    consequences: [
      ...burns('FirstToken', 'Api'),
      'ParleyEventLoopBlocked warning',
      'ParleyWebhookLanesUnowned critical',
      'ParleyWorkerMissing critical',
    ],
    limitSeconds: 240,
    start: ({ processes: { worker } }) =>
      repeat(6_000, async () => {
        worker.pause();
        await sleep(14_000);
        worker.resume();
      }),
  },
  {
    name: 'portal-missing',
    cause: 'The only process of the customer portal: kill -9',
    fires: ['ParleyPortalMissing critical'],
    start: killed('portal'),
  },
  {
    name: 'process-restarting',
    cause: 'The customer portal killed every 11 s and started again',
    fires: ['ParleyProcessRestarting critical'],
    start: ({ processes: { portal } }) => repeat(restartEveryMs, () => portal.restart()),
  },
  {
    name: 'event-loop-blocked',
    cause: 'The API frozen for 500 ms every 3 s (SIGSTOP, SIGCONT)',
    fires: ['ParleyEventLoopBlocked warning'],
    start: ({ processes: { api } }) =>
      repeat(3_000, async () => {
        api.pause();
        await sleep(500);
        api.resume();
      }),
  },
  {
    name: 'process-saturated',
    cause: 'More requests than one API process can handle',
    fires: ['ParleyProcessSaturated warning'],
    consequences: ['ParleyEventLoopBlocked warning', ...burns('FirstToken')],
    limitSeconds: 240,
    start: ({ target }) => {
      const flood = runEntry('deploy/monitoring/drill/flood.ts', { FLOOD_URL: `${target.apiUrl}/health/live` });
      return flood.stop;
    },
  },
  {
    name: 'portal-errors',
    cause: 'Network between the customer portal and the API cut, while someone who is signed in opens pages',
    fires: ['ParleyPortalErrors warning'],
    start: async ({ network: { portal }, target }, traffic) => {
      const headers = await traffic.signIn();
      portal.api.cut();
      return all(
        portal.api.restore,
        request(1, `${target.portalUrl}/conversations`, () => ({ headers })),
      );
    },
  },
];
