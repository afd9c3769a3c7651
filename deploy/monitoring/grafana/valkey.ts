import { quantiles, rateOf, type Dashboard } from './panels.ts';

const operation = 'db_client_operation_duration_seconds';
const command = 'db_system_name="valkey"';

export const valkey: Dashboard = {
  id: 'valkey',
  title: 'Valkey',
  about: 'As the processes see it, and as it sees itself (redis_exporter). Its data may be lost at any time.',
  rows: [
    {
      title: 'From the processes',
      panels: [
        { title: 'Command time', about: 'Quantiles.', unit: 's', queries: quantiles(operation, command), limit: 0.1 },
        {
          title: 'Commands',
          about: 'By role.',
          unit: 'ops',
          queries: { '{{role}}': rateOf(`${operation}_count{${command}}`, 'role') },
        },
        {
          title: 'Errors',
          about: 'While there are some, each process counts rate limits on its own.',
          unit: 'ops',
          queries: {
            '{{role}} {{error_type}}': `${rateOf(`${operation}_count{${command}, error_type!=""}`, 'role, error_type')} or vector(0)`,
          },
        },
      ],
    },
    {
      title: 'The server (redis_exporter)',
      panels: [
        {
          title: 'Commands by name',
          about: 'KEYS and MONITOR are never ours.',
          unit: 'ops',
          queries: { '{{cmd}}': `${rateOf('redis_commands_total', 'cmd')} > 0` },
        },
        {
          title: 'Memory',
          about: 'Used, and its limit if it has one.',
          unit: 'bytes',
          queries: { used: 'redis_memory_used_bytes', limit: 'redis_memory_max_bytes' },
        },
        {
          title: 'Evicted keys',
          about: 'Rate limits become less accurate.',
          unit: 'ops',
          queries: { evicted: rateOf('redis_evicted_keys_total'), expired: rateOf('redis_expired_keys_total') },
        },
        {
          title: 'Clients',
          about: 'Connected and blocked.',
          unit: 'short',
          queries: { connected: 'redis_connected_clients', blocked: 'redis_blocked_clients' },
        },
        {
          title: 'Network',
          about: 'Bytes in and out.',
          unit: 'Bps',
          queries: { in: rateOf('redis_net_input_bytes_total'), out: rateOf('redis_net_output_bytes_total') },
        },
        {
          title: 'Slow commands',
          about: 'Entries of the slow log.',
          unit: 'short',
          queries: { entries: 'redis_slowlog_length' },
        },
      ],
    },
  ],
};
