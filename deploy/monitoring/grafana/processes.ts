import { chosen, quantileBy, rateOf, type Dashboard } from './panels.ts';

const each = '{{role}} {{instance}}';
const http = 'http_server_request_duration_seconds';

export const processes: Dashboard = {
  id: 'processes',
  title: 'processes',
  about: 'One process, or several: choose them at the top.',
  rows: [
    {
      title: 'CPU and event loop',
      panels: [
        {
          title: 'Event loop used',
          about: 'Share of the last 15 s. From 0.7 on, add processes.',
          unit: 'percentunit',
          queries: { [each]: `nodejs_eventloop_utilization_ratio{${chosen}}` },
          limit: 0.7,
          max: 1,
        },
        {
          title: 'Event loop delay, p99',
          about: 'Above 0.1 s, every request of the process is slower.',
          unit: 's',
          queries: { [each]: `nodejs_eventloop_delay_p99_seconds{${chosen}}` },
          limit: 0.1,
        },
        {
          title: 'Event loop delay, longest',
          about: 'One long value is one slow piece of work; the log has the time.',
          unit: 's',
          queries: { [each]: `nodejs_eventloop_delay_max_seconds{${chosen}}` },
          limit: 0.25,
        },
        {
          title: 'Blocked',
          about: 'Checks per minute in which the event loop was blocked for more than 250 ms.',
          unit: 'short',
          queries: { [each]: `rate(parley_event_loop_blocked_total{${chosen}}[$__rate_interval]) * 60` },
        },
        {
          title: 'CPU',
          about: 'Cores used.',
          unit: 'short',
          queries: { [each]: `rate(process_cpu_seconds_total{${chosen}}[$__rate_interval])` },
        },
        {
          title: 'Garbage collection',
          about: 'Share of time.',
          unit: 'percentunit',
          queries: {
            [each]: `sum by (role, instance) (rate(nodejs_gc_duration_seconds_sum{${chosen}}[$__rate_interval]))`,
          },
        },
      ],
    },
    {
      title: 'Memory and handles',
      panels: [
        {
          title: 'Resident memory',
          about: 'A steady rise over days is a leak.',
          unit: 'bytes',
          queries: { [each]: `process_resident_memory_bytes{${chosen}}` },
        },
        {
          title: 'Heap in use',
          about: 'By V8.',
          unit: 'bytes',
          queries: { [each]: `nodejs_heap_size_used_bytes{${chosen}}` },
        },
        {
          title: 'Buffers',
          about: 'Outside of the heap.',
          unit: 'bytes',
          queries: { [each]: `nodejs_external_memory_bytes{${chosen}}` },
        },
        {
          title: 'Open files and connections',
          about: 'Share of the limit.',
          unit: 'percentunit',
          queries: { [each]: `process_open_fds{${chosen}} / process_max_fds{${chosen}}` },
          limit: 0.8,
          max: 1,
        },
        {
          title: 'Running since',
          about: 'Seconds. A drop is a restart.',
          unit: 'dtdurations',
          queries: { [each]: `time() - process_start_time_seconds{${chosen}}` },
        },
        {
          title: 'Clock',
          about: 'Difference from the database.',
          unit: 's',
          queries: { [each]: `abs(parley_clock_offset_seconds{${chosen}})` },
          limit: 2,
        },
      ],
    },
    {
      title: 'Requests (API)',
      panels: [
        {
          title: 'Requests',
          about: 'By process.',
          unit: 'reqps',
          queries: { '{{instance}}': rateOf(`${http}_count{${chosen}}`, 'instance') },
        },
        {
          title: 'Being handled',
          about: 'Without open streams.',
          unit: 'short',
          queries: { '{{instance}}': `http_server_active_requests{${chosen}}` },
        },
        {
          title: 'Slowest routes',
          about: 'The ten with the longest time, 95 % of requests.',
          unit: 's',
          queries: {
            '{{http_route}}': `topk(10, ${Object.values(quantileBy(0.95, http, 'http_route', chosen)).join('')})`,
          },
        },
      ],
    },
  ],
};
