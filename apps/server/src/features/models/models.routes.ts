import { tenantRoute } from '../../platform/http/route.ts';
import { ListQuery } from '../../platform/lists.contract.ts';
import * as contract from './models.contract.ts';
import * as service from './models.service.ts';

const tag = 'Models';
const entitlement = 'custom_model';

export const modelRoutes = [
  tenantRoute({
    method: 'POST',
    path: '/models',
    name: 'createModel',
    tag,
    summary: 'Add a model of your own',
    description: 'Its key is kept sealed and never shown again.',
    permission: 'bot.manage',
    entitlement,
    body: contract.CreateModel,
    status: 201,
    answer: contract.OneModel,
    handler: (ctx, { body }) => service.createModel(ctx, body),
  }),
  tenantRoute({
    method: 'GET',
    path: '/models',
    name: 'listModels',
    tag,
    summary: 'List your models',
    permission: 'bot.view',
    entitlement,
    query: ListQuery,
    answer: contract.Models,
    handler: (ctx, { query }) => service.listModels(ctx, query),
  }),
  tenantRoute({
    method: 'GET',
    path: '/models/:id',
    name: 'getModel',
    tag,
    summary: 'Read a model',
    permission: 'bot.view',
    entitlement,
    params: contract.ModelId,
    answer: contract.OneModel,
    handler: (ctx, { params }) => service.getModel(ctx, params.id),
  }),
  tenantRoute({
    method: 'PATCH',
    path: '/models/:id',
    name: 'updateModel',
    tag,
    summary: 'Change a model',
    description:
      'Another provider or address needs the key again, so that no key is sent to where it was not meant for.',
    permission: 'bot.manage',
    entitlement,
    params: contract.ModelId,
    body: contract.UpdateModel,
    answer: contract.OneModel,
    handler: (ctx, { params, body }) => service.updateModel(ctx, params.id, body),
  }),
  tenantRoute({
    method: 'DELETE',
    path: '/models/:id',
    name: 'deleteModel',
    tag,
    summary: 'Delete a model and its key',
    description: 'Bots that name it go on with their next model, or quote their knowledge.',
    permission: 'bot.manage',
    entitlement,
    params: contract.ModelId,
    answer: contract.OneModel,
    handler: (ctx, { params }) => service.deleteModel(ctx, params.id),
  }),
];
