import { quantiles, rateOf, type Dashboard } from './panels.ts';

const database = 'datname="parley"';
const operation = 'db_client_operation_duration_seconds';
const statement = 'db_system_name="postgresql"';

export const postgresql: Dashboard = {
  id: 'postgresql',
  title: 'PostgreSQL',
  about: 'As the processes see it, and as it sees itself (postgres_exporter).',
  rows: [
    {
      title: 'From the processes',
      panels: [
        {
          title: 'Statement time',
          about: 'Including those before it in a pipeline.',
          unit: 's',
          queries: quantiles(operation, statement),
        },
        {
          title: 'Statements',
          about: 'By role.',
          unit: 'ops',
          queries: { '{{role}}': rateOf(`${operation}_count{${statement}}`, 'role') },
        },
        {
          title: 'Errors',
          about: 'By SQLSTATE. 23505 and 40001 are part of normal work.',
          unit: 'ops',
          queries: {
            '{{error_type}}': `${rateOf(`${operation}_count{${statement}, error_type!=""}`, 'error_type')} or vector(0)`,
          },
        },
        {
          title: 'Connections used',
          about: 'Share of each pool.',
          unit: 'percentunit',
          queries: {
            '{{role}} {{instance}}':
              'sum by (role, instance) (db_client_connection_count{state="used"}) / sum by (role, instance) (db_client_connection_max)',
          },
          limit: 0.9,
          max: 1,
        },
        {
          title: 'Waiting for a connection',
          about: 'Transactions. Above 0 for long: PostgreSQL is slow, or the pool too small.',
          unit: 'short',
          queries: { '{{role}} {{instance}}': 'sum by (role, instance) (db_client_connection_pending_requests)' },
        },
        {
          title: 'Wait for a connection',
          about: 'Quantiles.',
          unit: 's',
          queries: quantiles('db_client_connection_wait_time_seconds'),
        },
        {
          title: 'Timeouts',
          about: 'Transactions that got no connection in time: errors.',
          unit: 'ops',
          queries: { '{{role}} {{instance}}': rateOf('db_client_connection_timeouts_total', 'role, instance') },
          limit: 0.01,
        },
        {
          title: 'Size',
          about: 'Of the database, as a worker and as postgres_exporter see it.',
          unit: 'bytes',
          queries: {
            parley: 'max(parley_db_size_bytes)',
            '{{datname}} on the server': `pg_database_size_bytes{${database}}`,
          },
        },
        {
          title: 'Partitions ahead',
          about: 'Days until there is no partition for new rows.',
          unit: 'd',
          queries: { days: 'min(parley_partition_days_ahead)' },
          limit: 3,
          isLowBad: true,
        },
      ],
    },
    {
      title: 'The server (postgres_exporter)',
      panels: [
        {
          title: 'Sessions',
          about: 'By state. `idle in transaction` for long is a defect.',
          unit: 'short',
          queries: { '{{state}}': `sum by (state) (pg_stat_activity_count{${database}})` },
        },
        {
          title: 'Longest transaction',
          about: 'Above five minutes, it holds back cleaning.',
          unit: 's',
          queries: { '{{state}}': `max by (state) (pg_stat_activity_max_tx_duration{${database}})` },
          limit: 300,
        },
        {
          title: 'Transactions',
          about: 'Committed and rolled back.',
          unit: 'ops',
          queries: {
            committed: rateOf(`pg_stat_database_xact_commit{${database}}`),
            'rolled back': rateOf(`pg_stat_database_xact_rollback{${database}}`),
          },
        },
        {
          title: 'Rows',
          about: 'Written per second.',
          unit: 'ops',
          queries: {
            inserted: rateOf(`pg_stat_database_tup_inserted{${database}}`),
            updated: rateOf(`pg_stat_database_tup_updated{${database}}`),
            deleted: rateOf(`pg_stat_database_tup_deleted{${database}}`),
          },
        },
        {
          title: 'Read from memory',
          about: 'Share of blocks. Below 0.99, it lacks memory.',
          unit: 'percentunit',
          queries: {
            hit: `${rateOf(`pg_stat_database_blks_hit{${database}}`)} / (${rateOf(`pg_stat_database_blks_hit{${database}}`)} + ${rateOf(`pg_stat_database_blks_read{${database}}`)})`,
          },
          max: 1,
        },
        {
          title: 'Locks and deadlocks',
          about: 'Locks by mode; deadlocks should be none.',
          unit: 'short',
          queries: {
            '{{mode}}': `sum by (mode) (pg_locks_count{${database}}) > 0`,
            'deadlocks per minute': `sum(rate(pg_stat_database_deadlocks{${database}}[$__rate_interval])) * 60`,
          },
        },
        {
          title: 'Temporary files',
          about: 'Sorts that don’t fit into memory.',
          unit: 'Bps',
          queries: { written: rateOf(`pg_stat_database_temp_bytes{${database}}`) },
        },
        {
          title: 'Checkpoints',
          about: 'Requested ones: max_wal_size is too small.',
          unit: 'ops',
          queries: {
            timed: rateOf('pg_stat_bgwriter_checkpoints_timed_total'),
            requested: rateOf('pg_stat_bgwriter_checkpoints_req_total'),
          },
        },
        {
          title: 'Archive',
          about: 'WAL that could not be archived fills the disk.',
          unit: 'ops',
          queries: {
            archived: rateOf('pg_stat_archiver_archived_count'),
            failed: rateOf('pg_stat_archiver_failed_count'),
          },
        },
      ],
    },
    {
      title: 'Replicas and disks',
      panels: [
        {
          title: 'Replica lag',
          about: 'Don’t fail over to a replica that is late. No line: no replica.',
          unit: 's',
          queries: { '{{replica}}': 'max by (replica) (parley_db_replica_lag_seconds) or vector(0)' },
          limit: 30,
        },
        {
          title: 'Free disk space',
          about: 'By host and file system (node_exporter).',
          unit: 'percentunit',
          queries: {
            '{{instance}} {{mountpoint}}':
              'min by (instance, mountpoint) (node_filesystem_avail_bytes{fstype!~"tmpfs|ramfs|overlay|squashfs|iso9660"} / node_filesystem_size_bytes{fstype!~"tmpfs|ramfs|overlay|squashfs|iso9660"})',
          },
          limit: 0.2,
          isLowBad: true,
          max: 1,
        },
        {
          title: 'Maintenance',
          about: 'Duration of chores, 95 %.',
          unit: 's',
          queries: {
            '{{chore}}':
              'histogram_quantile(0.95, sum by (le, chore) (rate(parley_chore_duration_seconds_bucket[$__rate_interval])))',
          },
        },
      ],
    },
  ],
};
