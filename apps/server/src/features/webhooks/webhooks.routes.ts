import { outsideRoute, signedRoute, tenantRoute } from '../../platform/http/route.ts';
import type { GuardParts } from '../../platform/http/guard.ts';
import type { Platform } from '../../platform/platform.ts';
import { EgressRefused } from '../../platform/safe-fetch.ts';
import { eventTypes, EventTypes, knownPatterns } from './catalogue.ts';
import * as log from './deliveries.contract.ts';
import * as deliveries from './deliveries.service.ts';
import { InboundAnswer, inboundBody, receive, type Commands } from './inbound.ts';
import { Heard, Listen } from './listening.contract.ts';
import { listen } from './listening.ts';
import { testWebhook } from './testing.ts';
import * as contract from './webhooks.contract.ts';
import { wakeEndpoint } from './webhooks.reactions.ts';
import * as service from './webhooks.service.ts';

const tag = 'Webhooks';
const entitlement = 'webhooks';
const [view, manage] = ['webhook.view', 'webhook.manage'] as const;
const limit = { name: 'webhook-changes', points: 120, seconds: 60 };

interface Parts extends Pick<Platform, 'ground' | 'engine' | 'tenantFetch' | 'log'> {
  tenantState: GuardParts['tenantState'];
  commands: Commands;
}

