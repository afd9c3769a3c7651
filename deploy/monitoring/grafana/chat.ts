import { quantileBy, quantiles, rateOf, shareOf, type Dashboard } from './panels.ts';

const turn = 'parley_turn_duration_seconds';
const call = 'gen_ai_client_operation_duration_seconds';

export const chat: Dashboard = {
  id: 'chat',
  title: 'chat',
  about: 'From a visitor’s message to the reply: turns, models and knowledge.',
  rows: [
    {
      title: 'Turns',
      panels: [
        {
          title: 'Turns',
          about: 'By how they were answered.',
          unit: 'ops',
          queries: { '{{mode}}': rateOf(`${turn}_count`, 'mode') },
        },
        {
          title: 'First token',
          about: 'From the accepted message, 95 % of turns.',
          unit: 's',
          queries: quantileBy(0.95, 'parley_turn_first_token_seconds', 'mode'),
          limit: 4,
        },
        {
          title: 'Complete reply',
          about: 'From the accepted message, 95 % of turns.',
          unit: 's',
          queries: quantileBy(0.95, turn, 'mode'),
        },
        {
          title: 'Outcomes',
          about: 'How turns ended.',
          unit: 'ops',
          queries: { '{{outcome}}': rateOf(`${turn}_count`, 'outcome') },
        },
        {
          title: 'Open streams',
          about: 'Each keeps about 9 KB of an API process.',
          unit: 'short',
          queries: { '{{kind}}': 'sum by (kind) (parley_open_streams)' },
        },
        {
          title: 'Work overdue',
          about: 'Turns and other work more than a minute overdue.',
          unit: 'short',
          queries: { overdue: 'max(parley_timers_overdue)' },
          limit: 1,
        },
      ],
    },
    {
      title: 'Models',
      panels: [
        {
          title: 'Calls',
          about: 'By provider and operation.',
          unit: 'ops',
          queries: {
            '{{gen_ai_provider_name}} {{gen_ai_operation_name}}': rateOf(
              `${call}_count`,
              'gen_ai_provider_name, gen_ai_operation_name',
            ),
          },
        },
        {
          title: 'Failed calls',
          about: 'Share of the calls that failed. Above 50 % for three minutes, an alert fires.',
          unit: 'percentunit',
          queries: { failed: shareOf(`${call}_count{error_type!=""}`, `${call}_count`) },
          limit: 0.5,
          max: 1,
        },
        {
          title: 'Failures',
          about: 'By provider and kind. No line: no failure.',
          unit: 'ops',
          queries: {
            '{{gen_ai_provider_name}} {{error_type}}': `${rateOf(`${call}_count{error_type!=""}`, 'gen_ai_provider_name, error_type')} or vector(0)`,
          },
        },
        {
          title: 'First chunk',
          about: '95 % of calls.',
          unit: 's',
          queries: quantileBy(0.95, 'gen_ai_client_operation_time_to_first_chunk_seconds', 'gen_ai_provider_name'),
        },
        {
          title: 'Tokens',
          about: 'Per second, by provider and kind.',
          unit: 'short',
          queries: {
            '{{gen_ai_provider_name}} {{gen_ai_token_type}}': rateOf(
              'gen_ai_client_token_usage_total',
              'gen_ai_provider_name, gen_ai_token_type',
            ),
          },
        },
        {
          title: 'Cost per hour',
          about: 'By the prices in the settings.',
          unit: 'currencyUSD',
          queries: {
            '{{gen_ai_provider_name}}':
              'sum by (gen_ai_provider_name) (rate(parley_model_cost_usd_total[$__rate_interval])) * 3600',
          },
        },
        {
          title: 'Budget refusals',
          about: 'Calls that were not made because a budget is used up.',
          unit: 'ops',
          queries: { '{{budget}}': rateOf('parley_budget_refusals_total', 'budget') },
        },
      ],
    },
    {
      title: 'Knowledge',
      panels: [
        {
          title: 'Searches',
          about: 'By outcome. Many empty ones: the knowledge lacks what visitors ask.',
          unit: 'ops',
          queries: { '{{outcome}}': rateOf('parley_retrievals_total', 'outcome') },
        },
        {
          title: 'Search time',
          about: 'By kind, 95 % of searches.',
          unit: 's',
          queries: quantileBy(0.95, 'parley_retrieval_duration_seconds', 'kind'),
        },
        {
          title: 'All searches',
          about: 'Quantiles over all kinds.',
          unit: 's',
          queries: quantiles('parley_retrieval_duration_seconds'),
        },
      ],
    },
  ],
};
