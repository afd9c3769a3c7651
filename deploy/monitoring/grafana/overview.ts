import { quantiles, rateOf, type Dashboard } from './panels.ts';

const http = 'http_server_request_duration_seconds';

export const overview: Dashboard = {
  id: 'overview',
  title: 'overview',
  about: 'Is everything all right, and if not, which dashboard is next. Objectives: docs/operators/slos.md.',
  rows: [
    {
      title: 'Objectives',
      panels: [
        {
          title: 'Error budget left',
          about: 'Share of the budget of 30 days. Below 0, the objective is missed.',
          unit: 'percentunit',
          queries: { '{{slo}}': 'parley:slo_budget_remaining:ratio' },
          canBeNegative: true,
          limit: 0.1,
          isLowBad: true,
          max: 1,
        },
        {
          title: 'Burn rate, last hour',
          about: '1 spends the budget in exactly 30 days; 14.4 is a critical alert.',
          unit: 'short',
          queries: { '{{slo}}': 'parley:slo_errors:ratio_rate1h / on (slo) (1 - parley:slo_objective:ratio)' },
          limit: 14.4,
        },
        {
          title: 'Firing alerts',
          about: 'docs/runbooks/alerts.md has a section for each.',
          unit: 'short',
          queries: {
            '{{severity}} {{alertname}}': 'count by (alertname, severity) (ALERTS{alertstate="firing"}) or vector(0)',
          },
        },
      ],
    },
    {
      title: 'Traffic',
      panels: [
        {
          title: 'Requests',
          about: 'By status. 429 is a rate limit, 503 a component or overload.',
          unit: 'reqps',
          queries: { '{{http_response_status_code}}': rateOf(`${http}_count`, 'http_response_status_code') },
        },
        {
          title: 'Response time',
          about: 'Of all API requests; of streams, until their first byte.',
          unit: 's',
          queries: quantiles(http),
        },
        {
          title: 'Open streams',
          about: 'Visitors and agents who follow a conversation.',
          unit: 'short',
          queries: { '{{kind}}': 'sum by (kind) (parley_open_streams)' },
        },
        {
          title: 'Turns',
          about: 'Replies per second, by how they were made.',
          unit: 'ops',
          queries: { '{{mode}}': rateOf('parley_turn_duration_seconds_count', 'mode') },
        },
        {
          title: 'First token',
          about: 'From the accepted message. The objective is 4 s.',
          unit: 's',
          queries: quantiles('parley_turn_first_token_seconds'),
          limit: 4,
        },
        {
          title: 'Webhook attempts',
          about: 'By outcome.',
          unit: 'ops',
          queries: { '{{outcome}}': rateOf('parley_webhook_attempts_total', 'outcome') },
        },
      ],
    },
    {
      title: 'What waits',
      panels: [
        {
          title: 'Oldest pending',
          about: 'Seconds that the oldest event, email, delivery and chore have been waiting.',
          unit: 's',
          queries: {
            event: 'max(parley_events_oldest_pending_seconds)',
            email: 'max(parley_emails_oldest_pending_seconds)',
            delivery: 'max(parley_webhook_oldest_due_seconds)',
            maintenance: 'max(parley_chores_overdue_seconds)',
          },
        },
        {
          title: 'Overdue work',
          about: 'Turns, syncs and other work more than a minute overdue, and what the sweeper recovered.',
          unit: 'short',
          queries: {
            overdue: 'max(parley_timers_overdue)',
            'recovered per minute': 'sum(rate(parley_sweeper_recovered_total[$__rate_interval])) * 60 or vector(0)',
          },
          limit: 1,
        },
        {
          title: 'Stuck invocations',
          about: 'Of Restate: paused, or retried for long.',
          unit: 'short',
          queries: { stuck: 'max(parley_restate_stuck_invocations)' },
          limit: 1,
        },
      ],
    },
    {
      title: 'Components',
      panels: [
        {
          title: 'Reachable',
          about: 'Share of the processes that reach a component.',
          unit: 'percentunit',
          queries: { '{{component}}': 'avg by (component) (parley_component_up)' },
          limit: 1,
          isLowBad: true,
          max: 1,
        },
        {
          title: 'Response time of components',
          about: 'Of the health check, the slowest process. Missing while a component is away.',
          unit: 's',
          queries: { '{{component}}': 'max by (component) (parley_component_latency_seconds)' },
        },
        {
          title: 'Processes',
          about: 'By role and version. More than one version is a roll-out.',
          unit: 'short',
          queries: { '{{role}} {{version}}': 'count by (role, version) (parley_build_info)' },
        },
      ],
    },
  ],
};
