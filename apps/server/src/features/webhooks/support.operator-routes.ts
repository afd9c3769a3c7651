import { operatorRoute } from '../../platform/http/route.ts';
import type { Platform } from '../../platform/platform.ts';
import * as contract from './support.contract.ts';
import { listStuck, listUnhealthy } from './support.operator.service.ts';
import * as reading from './support-reading.ts';
import * as service from './support.service.ts';
import { wakerOf } from './waking.ts';

const tag = 'Operator';
const [view, manage] = ['platform.tenant.view', 'platform.tenant.manage'] as const;

/** Endpoints and deliveries of every tenant, for those who help. */
export const webhookSupportRoutes = ({
  services: { db },
  engine,
  log,
}: Pick<Platform, 'services' | 'engine' | 'log'>) => {
  const wake = wakerOf(engine, log);
  return [
    operatorRoute({
      method: 'GET',
      path: '/admin/endpoints',
      name: 'listUnhealthyEndpoints',
      tag,
      summary: 'List unhealthy endpoints across tenants',
      permission: view,
      query: contract.ListUnhealthy,
      answer: contract.SupportedEndpoints,
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
      answer: contract.SupportedDeliveries,
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
      answer: contract.OneSupportedEndpoint,
      handler: (desk, { params }) => desk.inTenant(params.id, (ctx) => reading.getEndpoint(ctx, params.webhookId)),
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
      answer: contract.SupportedDeliveries,
      handler: (desk, { params, query }) =>
        desk.inTenant(params.id, (ctx) => reading.listDeliveries(ctx, params.webhookId, query)),
    }),
    operatorRoute({
      method: 'GET',
      path: '/admin/tenants/:id/webhooks/:webhookId/deliveries/:deliveryId',
      name: 'inspectDelivery',
      tag,
      summary: 'Get a delivery’s attempts, without their content',
      permission: view,
      params: contract.DeliveryOfTenant,
      answer: contract.OneSupportedDelivery,
      handler: (desk, { params: { id, webhookId, deliveryId } }) =>
        desk.inTenant(id, (ctx) => reading.getDelivery(ctx, webhookId, deliveryId)),
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
      answer: contract.ReplayedForTenant,
      handler: (desk, { params: { id, webhookId, deliveryId }, body }) =>
        desk.inTenant(id, (ctx) => service.replayOne(ctx, webhookId, deliveryId, body.reason, wake)),
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
      answer: contract.OneSupportedReplay,
      handler: (desk, { params, body }) =>
        desk.inTenant(params.id, (ctx) => service.replayRange(ctx, params.webhookId, body)),
    }),
    operatorRoute({
      method: 'GET',
      path: '/admin/tenants/:id/webhooks/:webhookId/replays/:replayId',
      name: 'inspectReplay',
      tag,
      summary: 'Get a replay’s progress',
      permission: view,
      params: contract.ReplayOfTenant,
      answer: contract.OneSupportedReplay,
      handler: (desk, { params: { id, webhookId, replayId } }) =>
        desk.inTenant(id, (ctx) => service.getReplay(ctx, webhookId, replayId)),
    }),
  ];
};
