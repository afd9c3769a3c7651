import { tenantRoute } from '../../platform/http/route.ts';
import type { BotStates } from './bot-state.ts';
import * as contract from './bots.contract.ts';
import * as service from './bots.service.ts';
import { versionRoutes } from './versions.routes.ts';

const tag = 'Bots';

export const botRoutes = ({ drop }: BotStates) => [
  tenantRoute({
    method: 'POST',
    path: '/bots',
    name: 'createBot',
    tag,
    summary: 'Create a bot',
    description: 'It answers nobody before a version of it is published and deployed.',
    permission: 'bot.manage',
    body: contract.CreateBot,
    status: 201,
    answer: contract.OneBot,
    handler: (ctx, { body }) => service.createBot(ctx, body, drop),
  }),
  tenantRoute({
    method: 'GET',
    path: '/bots',
    name: 'listBots',
    tag,
    summary: 'List bots',
    permission: 'bot.view',
    query: contract.ListBots,
    answer: contract.Bots,
    handler: (ctx, { query }) => service.listBots(ctx, query),
  }),
  tenantRoute({
    method: 'GET',
    path: '/bots/:id',
    name: 'getBot',
    tag,
    summary: 'Read a bot',
    permission: 'bot.view',
    params: contract.BotId,
    answer: contract.OneBot,
    handler: (ctx, { params }) => service.getBot(ctx, params.id),
  }),
  tenantRoute({
    method: 'PATCH',
    path: '/bots/:id',
    name: 'updateBot',
    tag,
    summary: 'Change what a bot is called, where it may appear, and what it may spend',
    description: 'Acts at once. What it says is in its draft.',
    permission: 'bot.manage',
    params: contract.BotId,
    body: contract.UpdateBot,
    answer: contract.OneBot,
    handler: (ctx, { params, body }) => service.updateBot(ctx, params.id, body, drop),
  }),
  tenantRoute({
    method: 'DELETE',
    path: '/bots/:id',
    name: 'archiveBot',
    tag,
    summary: 'Archive a bot',
    description:
      'It stops answering at once and no longer counts for your plan. Its versions and conversations stay. Repeating it changes nothing.',
    permission: 'bot.manage',
    params: contract.BotId,
    answer: contract.OneBot,
    handler: (ctx, { params }) => service.archiveBot(ctx, params.id, drop),
  }),
  tenantRoute({
    method: 'PATCH',
    path: '/bots/:id/draft',
    name: 'updateBotDraft',
    tag,
    summary: 'Change the draft of a bot',
    description:
      'What you leave out stays. Send the `revision` your change was made on: 409 `draft_changed` says that somebody was faster.',
    permission: 'bot.manage',
    params: contract.BotId,
    body: contract.UpdateDraft,
    answer: contract.OneBot,
    handler: (ctx, { params, body }) => service.updateDraft(ctx, params.id, body, drop),
  }),
  ...versionRoutes(drop),
];
