import { tenantRoute } from '../../../platform/http/route.ts';
import * as contract from './outcomes.contract.ts';
import { listComments, listOutcomes, readOutcomes } from './outcomes.service.ts';

const tag = 'Insights';

export const outcomeRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/insights/outcomes',
    name: 'getOutcomes',
    tag,
    summary: 'Get outcomes of conversations',
    description:
      'How conversations that started in the period ended. Each has exactly one outcome, which is decided when the conversation is closed or silent for 24 hours; until then it counts as open. A later rating, message or agent can still change it. Test conversations are not counted.',
    permission: 'analytics.view',
    bindings: ['workspace', 'bot'],
    query: contract.OutcomesQuery,
    response: contract.Outcomes,
    handler: (ctx, { query }) => readOutcomes(ctx, query),
  }),
  tenantRoute({
    method: 'GET',
    path: '/insights/conversations',
    name: 'listConversationOutcomes',
    tag,
    summary: 'List conversations with their outcome',
    description: 'Conversations that started in the period, newest first, until their retention period ends.',
    permission: 'analytics.view',
    bindings: ['workspace', 'bot'],
    query: contract.OutcomeListQuery,
    response: contract.ConversationOutcomes,
    handler: (ctx, { query }) => listOutcomes(ctx, query),
  }),
  tenantRoute({
    method: 'GET',
    path: '/insights/comments',
    name: 'listRatingComments',
    tag,
    summary: 'List comments of ratings',
    description: 'For conversations that started in the period, newest comment first.',
    permission: 'analytics.view',
    bindings: ['workspace', 'bot'],
    query: contract.CommentsQuery,
    response: contract.RatingComments,
    handler: (ctx, { query }) => listComments(ctx, query),
  }),
];
