import { quantileBy, quantiles, rateOf, shareOf, type Dashboard } from './panels.ts';

export const webhooks: Dashboard = {
  id: 'webhooks',
  title: 'webhooks',
  about: 'From a commit to the customer’s endpoint.',
  rows: [
    {
      title: 'Delivery',
      panels: [
        {
          title: 'Commit to first attempt',
          about: 'The objective is 10 s. Retries aren’t counted.',
          unit: 's',
          queries: quantiles('parley_webhook_commit_to_attempt_seconds'),
          limit: 10,
        },
        {
          title: 'Attempts',
          about: 'By outcome.',
          unit: 'ops',
          queries: { '{{outcome}}': rateOf('parley_webhook_attempts_total', 'outcome') },
        },
        {
          title: 'Attempts without success',
          about: 'Over all endpoints. Above half, an alert fires.',
          unit: 'percentunit',
          queries: {
            failed: shareOf('parley_webhook_attempts_total{outcome!="succeeded"}', 'parley_webhook_attempts_total'),
          },
          limit: 0.5,
          max: 1,
        },
        {
          title: 'Request time',
          about: 'Of the receivers, 95 % of requests.',
          unit: 's',
          queries: quantileBy(0.95, 'parley_webhook_request_duration_seconds', 'outcome'),
        },
        {
          title: 'Requests in flight',
          about: 'By worker.',
          unit: 'short',
          queries: { '{{instance}}': 'parley_webhook_requests' },
        },
        {
          title: 'Oldest event not published',
          about: 'Before it becomes deliveries.',
          unit: 's',
          queries: { event: 'max(parley_events_oldest_pending_seconds)' },
          limit: 30,
        },
      ],
    },
    {
      title: 'What waits',
      panels: [
        {
          title: 'Backlog',
          about: 'Due deliveries, those of paused and broken endpoints included, up to 10,000.',
          unit: 'short',
          queries: { due: 'max(parley_webhook_backlog)' },
        },
        {
          title: 'Oldest due',
          about: 'How long the oldest delivery that is due has been waiting.',
          unit: 's',
          queries: { 'oldest due': 'max(parley_webhook_oldest_due_seconds)' },
          limit: 300,
        },
        {
          title: 'Endpoints due',
          about: 'By worker: endpoints with due deliveries that it hasn’t claimed yet.',
          unit: 'short',
          queries: { '{{instance}}': 'parley_webhook_endpoints_due' },
        },
      ],
    },
    {
      title: 'Lanes and endpoints',
      panels: [
        {
          title: 'Lanes',
          about: 'By worker. Together they must be WEBHOOK_LANES (64).',
          unit: 'short',
          queries: { '{{instance}}': 'parley_webhook_lanes', all: 'sum(parley_webhook_lanes)' },
        },
        {
          title: 'Lanes taken',
          about: 'How often a worker took a lane since its start. A steady rise: workers lose their lease.',
          unit: 'short',
          queries: { '{{instance}}': 'parley_webhook_lanes_taken' },
        },
        {
          title: 'Endpoints',
          about: 'That are failing, broken, disabled or paused.',
          unit: 'short',
          queries: { '{{status}}': 'max by (status) (parley_webhook_endpoints)' },
        },
      ],
    },
  ],
};
