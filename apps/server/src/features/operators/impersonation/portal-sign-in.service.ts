import { inTenant, type Caller, type Context, type RequestInfo, type Services } from '../../../platform/context.ts';
import { conflict, forbidden, orNotFound } from '../../../platform/errors.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { enterPool, inPool } from '../../../platform/pool.ts';
import { createToken, peekToken, consumeToken } from '../../accounts/index.ts';
import type { Pool } from '../../pools/index.ts';
import { assertSupportAccess } from '../../support-access/index.ts';
import * as impersonation from './impersonation.service.ts';
import type { Impersonate } from '../operators.contract.ts';
import { recordAudit, type OperatorRequest, type OperatorDeps } from '../operators.service.ts';
import * as store from '../operators.store.ts';

const purpose = 'impersonation';
const lifetimeSeconds = 60;

interface LinkData {
  operatorId: string;
  tenantId: Id<'tenant'>;
  userId: Id<'user'>;
  reason: string;
}

/** Creates a code, of which only the hash is stored. The impersonation starts when the code is used. */
export async function createImpersonationLink(
  ctx: Context,
  portalUrl: string | undefined,
  request: OperatorRequest,
  input: Impersonate,
) {
  if (portalUrl === undefined)
    throw conflict('portal_not_configured', 'PORTAL_URL is not set, so there is no customer portal to open.');
  const { userId, reason } = input;
  await impersonation.assertMemberOfLiveTenant(ctx, userId);
  await assertSupportAccess(ctx, request.operator.actor.id);
  const linkData: LinkData = { operatorId: request.operator.actor.id, tenantId: ctx.tenantId, userId, reason };
  const code = await enterPool(ctx.tx, 'customer', (tx) =>
    createToken(tx, { purpose, seconds: lifetimeSeconds, userId, data: { ...linkData } }),
  );
  await enterPool(ctx.tx, 'admin', (tx) =>
    recordAudit(tx, request, 'impersonation.requested', linkData.operatorId, {
      tenantId: ctx.tenantId,
      userId,
      reason,
    }),
  );
  return { impersonationUrl: new URL(`/impersonation?code=${code}`, portalUrl).href, expiresIn: lifetimeSeconds };
}

/** Details for the confirmation page. Does not use up the code. */
export async function previewImpersonation({ services }: OperatorDeps, code: string) {
  const linkData = await findLink(services, code);
  const member = await inPool(services.db, 'customer', (tx) => store.findPerson(tx, linkData.userId));
  const operator = await inPool(services.db, 'admin', (tx) => store.findPerson(tx, linkData.operatorId));
  const tenant = await inTenant(services, callerOf(linkData), ({ tx }) => store.findTenant(tx), { readOnly: true });
  return {
    operatorName: orNotFound('operator', operator).name,
    name: orNotFound('member', member).name,
    email: member?.email ?? '',
    tenantName: orNotFound('tenant', tenant).name,
    reason: linkData.reason,
  };
}

/** Exchanges the code for a token in one transaction, so that concurrent requests get only one. */
export async function startImpersonation(
  { services }: OperatorDeps,
  pool: Pool,
  code: string,
  requestInfo: RequestInfo,
) {
  const linkData = await findLink(services, code);
  await pool.provider(); // loads its keys before the transaction starts
  return inTenant(services, callerOf(linkData, requestInfo.requestId), async (ctx) => {
    if (!(await enterPool(ctx.tx, 'customer', (tx) => consumeToken(tx, purpose, code)))) throw linkExpired();
    return impersonation.impersonate(ctx, pool, { operator: { actor: ctx.actor }, requestInfo }, linkData);
  });
}

async function findLink(services: Services, code: string): Promise<LinkData> {
  const found = await inPool(services.db, 'customer', (tx) => peekToken(tx, purpose, code));
  if (!found) throw linkExpired();
  return found.data as unknown as LinkData;
}

const callerOf = ({ tenantId, operatorId }: LinkData, requestId?: string): Caller => ({
  tenantId,
  actor: { type: 'operator', id: operatorId },
  permissions: new Set(),
  ...(requestId !== undefined && { requestId }),
});

const linkExpired = () =>
  conflict(
    'impersonation_link_expired',
    'This link was already used or is older than a minute. Start again in the admin portal.',
  );

/** Ends the impersonation that the caller's own token belongs to. */
export async function leaveImpersonation(deps: OperatorDeps, { session, requestId }: Caller, requestInfo: RequestInfo) {
  if (session?.operatorId === undefined || session.id === null)
    throw forbidden('not_impersonating', 'You are not impersonating anyone. Sign out instead.');
  const active = await inPool(deps.services.db, 'customer', (tx) =>
    store.findImpersonationSession(tx, session.id ?? ''),
  );
  if (!active || active.isOver) return;
  const linkData = { tenantId: active.tenantId, operatorId: active.operatorId, userId: active.userId, reason: '' };
  await inTenant(deps.services, callerOf(linkData, requestId), (ctx) =>
    impersonation.endImpersonation(ctx, deps, { operator: { actor: ctx.actor }, requestInfo }, active),
  );
}

/** Active impersonations, for the tenant itself. */
export const impersonationsOfTenant = async ({ tx, tenantId }: Context) => ({
  data: (await enterPool(tx, 'customer', (poolTx) => store.listRunning(poolTx, tenantId))).map(
    ({ tenantId: _tenant, operatorId: _operator, ...rest }) => rest,
  ),
  nextCursor: null,
});

export const listImpersonations = async ({ services }: OperatorDeps, tenantId: string | undefined) => ({
  data: await inPool(services.db, 'customer', (tx) => store.listRunning(tx, tenantId)),
  nextCursor: null,
});
