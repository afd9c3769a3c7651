import type { Fault } from '../fault.ts';
import { asBackend } from './backend.ts';
import { burns } from './burns.ts';
import { failOn } from './database.ts';
import { post } from './repeat.ts';

// Restate is there, but calls to it or from it fail.

/** Requests to Restate's admin API. */
const adminOf =
  (adminUrl: string) =>
  async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const response = await fetch(adminUrl + path, init);
    if (!response.ok) throw new Error(`Restate returned ${response.status} for ${path}`);
    const text = await response.text(); // empty after a change
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };

export const restate: readonly Fault[] = [
  {
    name: 'restate-calls-failing',
    cause: 'The worker’s deployment removed from Restate, and the network to Restate’s admin API cut',
    fires: ['ParleyRestateCallsFailing warning'],
    consequences: ['ParleyEventsLate critical', 'ParleyTimersOverdue critical', ...burns('FirstToken', 'Api')],
    limitSeconds: 180,
    start: async ({ network: { worker }, servers }) => {
      const admin = adminOf(servers.restate.adminUrl);
      worker.restateAdmin.cut();
      const { deployments } = await admin<{ deployments: { id: string }[] }>('/deployments');
      for (const { id } of deployments) await admin(`/deployments/${id}?force=true`, { method: 'DELETE' });
      return worker.restateAdmin.restore;
    },
  },
  {
    name: 'restate-stuck',
    cause: 'A replay of deliveries fails again and again',
    fires: ['ParleyRestateStuckInvocations warning'],
    isSlow: true,
    limitSeconds: 900,
    start: async (product) => {
      const { demo, servers } = product;
      const fix = await failOn('webhook_replays', 'update')(product);
      const hour = 3_600_000;
      await asBackend(product, 'POST', `/webhooks/${demo.webhookId}/replay`, {
        since: new Date(Date.now() - hour).toISOString(),
        until: new Date().toISOString(),
        status: ['succeeded'],
      });
      const admin = adminOf(servers.restate.adminUrl);
      // As *Retry now* in the admin portal.
      const retry = async () => {
        const query = "select id from sys_invocation where status in ('paused', 'backing-off')";
        const { rows } = await admin<{ rows: { id: string }[] }>(
          '/query',
          post({ query }, { accept: 'application/json' }),
        );
        for (const { id } of rows) await admin(`/invocations/${id}/resume`, { method: 'PATCH' });
      };
      return async () => {
        await fix();
        await retry();
      };
    },
  },
];
