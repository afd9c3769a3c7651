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
    summary: 'Add a model',
    description: 'The API key is stored encrypted and never shown again.',
    permission: 'integration.manage',
    bindings: [],
    entitlement,
    body: contract.CreateModel,
    status: 201,
    response: contract.OneModel,
    handler: (ctx, { body }) => service.createModel(ctx, body),
  }),
  tenantRoute({
    method: 'GET',
    path: '/models',
    name: 'listModels',
    tag,
    summary: 'List your models',
    permission: 'integration.view',
    bindings: [],
    entitlement,
    query: ListQuery,
    response: contract.Models,
    handler: (ctx, { query }) => service.listModels(ctx, query),
  }),
  tenantRoute({
    method: 'GET',
    path: '/models/:id',
    name: 'getModel',
    tag,
    summary: 'Get a model',
    permission: 'integration.view',
    bindings: [],
    entitlement,
    params: contract.ModelId,
    response: contract.OneModel,
    handler: (ctx, { params }) => service.getModel(ctx, params.id),
  }),
  tenantRoute({
    method: 'PATCH',
    path: '/models/:id',
    name: 'updateModel',
    tag,
    summary: 'Update a model',
    description:
      'When you change the provider or URL, send the API key again, so that a key is never sent to the wrong provider.',
    permission: 'integration.manage',
    bindings: [],
    entitlement,
    params: contract.ModelId,
    body: contract.UpdateModel,
    response: contract.OneModel,
    handler: (ctx, { params, body }) => service.updateModel(ctx, params.id, body),
  }),
  tenantRoute({
    method: 'DELETE',
    path: '/models/:id',
    name: 'deleteModel',
    tag,
    summary: 'Delete a model and its API key',
    description: 'Bots that use it switch to their next model, or quote their knowledge.',
    permission: 'integration.manage',
    bindings: [],
    entitlement,
    params: contract.ModelId,
    response: contract.OneModel,
    handler: (ctx, { params }) => service.deleteModel(ctx, params.id),
  }),
];
