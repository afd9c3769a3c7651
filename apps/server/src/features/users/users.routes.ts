import { z } from 'zod';
import { Permission } from '../../platform/access.contract.ts';
import { callerRoute } from '../../platform/http/route.ts';
import { idOf } from '../../platform/ids.contract.ts';
import { EntitlementSet } from '../entitlements/entitlements.contract.ts';
import type { KnownTenant, TenantStates } from '../tenants/index.ts';

const Me = z
  .object({
    tenantId: idOf('tenant'),
    actor: z.object({ type: z.enum(['user', 'api_key', 'operator']), id: z.string() }),
    userId: idOf('user').nullable().describe('null when a server key asks.'),
    email: z.string().nullable(),
    name: z.string().nullable(),
    roles: z.array(z.string()),
    permissions: z.array(Permission),
    mfaEnabled: z.boolean().nullable().describe('null where another issuer, or a key, is asked.'),
    entitlements: EntitlementSet.describe(
      'What your plan includes. A permission without its entitlement opens nothing.',
    ),
  })
  .meta({ id: 'Me' });
type Me = z.infer<typeof Me>;

/** Who am I, as this credential? Answered from what is known: no transaction, so it is also the cheapest call there is. */
export const meRoutes = (states: TenantStates) => [
  callerRoute({
    method: 'GET',
    path: '/me',
    name: 'getMe',
    tag: 'Identity',
    summary: 'Read who you are and what you may do',
    permission: 'any',
    answer: Me,
    handler: ({ tenantId, actor, permissions, profile, session }) => {
      const answer = ({ entitlements }: KnownTenant): Me => ({
        tenantId,
        actor: actor as Me['actor'],
        userId: (session?.userId ?? null) as Me['userId'],
        email: profile?.email ?? null,
        name: profile?.name ?? null,
        roles: [...(profile?.roles ?? [])],
        permissions: [...permissions],
        mfaEnabled: session?.isProtected ?? null,
        entitlements,
      });
      const known = states.of(tenantId);
      return known instanceof Promise ? known.then(answer) : answer(known);
    },
  }),
];
