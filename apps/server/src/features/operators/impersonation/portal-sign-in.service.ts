import { inTenant, type Caller, type Context, type RequestInfo, type Services } from '../../../platform/context.ts';
import { conflict, forbidden, orNotFound } from '../../../platform/errors.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { enterPool, inPool } from '../../../platform/pool.ts';
import { createToken, peekToken, consumeToken } from '../../accounts/index.ts';
import type { Pool } from '../../pools/index.ts';
import { assertSupportAccess } from '../../support-access/index.ts';
import * as impersonation from './impersonation.service.ts';
import type { Impersonate } from '../operators.contract.ts';
import { note, type By, type Parts } from '../operators.service.ts';
import * as store from '../operators.store.ts';

const purpose = 'impersonation';
const lifetimeSeconds = 60;

interface Kept {
  operatorId: string;
  tenantId: Id<'tenant'>;
  userId: Id<'user'>;
  reason: string;
}

/** The code alone: nobody is in anybody's place before it is used, and only its hash is kept. */
export async function createImpersonationLink(
  ctx: Context,
  portalUrl: string | undefined,
  by: By,
  wanted: Impersonate,
) {
  if (portalUrl === undefined)
    throw conflict('portal_not_configured', 'PORTAL_URL is not set, so there is no customer portal to open.');
  const { userId, reason } = wanted;
  await impersonation.assertMemberOfLiveTenant(ctx, userId);
  await assertSupportAccess(ctx, by.operator.actor.id);
  const kept: Kept = { operatorId: by.operator.actor.id, tenantId: ctx.tenantId, userId, reason };
  const code = await enterPool(ctx.tx, 'customer', (tx) =>
    createToken(tx, { purpose, seconds: lifetimeSeconds, userId, data: { ...kept } }),
  );
  await enterPool(ctx.tx, 'admin', (tx) =>
    note(tx, by, 'impersonation.requested', kept.operatorId, { tenantId: ctx.tenantId, userId, reason }),
  );
  return { impersonationUrl: new URL(`/impersonation?code=${code}`, portalUrl).href, expiresIn: lifetimeSeconds };
}

/** Whose place it is, for the page that asks before anything happens. Leaves the code good. */
export async function previewImpersonation({ services }: Parts, code: string) {
  const kept = await find(services, code);
  const member = await inPool(services.db, 'customer', (tx) => store.findPerson(tx, kept.userId));
  const operator = await inPool(services.db, 'admin', (tx) => store.findPerson(tx, kept.operatorId));
  const tenant = await inTenant(services, callerOf(kept), ({ tx }) => store.findTenant(tx), { readOnly: true });
  return {
    operatorName: orNotFound('operator', operator).name,
    name: orNotFound('member', member).name,
    email: member?.email ?? '',
    tenantName: orNotFound('tenant', tenant).name,
    reason: kept.reason,
  };
}

/** The code for the token. Both happen or neither: of two who come at once, one gets it. */
export async function startImpersonation({ services }: Parts, pool: Pool, code: string, requestInfo: RequestInfo) {
  const kept = await find(services, code);
  await pool.provider(); // its keys are at hand before the transaction begins
  return inTenant(services, callerOf(kept, requestInfo.requestId), async (ctx) => {
    if (!(await enterPool(ctx.tx, 'customer', (tx) => consumeToken(tx, purpose, code)))) throw over();
    return impersonation.impersonate(ctx, pool, { operator: { actor: ctx.actor }, requestInfo }, kept);
  });
}

async function find(services: Services, code: string): Promise<Kept> {
  const found = await inPool(services.db, 'customer', (tx) => peekToken(tx, purpose, code));
  if (!found) throw over();
  return found.data as unknown as Kept;
}

const callerOf = ({ tenantId, operatorId }: Kept, requestId?: string): Caller => ({
  tenantId,
  actor: { type: 'operator', id: operatorId },
  permissions: new Set(),
  ...(requestId !== undefined && { requestId }),
});

const over = () =>
  conflict(
    'impersonation_link_expired',
    'This link was already used or is older than a minute. Start again in the admin portal.',
  );

/** By whoever is in the place, with the token they were lent. */
export async function leave(parts: Parts, { session, requestId }: Caller, requestInfo: RequestInfo) {
  if (session?.operatorId === undefined || session.id === null)
    throw forbidden('not_impersonating', 'You are not impersonating anyone. Sign out instead.');
  const lent = await inPool(parts.services.db, 'customer', (tx) => store.findLent(tx, session.id ?? ''));
  if (!lent || lent.isOver) return;
  const kept = { tenantId: lent.tenantId, operatorId: lent.operatorId, userId: lent.userId, reason: '' };
  await inTenant(parts.services, callerOf(kept, requestId), (ctx) =>
    impersonation.endImpersonation(ctx, parts, { operator: { actor: ctx.actor }, requestInfo }, lent),
  );
}

/** For the tenant itself: who is there at this moment. */
export const impersonationsOfTenant = async ({ tx, tenantId }: Context) => ({
  data: (await enterPool(tx, 'customer', (inside) => store.listRunning(inside, tenantId))).map(
    ({ tenantId: _tenant, operatorId: _operator, ...visit }) => visit,
  ),
  nextCursor: null,
});

export const listImpersonations = async ({ services }: Parts, tenantId: string | undefined) => ({
  data: await inPool(services.db, 'customer', (tx) => store.listRunning(tx, tenantId)),
  nextCursor: null,
});
