import { routeWithoutTransaction, tenantRoute } from '../../platform/http/route.ts';
import * as contract from './answers.contract.ts';
import { askModel, type AskModelDeps } from './ask-model.ts';
import { listBotModels } from './bot-models.ts';

const tag = 'Bots';

export const answerRoutes = (deps: AskModelDeps) => [
  tenantRoute({
    method: 'GET',
    path: '/bots/:id/models',
    name: 'listBotModels',
    tag,
    summary: 'List the models a bot can use',
    description: 'Empty if neither this deployment nor your plan provides one: the bot can then only quote.',
    permission: 'bot.view',
    bindings: [],
    params: contract.BotId,
    response: contract.BotModels,
    handler: (ctx, { params }) => listBotModels(ctx, deps, params.id),
  }),
  routeWithoutTransaction({
    method: 'POST',
    path: '/bots/:id/ask-model',
    name: 'askModel',
    tag,
    summary: 'Test what a model answers to a question',
    description:
      'Searches the sources that are currently enabled, published or not, and has a model write the answer as in a chat, whatever the draft’s answer mode. Calls no actions and stores no conversation. The call counts towards your AI budgets. If there is no answer, the response is still 200, with a `reason`.',
    permission: 'bot.manage',
    bindings: ['workspace', 'bot'],
    entitlement: 'knowledge',
    limit: { name: 'model-tests', points: 10, seconds: 60 },
    params: contract.BotId,
    body: contract.AskModel,
    response: contract.AskedModel,
    handler: (caller, { params, body }) => askModel(caller, deps, params.id, body),
  }),
];
