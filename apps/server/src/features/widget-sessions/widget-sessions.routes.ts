import { callerRoute, publicRoute, tenantRoute } from '../../platform/http/route.ts';
import { BotId } from '../bots/bots.contract.ts';
import { sightingsOf } from './sightings.ts';
import * as contract from './widget-sessions.contract.ts';
import type { Sessions } from './widget-sessions.service.ts';

const tag = 'Widget';

export const widgetSessionRoutes = (sessions: Sessions) => [
  publicRoute({
    method: 'POST',
    path: '/widget/sessions/anonymous',
    name: 'openAnonymousSession',
    tag,
    summary: 'Open a session for somebody at your page',
    description:
      'For browsers: needs an `Origin` that the bot allows. Writes nothing, so a page view leaves no trace. History comes back only with the `visitorToken` of an earlier session.',
    permission: 'public',
    body: contract.OpenAnonymous,
    answer: contract.AnonymousSession,
    handler: ({ body }, from) => sessions.anonymous(body, from),
  }),
  callerRoute({
    method: 'POST',
    path: '/widget/sessions/authenticated',
    name: 'openAuthenticatedSession',
    tag,
    summary: 'Open a session for a user of yours',
    description: 'For your backend, with a server key. Hand the token to your page; never the key.',
    permission: 'any',
    body: contract.OpenAuthenticated,
    answer: contract.AuthenticatedSession,
    handler: (caller, { body }) => sessions.authenticated(caller, body),
  }),
  publicRoute({
    method: 'POST',
    path: '/widget/sessions/refresh',
    name: 'refreshWidgetSession',
    tag,
    summary: 'Renew a session before it ends',
    description: 'For up to twelve hours after it was opened, and for as long as what opened it is good.',
    permission: 'public',
    limit: { name: 'widget-refreshes', points: 60, seconds: 60 },
    body: contract.RefreshSession,
    answer: contract.RenewedSession,
    handler: ({ body }, from) => sessions.refresh(body.sessionToken, from),
  }),
  tenantRoute({
    method: 'POST',
    path: '/bots/:id/try',
    name: 'tryBot',
    tag: 'Bots',
    summary: 'Open a session with the draft as it is now',
    description: 'The same chat as on a page, in the test environment, and kept out of lists and figures.',
    permission: 'bot.manage',
    params: BotId,
    answer: contract.TrySession,
    handler: (ctx, { params }) => sessions.toTry(ctx, params.id),
  }),
  tenantRoute({
    method: 'GET',
    path: '/bots/:id/sightings',
    name: 'listBotSightings',
    tag: 'Bots',
    summary: 'List the pages on which a bot was seen',
    description: 'Their origins, the first 50, a few seconds after the first view. Nothing is kept of who was there.',
    permission: 'bot.view',
    params: BotId,
    answer: contract.Sightings,
    handler: (ctx, { params }) => sightingsOf(ctx, params.id),
  }),
];
