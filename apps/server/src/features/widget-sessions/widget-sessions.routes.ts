import { callerRoute, publicRoute, tenantRoute } from '../../platform/http/route.ts';
import { BotId } from '../bots/bots.contract.ts';
import { installsOf } from './installs.ts';
import * as contract from './widget-sessions.contract.ts';
import type { Sessions } from './widget-sessions.service.ts';

const tag = 'Widget';

export const widgetSessionRoutes = (sessions: Sessions) => [
  publicRoute({
    method: 'POST',
    path: '/widget/sessions/anonymous',
    name: 'openAnonymousSession',
    tag,
    summary: 'Open an anonymous session',
    description:
      'For browsers: requires an `Origin` that the bot allows. Stores nothing, so a page view leaves no trace. History is restored only with the `visitorToken` of an earlier session.',
    permission: 'public',
    body: contract.OpenAnonymous,
    response: contract.AnonymousSession,
    handler: ({ body }, requestInfo) => sessions.anonymous(body, requestInfo),
  }),
  callerRoute({
    method: 'POST',
    path: '/widget/sessions/authenticated',
    name: 'openAuthenticatedSession',
    tag,
    summary: 'Open a session for a signed-in user',
    description: 'For your backend, with a server key. Pass the token to your page, never the key.',
    permission: 'session.create',
    body: contract.OpenAuthenticated,
    response: contract.AuthenticatedSession,
    handler: (caller, { body }) => sessions.authenticated(caller, body),
  }),
  publicRoute({
    method: 'POST',
    path: '/widget/sessions/refresh',
    name: 'refreshWidgetSession',
    tag,
    summary: 'Refresh a session',
    description:
      'Possible for up to twelve hours after it was opened, as long as the credentials it was opened with are still valid.',
    permission: 'public',
    limit: { name: 'widget-refreshes', points: 60, seconds: 60 },
    body: contract.RefreshSession,
    response: contract.RenewedSession,
    handler: ({ body }, requestInfo) => sessions.refresh(body.sessionToken, requestInfo),
  }),
  tenantRoute({
    method: 'POST',
    path: '/bots/:id/try',
    name: 'tryBot',
    tag: 'Bots',
    summary: 'Open a preview session with the draft',
    description: 'Works like the chat on a page, in the test environment, and is excluded from lists and statistics.',
    permission: 'bot.manage',
    bindings: ['workspace', 'bot'],
    params: BotId,
    response: contract.TrySession,
    handler: (ctx, { params }) => sessions.preview(ctx, params.id),
  }),
  tenantRoute({
    method: 'GET',
    path: '/bots/:id/installs',
    name: 'listBotInstalls',
    tag: 'Bots',
    summary: 'List the websites a bot is installed on',
    description: 'Their origins, up to 50, a few seconds after the first view. Nothing is stored about visitors.',
    permission: 'bot.view',
    bindings: ['workspace', 'bot'],
    params: BotId,
    response: contract.Installs,
    handler: (ctx, { params }) => installsOf(ctx, params.id),
  }),
];
