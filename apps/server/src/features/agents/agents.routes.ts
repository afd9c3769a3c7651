import type { Context } from '../../platform/context.ts';
import { tenantRoute } from '../../platform/http/route.ts';
import * as contract from './agents.contract.ts';
import * as service from './agents.service.ts';

const tag = 'Agents';

export const agentPresenceRoutes = (onDigest: (ctx: Context) => Promise<void>) => [
  tenantRoute({
    method: 'GET',
    path: '/agents',
    name: 'listAgents',
    tag,
    summary: 'List agents',
    description: 'Members who can reply to visitors, with their presence and teams.',
    permission: 'conversation.assign',
    bindings: [],
    response: contract.Agents,
    handler: (ctx) => service.listAgents(ctx),
  }),
  tenantRoute({
    method: 'PUT',
    path: '/me/presence',
    name: 'setPresence',
    tag,
    summary: 'Set your presence',
    description:
      'Available agents get new conversations where these are assigned automatically. Without a heartbeat, you count as away after five minutes.',
    permission: 'conversation.reply',
    bindings: [],
    body: contract.SetPresence,
    response: contract.OnePresence,
    handler: (ctx, { body }) => service.setPresence(ctx, body.status),
  }),
  tenantRoute({
    method: 'POST',
    path: '/me/presence/heartbeat',
    name: 'sendHeartbeat',
    tag,
    summary: 'Say that you are still there',
    description:
      'The portal sends it every minute while it is used. If you chose to be available, you stay available for five more minutes, or are available again. No event is published when you count as away without a heartbeat.',
    permission: 'conversation.reply',
    bindings: [],
    response: contract.OnePresence,
    handler: (ctx) => service.setPresence(ctx),
  }),
  tenantRoute({
    method: 'GET',
    path: '/me/notifications',
    name: 'getNotifications',
    tag,
    summary: 'Get your notification settings',
    permission: 'conversation.reply',
    bindings: [],
    response: contract.OneNotificationSettings,
    handler: (ctx) => service.getNotifications(ctx),
  }),
  tenantRoute({
    method: 'PUT',
    path: '/me/notifications',
    name: 'setNotifications',
    tag,
    summary: 'Change your notification settings',
    permission: 'conversation.reply',
    bindings: [],
    body: contract.NotificationSettings,
    response: contract.OneNotificationSettings,
    handler: (ctx, { body }) => service.setNotifications(ctx, body, onDigest),
  }),
];
