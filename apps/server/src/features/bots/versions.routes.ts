import { tenantRoute } from '../../platform/http/route.ts';
import { ListQuery } from '../../platform/lists.contract.ts';
import * as contract from './bots.contract.ts';
import type { InvalidateBot } from './bots.service.ts';
import * as service from './versions.service.ts';

const tag = 'Bots';

export const versionRoutes = (invalidate: InvalidateBot) => [
  tenantRoute({
    method: 'POST',
    path: '/bots/:id/versions',
    name: 'publishBot',
    tag,
    summary: 'Publish the draft as a new version',
    description:
      'Freezes the draft and its enabled knowledge sources. Versions never change. Deploy the version to make it live.',
    permission: 'bot.manage',
    bindings: ['workspace', 'bot'],
    params: contract.BotId,
    body: contract.PublishBot,
    status: 201,
    response: contract.OneBotVersion,
    handler: (ctx, { params, body }) => service.publishBot(ctx, params.id, body.notes, invalidate),
  }),
  tenantRoute({
    method: 'GET',
    path: '/bots/:id/versions',
    name: 'listBotVersions',
    tag,
    summary: 'List a bot’s versions',
    description: 'Newest first, without their content.',
    permission: 'bot.view',
    bindings: ['workspace', 'bot', 'environment'],
    params: contract.BotId,
    query: ListQuery,
    response: contract.BotVersions,
    handler: (ctx, { params, query }) => service.listVersions(ctx, params.id, query),
  }),
  tenantRoute({
    method: 'GET',
    path: '/bots/:id/versions/:versionId',
    name: 'getBotVersion',
    tag,
    summary: 'Get a version with its content',
    permission: 'bot.view',
    bindings: ['workspace', 'bot', 'environment'],
    params: contract.BotVersionId,
    response: contract.OneBotVersion,
    handler: (ctx, { params }) => service.getVersion(ctx, params.id, params.versionId),
  }),
  tenantRoute({
    method: 'GET',
    path: '/bots/:id/versions/:versionId/diff/:otherId',
    name: 'diffBotVersions',
    tag,
    summary: 'Compare two versions',
    description: '`before` is from `versionId`, `after` from `otherId`.',
    permission: 'bot.view',
    bindings: ['workspace', 'bot', 'environment'],
    params: contract.VersionDiffParams,
    response: contract.VersionDiff,
    handler: (ctx, { params }) => service.diffVersions(ctx, params.id, params.versionId, params.otherId),
  }),
  tenantRoute({
    method: 'POST',
    path: '/bots/:id/deployments',
    name: 'deployBot',
    tag,
    summary: 'Deploy a version or roll back',
    description:
      'New conversations use it within a second, on every server; open ones stay on their version. Safe to repeat.',
    permission: 'bot.manage',
    bindings: ['workspace', 'bot', 'environment'],
    params: contract.BotId,
    body: contract.DeployBot,
    response: contract.OneBotDeployment,
    handler: (ctx, { params, body }) => service.deployBot(ctx, params.id, body, invalidate),
  }),
];
