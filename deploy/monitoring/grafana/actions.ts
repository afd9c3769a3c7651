import { quantileBy, quantiles, rateOf, shareOf, type Dashboard } from './panels.ts';

export const actions: Dashboard = {
  id: 'actions',
  title: 'actions',
  about: 'Calls of customers’ backends during chats, and emails.',
  rows: [
    {
      title: 'Private actions',
      panels: [
        {
          title: 'Runs',
          about: 'By outcome.',
          unit: 'ops',
          queries: { '{{outcome}}': rateOf('parley_action_runs_total', 'outcome') },
        },
        {
          title: 'Runs without success',
          about: 'Above half for ten minutes, an alert fires.',
          unit: 'percentunit',
          queries: {
            share: shareOf('parley_action_runs_total{outcome=~"failed|unknown"}', 'parley_action_runs_total'),
          },
          limit: 0.5,
          max: 1,
        },
        {
          title: 'Duration',
          about: 'From the request to the result, without waiting for a confirmation. 95 % of runs.',
          unit: 's',
          queries: quantileBy(0.95, 'parley_action_duration_seconds', 'outcome'),
        },
        {
          title: 'All runs',
          about: 'Quantiles over all outcomes.',
          unit: 's',
          queries: quantiles('parley_action_duration_seconds'),
        },
        {
          title: 'Unknown outcome',
          about: 'Runs that someone has to check, counted up to 100.',
          unit: 'short',
          queries: { unknown: 'max(parley_action_runs_unknown)' },
          limit: 5,
        },
      ],
    },
    {
      title: 'Emails',
      panels: [
        {
          title: 'Emails',
          about: 'By outcome.',
          unit: 'ops',
          queries: { '{{outcome}}': rateOf('parley_emails_total', 'outcome') },
        },
        {
          title: 'Oldest pending',
          about: 'Above ten minutes, an alert fires.',
          unit: 's',
          queries: { pending: 'max(parley_emails_oldest_pending_seconds)' },
          limit: 600,
        },
        {
          title: 'Failed',
          about: 'Until someone retries them under Jobs in the admin portal.',
          unit: 'short',
          queries: { failed: 'max(parley_emails_failed)' },
        },
      ],
    },
  ],
};
