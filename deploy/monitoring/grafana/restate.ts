import { quantileBy, rateOf, type Dashboard } from './panels.ts';

const call = 'parley_restate_request_duration_seconds';

export const restate: Dashboard = {
  id: 'restate',
  title: 'Restate',
  about: 'As the processes see it, and its own metrics (port 5122).',
  rows: [
    {
      title: 'From the processes',
      panels: [
        {
          title: 'Requests',
          about: 'By operation.',
          unit: 'ops',
          queries: { '{{operation}}': rateOf(`${call}_count`, 'operation') },
        },
        { title: 'Request time', about: '95 % of requests.', unit: 's', queries: quantileBy(0.95, call, 'operation') },
        {
          title: 'Failed requests',
          about: 'While they fail, the sweeper starts the work within three minutes.',
          unit: 'ops',
          queries: { '{{operation}}': `${rateOf(`${call}_count{outcome="failed"}`, 'operation')} or vector(0)` },
        },
        {
          title: 'Stuck invocations',
          about: 'Paused, or retried for long.',
          unit: 'short',
          queries: { stuck: 'max(parley_restate_stuck_invocations)' },
          limit: 1,
        },
        {
          title: 'Recovered by the sweeper',
          about: 'Work that Restate had not started, by kind.',
          unit: 'ops',
          queries: { '{{kind}}': `${rateOf('parley_sweeper_recovered_total', 'kind')} or vector(0)` },
        },
      ],
    },
    {
      title: 'The server',
      panels: [
        {
          title: 'Ingress requests',
          about: 'By node and status.',
          unit: 'reqps',
          queries: { '{{node_name}} {{status}}': rateOf('restate_ingress_requests_total', 'node_name, status') },
        },
        {
          title: 'Partition leaders',
          about: 'Together they must be the number of partitions (128).',
          unit: 'short',
          queries: {
            '{{node_name}}': 'sum by (node_name) (restate_num_active_partition_leaders)',
            all: 'sum(restate_num_active_partition_leaders)',
            partitions: 'max(restate_num_partitions)',
          },
        },
        {
          title: 'Nodes',
          about: 'By state, as each node sees the others.',
          unit: 'short',
          queries: { '{{state}}': 'max by (state) (restate_failure_detector_nodes_total)' },
        },
        {
          title: 'Lag of partitions',
          about: 'The largest number of records that a partition has not applied.',
          unit: 'short',
          queries: { '{{node_name}}': 'max by (node_name) (restate_partition_applied_lsn_lag)' },
        },
        {
          title: 'Invocations started',
          about: 'By node: slots of the invoker that were taken.',
          unit: 'ops',
          queries: { '{{node_name}}': rateOf('restate_invoker_concurrency_slots_acquired', 'node_name') },
        },
        {
          title: 'Log',
          about: 'Bytes appended.',
          unit: 'Bps',
          queries: { '{{node_name}}': rateOf('restate_bifrost_sequencer_committed_records_bytes_total', 'node_name') },
        },
        {
          title: 'Memory',
          about: 'Resident, of the allocator.',
          unit: 'bytes',
          queries: { '{{node_name}}': 'restate_jemalloc_resident_bytes' },
        },
        {
          title: 'Disk stalls',
          about: 'Share of time in which writes were stopped: a slow disk.',
          unit: 'percentunit',
          queries: {
            '{{node_name}}': 'sum by (node_name) (rate(restate_rocksdb_stall_micros_total[$__rate_interval])) / 1e6',
          },
          limit: 0.05,
        },
      ],
    },
  ],
};
