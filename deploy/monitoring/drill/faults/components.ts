import { all, type Fault } from '../fault.ts';
import type { Product } from '../product.ts';
import { burns } from './burns.ts';

// The servers that the product needs: away, slow, or not reached by one process.

/** What happens to everyone while the database is away or slow, and right after it. */
export const databaseConsequences = [
  ...burns('Api', 'Widget', 'SignIn', 'Webhook', 'FirstToken'),
  'ParleyDatabaseConnectionsExhausted critical',
  'ParleyPortalErrors warning',
  'ParleyWebhookLanesUnowned critical',
  'ParleyEventsLate critical',
  'ParleyRetrievalFailing warning',
];

/** kill -9, and later a start on the same data and port. */
const killed =
  (server: 'postgres' | 'valkey' | 'restate') =>
  async ({ servers }: Product) => {
    await servers[server].kill();
    return servers[server].start;
  };

/** Each response takes twice as long as `ms` longer. */
const slowed =
  (component: 'postgresql' | 'valkey' | 'restate', ms: number) =>
  ({ network }: Product) => {
    const proxies = [network.api[component], network.worker[component]];
    for (const proxy of proxies) proxy.slow(ms);
    return all(...proxies.map((proxy) => proxy.restore));
  };

export const components: readonly Fault[] = [
  {
    name: 'postgresql-away',
    cause: 'PostgreSQL: kill -9',
    fires: ['ParleyPostgreSqlAway critical'],
    consequences: databaseConsequences,
    start: killed('postgres'),
  },
  {
    name: 'restate-away',
    cause: 'Restate: kill -9',
    fires: ['ParleyRestateAway critical'],
    consequences: burns('FirstToken', 'Api'),
    start: killed('restate'),
  },
  {
    name: 'valkey-away',
    cause: 'Valkey: kill -9',
    fires: ['ParleyValkeyAway warning'],
    start: killed('valkey'),
  },
  {
    name: 'mail-away',
    cause: 'Mail server stopped',
    fires: ['ParleyMailAway warning'],
    limitSeconds: 180,
    start: async ({ mail }) => {
      await mail.stop();
      return mail.start;
    },
  },
  {
    name: 'postgresql-slow',
    cause: 'PostgreSQL: each round trip takes 400 ms longer',
    fires: ['ParleyPostgreSqlSlow warning'],
    consequences: [...databaseConsequences, 'ParleyComponentUnreachable warning', 'ParleyTimersOverdue critical'],
    start: slowed('postgresql', 200),
  },
  {
    name: 'restate-slow',
    cause: 'Restate: each round trip takes 700 ms longer',
    fires: ['ParleyRestateSlow warning'],
    consequences: [...burns('FirstToken'), 'ParleyComponentUnreachable warning'],
    start: slowed('restate', 350),
  },
  {
    name: 'valkey-slow',
    cause: 'Valkey: each round trip takes 200 ms longer',
    fires: ['ParleyValkeySlow warning'],
    start: slowed('valkey', 100),
  },
  {
    name: 'component-unreachable',
    cause: 'Network between one API process and Valkey cut',
    fires: ['ParleyComponentUnreachable warning'],
    start: ({ network: { api } }) => {
      api.valkey.cut();
      return api.valkey.restore;
    },
  },
];
