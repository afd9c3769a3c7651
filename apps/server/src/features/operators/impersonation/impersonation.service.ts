import type { Context, Operator } from '../../../platform/context.ts';
import { conflict, forbidden, orNotFound } from '../../../platform/errors.ts';
import { emit } from '../../../platform/events.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { enterPool, inPool } from '../../../platform/pool.ts';
import { endSessions, type Pool } from '../../pools/index.ts';
import { assertSupportAccess } from '../../support-access/index.ts';
import type { Impersonate } from '../operators.contract.ts';
import * as events from '../operators.events.ts';
import { mayImpersonate, note, type By, type Parts } from '../operators.service.ts';
import * as store from '../operators.store.ts';
import type { LentSession } from '../operators.store.ts';

const lifetimeSeconds = 900;

/** The token, and what the tenant and both pools are told of it: all of it, or nothing. */
export async function impersonate(ctx: Context, pool: Pool, by: By, { userId, reason }: Impersonate) {
  const { tx, tenantId, now } = ctx;
  await assertMemberOfLiveTenant(ctx, userId);
  const id = by.operator.actor.id;
  await assertSupportAccess(ctx, id);
  const operator = await enterPool(tx, 'admin', (inside) => store.holdOperator(inside, id));
  // Their credential may be seconds old, which is soon over; the token would stay.
  if (!operator || !mayImpersonate(operator.roles))
    throw forbidden('permission_missing', "You need the permission 'platform.impersonate.request'.");

  const lent = await enterPool(tx, 'customer', async (inside) => {
    const { ip, userAgent } = by.requestInfo;
    const who = { userId, tenantId, operatorId: id, operatorName: operator.name, reason };
    const session = { ...who, methods: [], ip, userAgent, lifetimeSeconds };
    const made = await pool.startImpersonation(inside, session);
    await note(inside, by, 'impersonation.started', userId, { sessionId: made.sessionId, tenantId, reason });
    return made;
  });
  const { sessionId } = lent;
  await enterPool(tx, 'admin', (inside) =>
    note(inside, by, 'impersonation.started', id, { sessionId, tenantId, userId, reason }),
  );
  const { email, name } = operator;
  const expiresAt = new Date(now.getTime() + lifetimeSeconds * 1_000);
  const object = { sessionId, userId, reason, operator: { id, email, name }, expiresAt };
  await emit(ctx, events.impersonationStarted, userId, { object });
  return { ...lent, tenantId, userId };
}

export async function assertMemberOfLiveTenant({ tx }: Context, userId: Id<'user'>): Promise<void> {
  const tenant = orNotFound('tenant', await store.findTenant(tx));
  if (tenant.status === 'suspended') throw forbidden('tenant_suspended', 'This tenant is suspended. Resume it first.');
  if (tenant.status !== 'active') throw forbidden('tenant_deleted', 'This tenant was deleted. Restore it first.');
  const member = orNotFound('member', await store.findMember(tx, userId));
  if (member.isDisabled) throw conflict('member_disabled', 'This member can’t sign in, so they can’t be impersonated.');
}

export async function findImpersonation(
  { services }: Parts,
  operator: Operator,
  sessionId: string,
): Promise<LentSession> {
  const found = await inPool(services.db, 'customer', (tx) => store.findLent(tx, sessionId));
  const lent = orNotFound('impersonation', found);
  if (lent.operatorId !== operator.actor.id && !operator.permissions.has('platform.user.manage'))
    throw forbidden('not_your_impersonation', 'Only the operator who started it or a platform admin can end it.');
  return lent;
}

export async function endImpersonation(ctx: Context, parts: Parts, by: By, { id, userId, operatorId }: LentSession) {
  const isEnded = await enterPool(ctx.tx, 'customer', async (tx) => {
    // Another may have ended it meanwhile, and each is told of once.
    if ((await endSessions(tx, userId, { only: id })).length === 0) return false;
    await note(tx, by, 'impersonation.ended', userId, { sessionId: id, tenantId: ctx.tenantId, operatorId });
    return true;
  });
  if (isEnded) {
    await emit(ctx, events.impersonationEnded, userId, { object: { sessionId: id, userId, operatorId } });
    ctx.afterCommit(() => parts.invalidateSession('customer', id));
  }
}
