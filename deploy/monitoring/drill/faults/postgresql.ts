import { all, type Fault } from '../fault.ts';
import { burns } from './burns.ts';
import { databaseConsequences } from './components.ts';
import { dropPartitions, failOn, lock, revoke, startReplica } from './database.ts';

// PostgreSQL is there, but something in it or on the way to it is wrong.

let replica: Awaited<ReturnType<typeof startReplica>> | undefined;

const revokeLeases = revoke('execute on function directory.lease_event_streams');

export const postgresql: readonly Fault[] = [
  {
    name: 'connections-exhausted',
    cause: 'A transaction that someone left open locks the table `conversations`',
    fires: ['ParleyDatabaseConnectionsExhausted critical'],
    consequences: [...databaseConsequences, 'ParleyPostgreSqlAway critical', 'ParleyComponentUnreachable warning'],
    start: lock('conversations'),
  },
  {
    name: 'api-without-postgresql',
    cause: 'Network between the API and PostgreSQL cut',
    fires: [
      'ParleyApiErrorBudgetBurn critical',
      'ParleyWidgetErrorBudgetBurn critical',
      'ParleySignInErrorBudgetBurn critical',
      'ParleyComponentUnreachable warning',
    ],
    lingers: [
      'ParleyApiErrorBudgetBurn warning',
      'ParleyWidgetErrorBudgetBurn warning',
      'ParleySignInErrorBudgetBurn warning',
    ],
    consequences: ['ParleyDatabaseConnectionsExhausted critical', 'ParleyPortalErrors warning'],
    limitSeconds: 240,
    start: ({ network: { api } }) => {
      api.postgresql.cut();
      return api.postgresql.restore;
    },
  },
  {
    name: 'lanes-unowned',
    cause: 'Network between the only worker and PostgreSQL cut',
    fires: ['ParleyWebhookLanesUnowned critical', 'ParleyComponentUnreachable warning'],
    consequences: databaseConsequences,
    start: ({ network: { worker } }) => {
      worker.postgresql.cut();
      return worker.postgresql.restore;
    },
  },
  {
    name: 'replica-late',
    cause: 'A streaming replica stops replaying',
    fires: ['ParleyReplicaLate warning'],
    limitSeconds: 180,
    prepare: async (product) => {
      replica ??= await startReplica(product);
    },
    start: async () => {
      await replica?.pause();
      return () => replica?.resume();
    },
  },
  {
    name: 'partitions',
    cause: 'Partitions from the third day on dropped',
    fires: ['ParleyPartitionsRunningOut critical'],
    limitSeconds: 240,
    start: dropPartitions,
  },
  {
    name: 'retrieval-failing',
    cause: 'The right to read the tokens of the knowledge revoked',
    fires: ['ParleyRetrievalFailing warning'],
    consequences: burns('FirstToken'),
    start: revoke('select on knowledge_tokens'),
  },
  {
    name: 'relay-stuck',
    cause: 'The right to lease the streams of events revoked',
    fires: ['ParleyEventsLate critical'],
    consequences: burns('Webhook'),
    start: revokeLeases,
  },
  {
    name: 'turns-stuck',
    cause:
      'The right to lease the streams of events revoked, and the network between the API and Restate cut: only the sweeper starts turns',
    fires: ['ParleyEventsLate critical', 'ParleyTimersOverdue critical'],
    lingers: ['ParleySweeperBusy warning'],
    consequences: [
      ...burns('FirstToken', 'Webhook', 'Api'),
      'ParleyComponentUnreachable warning',
      'ParleyRestateCallsFailing warning',
    ],
    limitSeconds: 480,
    start: async (product, traffic) => {
      const { restate } = product.network.api;
      restate.cut();
      return all(restate.restore, await revokeLeases(product), traffic.add('visits', 0.5));
    },
  },
  {
    name: 'webhook-backlog',
    cause: 'Every change of the delivery queue fails',
    fires: ['ParleyWebhookBacklog warning'],
    consequences: burns('Webhook'), // once the late deliveries are attempted
    isSlow: true,
    limitSeconds: 480,
    start: failOn('webhook_queue', 'update'),
  },
  {
    name: 'chores-overdue',
    cause: 'Every change of the list of chores fails',
    fires: ['ParleyChoresOverdue warning'],
    isSlow: true,
    limitSeconds: 800,
    start: failOn('directory.chores', 'update'),
  },
];
