import { index, layout, route, type RouteConfig } from '@react-router/dev/routes';

export default [
  route('sign-in', 'pages/sign-in.tsx'),
  layout('pages/layout.tsx', [
    index('pages/home.tsx'),
    // tenants
    route('tenants', 'pages/tenants/tenants.tsx'),
    route('tenants/:tenantId', 'pages/tenants/tenant.tsx', [
      index('pages/tenants/overview.tsx'),
      route('plan', 'pages/tenants/plan.tsx'),
      route('health', 'pages/tenants/health.tsx'),
      route('usage', 'pages/tenants/usage.tsx'),
      route('audit', 'pages/tenants/audit.tsx'),
      route('danger', 'pages/tenants/danger.tsx'),
    ]),
    // suspension and erasure
    route('erasures', 'pages/erasures/erasures.tsx'),
    // operations
    route('operations', 'pages/operations/operations.tsx', [
      index('pages/operations/system.tsx'),
      route('invocations', 'pages/operations/invocations.tsx'),
      route('jobs', 'pages/operations/jobs.tsx'),
      route('rate-limit-usage', 'pages/operations/rate-limit-usage.tsx'),
      route('busiest-tenants', 'pages/operations/busiest-tenants.tsx'),
    ]),
    // support, deliveries, people
    route('deliveries', 'pages/deliveries/deliveries.tsx', [
      index('pages/deliveries/endpoints.tsx'),
      route('held', 'pages/deliveries/stuck.tsx', { id: 'deliveries-held' }),
      route('exhausted', 'pages/deliveries/stuck.tsx', { id: 'deliveries-exhausted' }),
    ]),
    route('deliveries/:tenantId/:webhookId', 'pages/deliveries/endpoint.tsx'),
    route('deliveries/:tenantId/:webhookId/:deliveryId', 'pages/deliveries/delivery.tsx'),
    route('users', 'pages/users/users.tsx'),
    route('users/:pool/:userId', 'pages/users/user.tsx'),
    // keys, audit, announcements
    route('keys', 'pages/keys/keys.tsx'),
    route('announcements', 'pages/announcements/announcements.tsx'),
    route('audit', 'pages/audit/tenants.tsx'),
    route('audit/pools', 'pages/audit/pools.tsx'),
    // profile
    route('profile', 'pages/profile.tsx'),
  ]),
  route('*', 'pages/missing.tsx'),
] satisfies RouteConfig;
