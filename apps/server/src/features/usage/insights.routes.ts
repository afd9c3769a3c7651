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
    summary: 'Read how bots did, by bot and day',
    permission: 'analytics.view',
    query: contract.InsightsQuery,
    answer: contract.Insights,
    handler: (ctx, { query }) => readInsights(ctx, query),
  }),
  tenantRoute({
    method: 'GET',
    path: '/insights/unanswered',
    name: 'listUnansweredQuestions',
    tag,
    summary: 'List questions without an answer, the most frequent first',
    description:
      'Questions that differ in capitals, punctuation and spaces only are one. They are kept for 90 days, and no longer than the conversation they were last asked in.',
    permission: 'analytics.view',
    query: contract.UnansweredQuery,
    answer: contract.UnansweredQuestions,
    handler: (ctx, { query }) => listUnanswered(ctx, query),
  }),
];
