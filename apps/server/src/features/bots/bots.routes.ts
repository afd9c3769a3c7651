import { tenantRoute } from '../../platform/http/route.ts';
import type { BotStates } from './bot-state.ts';
import * as contract from './bots.contract.ts';
import * as service from './bots.service.ts';
import { versionRoutes } from './versions.routes.ts';

const tag = 'Bots';

export const botRoutes = ({ invalidate }: BotStates) => [
  tenantRoute({
    method: 'POST',
    path: '/bots',
    name: 'createBot',
    tag,
    summary: 'Create a bot',
    description: 'The bot doesn’t reply to visitors until a version is published and deployed.',
    permission: 'bot.manage',
    bindings: ['workspace'],
    body: contract.CreateBot,
    status: 201,
    response: contract.OneBot,
    handler: (ctx, { body }) => service.createBot(ctx, body, invalidate),
  }),
  tenantRoute({
    method: 'GET',
    path: '/bots',
    name: 'listBots',
    tag,
    summary: 'List bots',
    permission: 'bot.view',
    bindings: ['workspace', 'bot', 'environment'],
    query: contract.ListBots,
    response: contract.Bots,
    handler: (ctx, { query }) => service.listBots(ctx, query),
  }),
  tenantRoute({
    method: 'GET',
    path: '/bots/:id',
    name: 'getBot',
    tag,
    summary: 'Get a bot',
    permission: 'bot.view',
    bindings: ['workspace', 'bot', 'environment'],
    params: contract.BotId,
    response: contract.OneBot,
    handler: (ctx, { params }) => service.getBot(ctx, params.id),
  }),
  tenantRoute({
    method: 'PATCH',
    path: '/bots/:id',
    name: 'updateBot',
    tag,
    summary: 'Update a bot’s name, allowed origins and budget',
    description: 'Takes effect immediately. The content of the bot is in its draft.',
    permission: 'bot.manage',
    bindings: ['workspace', 'bot'],
    params: contract.BotId,
    body: contract.UpdateBot,
    response: contract.OneBot,
    handler: (ctx, { params, body }) => service.updateBot(ctx, params.id, body, invalidate),
  }),
  tenantRoute({
    method: 'DELETE',
    path: '/bots/:id',
    name: 'archiveBot',
    tag,
    summary: 'Archive a bot',
    description:
      'The bot stops replying immediately and no longer counts towards your plan. Its versions and conversations are kept. Safe to repeat.',
    permission: 'bot.manage',
    bindings: ['workspace', 'bot'],
    params: contract.BotId,
    response: contract.OneBot,
    handler: (ctx, { params }) => service.archiveBot(ctx, params.id, invalidate),
  }),
  tenantRoute({
    method: 'PATCH',
    path: '/bots/:id/draft',
    name: 'updateBotDraft',
    tag,
    summary: 'Update a bot’s draft',
    description:
      'Fields you leave out keep their value. Send the `revision` your change is based on: 409 `draft_changed` means that someone else changed the draft in the meantime.',
    permission: 'bot.manage',
    bindings: ['workspace', 'bot'],
    params: contract.BotId,
    body: contract.UpdateDraft,
    response: contract.OneBot,
    handler: (ctx, { params, body }) => service.updateDraft(ctx, params.id, body, invalidate),
  }),
  ...versionRoutes(invalidate),
];
