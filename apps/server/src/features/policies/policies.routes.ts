import { tenantRoute, type Route } from '../../platform/http/route.ts';
import * as contract from './policies.contract.ts';
import * as service from './policies.service.ts';

const common = { path: '/tenant/policies', longPath: '/policies', tag: 'Tenant', bindings: [] } as const;

export const policyRoutes = (invalidate: service.InvalidateTenant): Route[] => [
  tenantRoute({
    ...common,
    method: 'GET',
    name: 'getPolicies',
    summary: 'Read the security policies of your tenant',
    permission: 'member.view',
    response: contract.PoliciesOfTenant,
    handler: (ctx, _input, { ip }) => service.readPolicies(ctx, ip),
  }),
  tenantRoute({
    ...common,
    method: 'PATCH',
    name: 'changePolicies',
    summary: 'Change the security policies of your tenant',
    description:
      'What you leave out stays as it is. A change takes effect within five seconds, also for open streams. It is refused if it would lock you out.',
    permission: 'policy.manage',
    stepUp: true,
    body: contract.ChangePolicies,
    response: contract.PoliciesOfTenant,
    handler: (ctx, { body }, { ip }) => service.changePolicies(ctx, body, ip, invalidate),
  }),
];