export const webhookRoutes = ({ ground, engine, tenantFetch, log: logger, tenantState, commands }: Parts) => {
  const wake: service.Wake = ({ tenantId }, webhookId) =>
    void wakeEndpoint(engine, tenantId, webhookId).catch((error: unknown) =>
      logger.warn({ err: error, tenantId, webhookId }, 'an endpoint could not be woken; the sweeper does it'),
    );
  const check: service.CheckUrl = (url) => {
    try {
      tenantFetch.check(url);
    } catch (error) {
      if (error instanceof EgressRefused) throw service.refuseUrl(error.message);
      throw error;
    }
  };
  const known = knownPatterns(); // by now every feature has said what it emits
  return [
    tenantRoute({
      method: 'POST',
      path: '/webhooks',
      name: 'createWebhook',
      tag,
      summary: 'Register an endpoint',
      description: 'The secret is in this answer and in no other.',
      permission: manage,
      entitlement,
      limit,
      showsSecret: true,
      body: contract.createWebhookOf(known),
      status: 201,
      answer: contract.CreatedWebhook,
      handler: (ctx, { body }) => service.createWebhook(ctx, body, check),
    }),
    tenantRoute({
      method: 'GET',
      path: '/webhooks',
      name: 'listWebhooks',
      tag,
      summary: 'List endpoints, and how they do',
      permission: view,
      entitlement,
      query: contract.ListWebhooks,
      answer: contract.Webhooks,
      handler: (ctx, { query }) => service.listWebhooks(ctx, query),
    }),
    tenantRoute({
      method: 'GET',
      path: '/webhooks/:webhookId',
      name: 'getWebhook',
      tag,
      summary: 'Read an endpoint',
      permission: view,
      entitlement,
      params: contract.WebhookId,
      answer: contract.OneWebhook,
      handler: (ctx, { params }) => service.getWebhook(ctx, params.webhookId),
    }),
    tenantRoute({
      method: 'PATCH',
      path: '/webhooks/:webhookId',
      name: 'updateWebhook',
      tag,
      summary: 'Change an endpoint',
      description: 'What waits is delivered as the endpoint is then: a corrected address counts for retries too.',
      permission: manage,
      entitlement,
      limit,
      params: contract.WebhookId,
      body: contract.updateWebhookOf(known),
      answer: contract.OneWebhook,
      handler: (ctx, { params, body }) => service.updateWebhook(ctx, params.webhookId, body, { check, wake }),
    }),
    tenantRoute({
      method: 'DELETE',
      path: '/webhooks/:webhookId',
      name: 'deleteWebhook',
      tag,
      summary: 'Remove an endpoint, and what waits for it',
      permission: manage,
      entitlement,
      params: contract.WebhookId,
      answer: contract.OneWebhook,
      handler: (ctx, { params }) => service.deleteWebhook(ctx, params.webhookId),
    }),
    tenantRoute({
      method: 'POST',
      path: '/webhooks/:webhookId/rotate-secret',
      name: 'rotateWebhookSecret',
      tag,
      summary: 'Give an endpoint a new secret',
      description: 'For `overlapSeconds` each call carries a signature of both.',
      permission: manage,
      entitlement,
      limit,
      showsSecret: true,
      params: contract.WebhookId,
      body: contract.RotateSecret,
      answer: contract.RotatedSecret,
      handler: (ctx, { params, body }) => service.rotateSecret(ctx, params.webhookId, body),
    }),
    tenantRoute({
      method: 'POST',
      path: '/webhooks/:webhookId/inbound-secret',
      name: 'makeInboundSecret',
      tag,
      summary: 'Make the secret for calls to us, or replace it',
      description: 'Another one than for calls to you, so that none of those can be sent back. The old one ends now.',
      permission: manage,
      entitlement,
      limit,
      showsSecret: true,
      params: contract.WebhookId,
      answer: contract.CreatedWebhook,
      handler: (ctx, { params }) => service.makeInboundSecret(ctx, params.webhookId),
    }),
    tenantRoute({
      method: 'POST',
      path: '/webhooks/:webhookId/pause',
      name: 'pauseWebhook',
      tag,
      summary: 'Hold what comes for an endpoint',
      description: 'Nothing is dropped: it is held for 30 days, and delivered after `resume`.',
      permission: manage,
      entitlement,
      params: contract.WebhookId,
      answer: contract.OneWebhook,
      handler: (ctx, { params }) => service.pauseWebhook(ctx, params.webhookId),
    }),
    tenantRoute({
      method: 'POST',
      path: '/webhooks/:webhookId/resume',
      name: 'resumeWebhook',
      tag,
      summary: 'Deliver again, and what was held first',
      description: 'Also for an endpoint that is broken or was disabled.',
      permission: manage,
      entitlement,
      params: contract.WebhookId,
      answer: contract.OneWebhook,
      handler: (ctx, { params }) => service.resumeWebhook(ctx, params.webhookId, wake),
    }),
    outsideRoute({
      method: 'POST',
      path: '/webhooks/:webhookId/test',
      name: 'testWebhook',
      tag,
      summary: 'Call an endpoint now, and see what happens',
      description: 'A real, signed call with `test: true`, whatever its state and filters. It counts for nothing.',
      permission: manage,
      entitlement,
      limit: { name: 'webhook-tests', points: 10, seconds: 60 },
      params: contract.WebhookId,
      body: log.testWebhookOf(known.filter((pattern) => !pattern.endsWith('*'))),
      answer: log.TestedWebhook,
      handler: (desk, { params, body }) => testWebhook(desk, tenantFetch, params.webhookId, body),
    }),
    outsideRoute({
      method: 'POST',
      path: '/webhooks/:webhookId/listen',
      name: 'listenToWebhook',
      tag,
      summary: 'Fetch what a paused endpoint would be sent',
      description:
        'For `parley listen`: says what became of the last call, and waits for the next. Events come oldest first, one at a time; one that was not answered comes again.',
      permission: manage,
      entitlement,
      limit: { name: 'webhook-listening', points: 6_000, seconds: 60 },
      params: contract.WebhookId,
      body: Listen,
      answer: Heard,
      handler: (desk, { params, body }) => listen(desk, params.webhookId, body),
    }),
    tenantRoute({
      method: 'GET',
      path: '/webhooks/:webhookId/deliveries',
      name: 'listWebhookDeliveries',
      tag,
      summary: 'The log of an endpoint',
      permission: view,
      entitlement,
      params: contract.WebhookId,
      query: log.ListDeliveries,
      answer: log.Deliveries,
      handler: (ctx, { params, query }) => deliveries.listDeliveries(ctx, params.webhookId, query),
    }),
    tenantRoute({
      method: 'GET',
      path: '/webhooks/:webhookId/deliveries/:deliveryId',
      name: 'getWebhookDelivery',
      tag,
      summary: 'Every attempt of a delivery',
      permission: view,
      entitlement,
      params: log.DeliveryId,
      answer: log.OneDelivery,
      handler: (ctx, { params }) => deliveries.getDelivery(ctx, params.webhookId, params.deliveryId),
    }),
    tenantRoute({
      method: 'POST',
      path: '/webhooks/:webhookId/deliveries/:deliveryId/replay',
      name: 'replayWebhookDelivery',
      tag,
      summary: 'Deliver the same event once more',
      description: 'With the same bytes and the same key.',
      permission: manage,
      entitlement,
      limit,
      params: log.DeliveryId,
      status: 201,
      answer: log.ReplayedDelivery,
      handler: (ctx, { params }) => deliveries.replayDelivery(ctx, params.webhookId, params.deliveryId, wake),
    }),
    tenantRoute({
      method: 'POST',
      path: '/webhooks/:webhookId/replay',
      name: 'startWebhookReplay',
      tag,
      summary: 'Deliver a range of the log once more',
      description: 'Works on by itself, whatever restarts: see how far it is with the id.',
      permission: manage,
      entitlement,
      limit,
      params: contract.WebhookId,
      body: log.StartReplay,
      status: 201,
      answer: log.OneReplay,
      handler: (ctx, { params, body }) => deliveries.startReplay(ctx, params.webhookId, body),
    }),
    tenantRoute({
      method: 'GET',
      path: '/webhooks/:webhookId/replays/:replayId',
      name: 'getWebhookReplay',
      tag,
      summary: 'How far a replay is',
      permission: view,
      entitlement,
      params: log.ReplayId,
      answer: log.OneReplay,
      handler: (ctx, { params }) => deliveries.getReplay(ctx, params.webhookId, params.replayId),
    }),
    tenantRoute({
      method: 'POST',
      path: '/webhooks/:webhookId/replays/:replayId/cancel',
      name: 'cancelWebhookReplay',
      tag,
      summary: 'Put no more of a replay into the queue',
      permission: manage,
      entitlement,
      params: log.ReplayId,
      answer: log.OneReplay,
      handler: (ctx, { params }) => deliveries.cancelReplay(ctx, params.webhookId, params.replayId),
    }),
    tenantRoute({
      method: 'GET',
      path: '/events',
      name: 'listEvents',
      tag,
      summary: 'What happened, oldest first',
      description: 'For whoever asks instead of being told. Kept for 30 days.',
      permission: view,
      entitlement,
      query: log.ListEvents,
      answer: log.Events,
      handler: (ctx, { query }) => deliveries.feed(ctx, query),
    }),
    tenantRoute({
      method: 'GET',
      path: '/webhook-event-types',
      name: 'listWebhookEventTypes',
      tag,
      summary: 'What an endpoint can be told of',
      permission: view,
      answer: EventTypes,
      handler: async () => eventTypes(),
    }),
    signedRoute({
      method: 'POST',
      path: '/webhooks/inbound',
      name: 'receiveWebhook',
      tag,
      summary: 'A signed call from your system to us',
      description:
        'Signed as our calls to you are, with the inbound secret: `X-Service-Signature`, `X-Service-Timestamp`, `X-Service-Tenant-Id`, `X-Service-Webhook-Id`, `Idempotency-Key`.',
      permission: 'public',
      limit: { name: 'webhook-inbound', points: 600, seconds: 60 },
      body: inboundBody(commands),
      answer: InboundAnswer,
      handler: receive({ ground, tenantState, commands }),
    }),
  ];
};
