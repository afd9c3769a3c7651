import { operatorRoute } from '../../../platform/http/route.ts';
import type { Platform } from '../../../platform/platform.ts';
import * as contract from './support.contract.ts';
import { listStuck, listUnhealthy } from './support.operator.service.ts';
import * as views from './views.ts';
import * as service from './support.service.ts';

const tag = 'Operator';
const [view, manage] = ['platform.tenant.view', 'platform.tenant.manage'] as const;

/** Endpoints and deliveries of every tenant, for operators. */
export const webhookSupportRoutes = ({ services: { db } }: Pick<Platform, 'services'>) => {
  return [
    operatorRoute({
      method: 'GET',
      path: '/admin/endpoints',
      name: 'listUnhealthyEndpoints',
      tag,
      summary: 'List unhealthy endpoints across tenants',
      permission: view,
      query: contract.ListUnhealthy,
      response: contract.SupportedEndpoints,
      handler: ({ inTenant }, { query }) => listUnhealthy({ db, inTenant }, query),
    }),
    operatorRoute({
      method: 'GET',
      path: '/admin/deliveries',
      name: 'listStuckDeliveries',
      tag,
      summary: 'List queued and failed deliveries across tenants',
      permission: view,
      query: contract.ListStuck,
      response: contract.SupportedDeliveries,
      handler: ({ inTenant }, { query }) => listStuck({ db, inTenant }, query),
    }),
    operatorRoute({
      method: 'GET',
      path: '/admin/tenants/:id/webhooks/:webhookId',
      name: 'inspectEndpoint',
      tag,
      summary: 'Get a tenant’s endpoint and its health',
      permission: view,
      params: contract.EndpointOfTenant,
      response: contract.OneSupportedEndpoint,
      handler: (operator, { params }) =>
        operator.inTenant(params.id, (ctx) => views.getEndpoint(ctx, params.webhookId)),
    }),
    operatorRoute({
      method: 'GET',
      path: '/admin/tenants/:id/webhooks/:webhookId/deliveries',
      name: 'inspectDeliveries',
      tag,
      summary: 'List an endpoint’s deliveries, without their content',
      permission: view,
      params: contract.EndpointOfTenant,
      query: contract.ListSupportedDeliveries,
      response: contract.SupportedDeliveries,
      handler: (operator, { params, query }) =>
        operator.inTenant(params.id, (ctx) => views.listDeliveries(ctx, params.webhookId, query)),
    }),
    operatorRoute({
      method: 'GET',
      path: '/admin/tenants/:id/webhooks/:webhookId/deliveries/:deliveryId',
      name: 'inspectDelivery',
      tag,
      summary: 'Get a delivery’s attempts, without their content',
      permission: view,
      params: contract.DeliveryOfTenant,
      response: contract.OneSupportedDelivery,
      handler: (operator, { params: { id, webhookId, deliveryId } }) =>
        operator.inTenant(id, (ctx) => views.getDelivery(ctx, webhookId, deliveryId)),
    }),
    operatorRoute({
      method: 'POST',
      path: '/admin/tenants/:id/webhooks/:webhookId/deliveries/:deliveryId/replay',
      name: 'replayDeliveryForTenant',
      tag,
      summary: 'Resend a delivery',
      description: 'Sends the same bytes with the same key. The reason is recorded in the tenant’s audit log.',
      permission: manage,
      params: contract.DeliveryOfTenant,
      body: contract.ReplayForTenant,
      status: 201,
      response: contract.ReplayedForTenant,
      handler: (operator, { params: { id, webhookId, deliveryId }, body }) =>
        operator.inTenant(id, (ctx) => service.replayOne(ctx, webhookId, deliveryId, body.reason)),
    }),
    operatorRoute({
      method: 'POST',
      path: '/admin/tenants/:id/webhooks/:webhookId/replay',
      name: 'startReplayForTenant',
      tag,
      summary: 'Replay a tenant’s deliveries',
      description: 'Runs in the background and survives restarts. The reason is recorded in the tenant’s audit log.',
      permission: manage,
      params: contract.EndpointOfTenant,
      body: contract.ReplayRangeForTenant,
      status: 201,
      response: contract.OneSupportedReplay,
      handler: (operator, { params, body }) =>
        operator.inTenant(params.id, (ctx) => service.replayRange(ctx, params.webhookId, body)),
    }),
    operatorRoute({
      method: 'GET',
      path: '/admin/tenants/:id/webhooks/:webhookId/replays/:replayId',
      name: 'inspectReplay',
      tag,
      summary: 'Get a replay’s progress',
      permission: view,
      params: contract.ReplayOfTenant,
      response: contract.OneSupportedReplay,
      handler: (operator, { params: { id, webhookId, replayId } }) =>
        operator.inTenant(id, (ctx) => service.getReplay(ctx, webhookId, replayId)),
    }),
  ];
};
