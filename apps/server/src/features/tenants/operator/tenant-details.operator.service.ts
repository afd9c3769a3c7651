import type { Context } from '../../../platform/context.ts';
import type { Db } from '../../../platform/db.ts';
import type { ListQuery } from '../../../platform/lists.contract.ts';
import { inPool } from '../../../platform/pool.ts';
import type { ListAuditEntries } from '../../audit/audit.contract.ts';
import { listAuditEntries } from '../../audit/index.ts';
import { describeEntitlements } from '../../entitlements/index.ts';
import { findOwnerInvitation, listMembers, listOwners } from '../../members/index.ts';
import type { ListMembers } from '../../members/members.contract.ts';
import { lastSeenIn } from '../../pools/index.ts';
import { readUsage } from '../../usage/index.ts';
import * as figures from './tenant-figures.store.ts';
import { historyActions, readChange, stateActions } from './tenant-history.ts';
import type { ActorWithEmail } from './tenants.operator.contract.ts';
import { emailsOf } from './tenants.cross-tenant.ts';
import { getTenant } from '../tenants.service.ts';
import { findErasure } from '../tenants.store.ts';

// One tenant as operators see it. Emails of actors are read outside the tenant's transaction, as users belong to no tenant.

type InTenant = <T>(work: (ctx: Context) => Promise<T>) => Promise<T>;

export async function inspect(db: Db, inTenant: InTenant) {
  const { state, ...rest } = await inTenant(async (ctx) => {
    const { tenant } = await getTenant(ctx);
    const entries = await listAuditEntries(ctx, { subjectId: ctx.tenantId, actions: stateActions, limit: 1 });
    const erasure = tenant.status === 'deleted' ? await findErasure(ctx.tx) : undefined;
    const { members, bots, lastActivityAt } = await figures.readFigures(ctx.tx);
    return {
      tenant,
      state: entries.data[0],
      overview: {
        owners: await listOwners(ctx),
        ownerInvitation: (await findOwnerInvitation(ctx)) ?? null,
        members,
        bots,
        lastActivityAt,
        erasedAfter: erasure?.erasedAfter ?? null,
      },
    };
  });
  const [by] = await withEmails(db, state ? [state.actor] : []);
  const stateChange =
    state && by ? { since: state.createdAt, reason: readChange(state.action, state.data).reason, by } : null;
  return { tenant: rest.tenant, overview: { ...rest.overview, state: stateChange } };
}

export async function entitlements(db: Db, inTenant: InTenant) {
  const { overrides, ...rest } = await inTenant(async (ctx) => {
    await getTenant(ctx);
    return describeEntitlements(ctx);
  });
  const emails = await emailsOf(
    db,
    overrides.flatMap(({ changedBy }) => changedBy ?? []),
  );
  const stateChange = overrides.map((one) => ({ ...one, changedByEmail: emails.get(one.changedBy ?? '') ?? null }));
  return { ...rest, overrides: stateChange };
}

export async function history(db: Db, inTenant: InTenant, query: ListQuery) {
  const { data, nextCursor } = await inTenant(async (ctx) => {
    await getTenant(ctx);
    return listAuditEntries(ctx, { ...query, subjectId: ctx.tenantId, actions: historyActions });
  });
  const actors = await withEmails(
    db,
    data.map(({ actor }) => actor),
  );
  const changes = data.map(({ id, action, requestId, createdAt, actor, data: entryData }, n) => ({
    id,
    action,
    requestId,
    createdAt,
    actor: actors[n] ?? { ...actor, email: null },
    ...readChange(action, entryData),
  }));
  return { data: changes, nextCursor };
}

export const usage = (inTenant: InTenant, days: number) =>
  inTenant(async (ctx) => {
    await getTenant(ctx);
    const first = new Date(ctx.now.getTime() - (days - 1) * 86_400_000);
    return readUsage(ctx, { from: first.toISOString().slice(0, 10) });
  });

export async function members(db: Db, inTenant: InTenant, query: ListMembers) {
  const { tenantId, page } = await inTenant(async (ctx) => {
    await getTenant(ctx);
    return { tenantId: ctx.tenantId, page: await listMembers(ctx, query) };
  });
  const ids = page.data.map(({ userId }) => userId);
  const lastSeen = await inPool(db, 'customer', (tx) => lastSeenIn(tx, tenantId, ids));
  return { ...page, data: page.data.map((member) => ({ ...member, lastSeenAt: lastSeen.get(member.userId) ?? null })) };
}

/** Without the entries' data, which belongs to the tenant. */
export async function auditLog(db: Db, inTenant: InTenant, query: ListAuditEntries) {
  const { data, nextCursor } = await inTenant(async (ctx) => {
    await getTenant(ctx);
    return listAuditEntries(ctx, query);
  });
  const actors = await withEmails(
    db,
    data.map(({ actor }) => actor),
  );
  return {
    data: data.map((entry, n) => ({ ...entry, actor: actors[n] ?? { ...entry.actor, email: null } })),
    nextCursor,
  };
}

export const suspensionEffects = (inTenant: InTenant) =>
  inTenant(async (ctx) => {
    await getTenant(ctx);
    return figures.countEffects(ctx.tx);
  });

async function withEmails(db: Db, actors: readonly Omit<ActorWithEmail, 'email'>[]): Promise<ActorWithEmail[]> {
  const emails = await emailsOf(
    db,
    actors.map(({ id }) => id),
  );
  return actors.map((actor) => ({ ...actor, email: emails.get(actor.id) ?? null }));
}
