import { tenantRoute } from '../../platform/http/route.ts';
import * as contract from './insights.contract.ts';
import { listUnanswered, readInsights } from './insights.service.ts';

const tag = 'Insights';

export const insightRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/insights',
    name: 'getInsights',
    tag,
    summary: 'Get insights by bot and day',
    permission: 'analytics.view',
    bindings: ['workspace', 'bot'],
    query: contract.InsightsQuery,
    response: contract.Insights,
    handler: (ctx, { query }) => readInsights(ctx, query),
  }),
  tenantRoute({
    method: 'GET',
    path: '/insights/unanswered',
    name: 'listUnansweredQuestions',
    tag,
    summary: 'List unanswered questions',
    description:
      'Most frequent first. Questions that differ only in capitals, punctuation or spaces are grouped. They are kept for 90 days, but no longer than the conversation they were last asked in.',
    permission: 'analytics.view',
    bindings: ['workspace', 'bot'],
    query: contract.UnansweredQuery,
    response: contract.UnansweredQuestions,
    handler: (ctx, { query }) => listUnanswered(ctx, query),
  }),
];
