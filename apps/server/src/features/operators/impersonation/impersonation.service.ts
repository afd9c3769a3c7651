import type { Context, Operator } from '../../../platform/context.ts';
import { conflict, forbidden, orNotFound } from '../../../platform/errors.ts';
import { emit } from '../../../platform/events.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { enterPool, inPool } from '../../../platform/pool.ts';
import { endSessions, type Pool } from '../../pools/index.ts';
import { assertSupportAccess } from '../../support-access/index.ts';
import type { Impersonate } from '../operators.contract.ts';
import * as events from '../operators.events.ts';
import { mayImpersonate, recordAudit, type OperatorRequest, type OperatorDeps } from '../operators.service.ts';
import * as store from '../operators.store.ts';
import type { ImpersonationSession } from '../operators.store.ts';

const lifetimeSeconds = 900;

/** Creates the token and the audit entries of the tenant and both pools in one transaction. */
export async function impersonate(ctx: Context, pool: Pool, request: OperatorRequest, { userId, reason }: Impersonate) {
  const { tx, tenantId, now } = ctx;
  await assertMemberOfLiveTenant(ctx, userId);
  const id = request.operator.actor.id;
  await assertSupportAccess(ctx, id);
  const operator = await enterPool(tx, 'admin', (poolTx) => store.lockActiveOperator(poolTx, id));
  // The cached permissions may be seconds old, but the token lives for minutes. So check the current roles.
  if (!operator || !mayImpersonate(operator.roles))
    throw forbidden('permission_missing', "You need the permission 'platform.impersonate.request'.");

  const token = await enterPool(tx, 'customer', async (poolTx) => {
    const { ip, userAgent } = request.requestInfo;
    const details = { userId, tenantId, operatorId: id, operatorName: operator.name, reason };
    const session = { ...details, methods: [], ip, userAgent, lifetimeSeconds };
    const created = await pool.startImpersonation(poolTx, session);
    await recordAudit(poolTx, request, 'impersonation.started', userId, {
      sessionId: created.sessionId,
      tenantId,
      reason,
    });
    return created;
  });
  const { sessionId } = token;
  await enterPool(tx, 'admin', (poolTx) =>
    recordAudit(poolTx, request, 'impersonation.started', id, { sessionId, tenantId, userId, reason }),
  );
  const { email, name } = operator;
  const expiresAt = new Date(now.getTime() + lifetimeSeconds * 1_000);
  const object = { sessionId, userId, reason, operator: { id, email, name }, expiresAt };
  await emit(ctx, events.impersonationStarted, userId, { object });
  return { ...token, tenantId, userId };
}

export async function assertMemberOfLiveTenant({ tx }: Context, userId: Id<'user'>): Promise<void> {
  const tenant = orNotFound('tenant', await store.findTenant(tx));
  if (tenant.status === 'suspended') throw forbidden('tenant_suspended', 'This tenant is suspended. Resume it first.');
  if (tenant.status !== 'active') throw forbidden('tenant_deleted', 'This tenant was deleted. Restore it first.');
  const member = orNotFound('member', await store.findMember(tx, userId));
  if (member.isDisabled) throw conflict('member_disabled', 'This member can’t sign in, so they can’t be impersonated.');
}

export async function findImpersonation(
  { services }: OperatorDeps,
  operator: Operator,
  sessionId: string,
): Promise<ImpersonationSession> {
  const found = await inPool(services.db, 'customer', (tx) => store.findImpersonationSession(tx, sessionId));
  const session = orNotFound('impersonation', found);
  if (session.operatorId !== operator.actor.id && !operator.permissions.has('platform.user.manage'))
    throw forbidden('not_your_impersonation', 'Only the operator who started it or a platform admin can end it.');
  return session;
}

export async function endImpersonation(
  ctx: Context,
  deps: OperatorDeps,
  request: OperatorRequest,
  { id, userId, operatorId }: ImpersonationSession,
) {
  const isEnded = await enterPool(ctx.tx, 'customer', async (tx) => {
    // A concurrent request may have ended it, and there must be only one entry.
    if ((await endSessions(tx, userId, { only: id })).length === 0) return false;
    await recordAudit(tx, request, 'impersonation.ended', userId, {
      sessionId: id,
      tenantId: ctx.tenantId,
      operatorId,
    });
    return true;
  });
  if (isEnded) {
    await emit(ctx, events.impersonationEnded, userId, { object: { sessionId: id, userId, operatorId } });
    ctx.afterCommit(() => deps.invalidateSession('customer', id));
  }
}
