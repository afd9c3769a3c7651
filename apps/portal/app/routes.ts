import { index, layout, prefix, route, type RouteConfig } from '@react-router/dev/routes';

export default [
  route('sign-in', 'pages/sign-in.tsx'),
  route('sign-up', 'pages/sign-up.tsx'),
  route('impersonation', 'pages/impersonation.tsx'),
  route('invitation', 'pages/invitation.tsx'),
  route('two-factor', 'pages/two-factor.tsx'),
  layout('pages/layout.tsx', [
    index('pages/home.tsx'),
    route('setup', 'pages/setup/setup.tsx'),
    route('bots', 'pages/bots/bots.tsx'),
    route('bots/:botId', 'pages/bots/bot.tsx', [
      index('pages/bots/build.tsx'),
      route('knowledge', 'pages/bots/knowledge.tsx'),
      route('knowledge/:sourceId', 'pages/bots/source.tsx'),
      route('actions', 'pages/bots/actions/actions.tsx'),
      route('actions/:actionId', 'pages/bots/actions/editor.tsx'),
      route('appearance', 'pages/bots/appearance.tsx'),
      route('versions', 'pages/bots/versions.tsx'),
      route('settings', 'pages/bots/settings.tsx'),
    ]),
    route('conversations', 'pages/conversations/conversations.tsx', [
      index('pages/conversations/none.tsx'),
      route(':conversationId', 'pages/conversations/conversation.tsx'),
    ]),
    route('insights', 'pages/insights/insights.tsx'),
    route('developers', 'pages/developers/developers.tsx', [
      index('pages/developers/start.tsx'),
      route('keys', 'pages/developers/keys.tsx'),
      route('webhooks', 'pages/developers/webhooks.tsx'),
      route('webhooks/:webhookId', 'pages/developers/webhook.tsx'),
      route('webhooks/:webhookId/deliveries/:deliveryId', 'pages/developers/delivery.tsx'),
      route('events', 'pages/developers/events.tsx'),
      route('runs', 'pages/developers/runs/runs.tsx'),
      route('runs/:runId', 'pages/developers/runs/run.tsx'),
    ]),
    route('organisation', 'pages/organisation/organisation.tsx', [
      index('pages/organisation/members.tsx'),
      route('workspaces', 'pages/organisation/workspaces.tsx'),
      route('plan', 'pages/organisation/plan.tsx'),
      route('audit', 'pages/organisation/audit.tsx'),
      route('settings', 'pages/organisation/settings.tsx'),
    ]),
    route('profile', 'pages/profile/profile.tsx'),
  ]),
  route('*', 'pages/missing.tsx'),
  ...prefix('download', [route('insights.csv', 'pages/insights/csv.ts')]),
] satisfies RouteConfig;
