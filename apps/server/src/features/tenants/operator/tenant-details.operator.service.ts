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
import type { Who } from './tenants.operator.contract.ts';
import { addressesOf } from './tenants.cross-tenant.ts';
import { getTenant } from '../tenants.service.ts';
import { findErasure } from '../tenants.store.ts';

// One tenant as operators see it. Who did something is looked up after its transaction, as people are nobody's tenant.

type Reading = <T>(work: (ctx: Context) => Promise<T>) => Promise<T>;

export async function inspect(db: Db, reading: Reading) {
  const { state, ...found } = await reading(async (ctx) => {
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
  const [by] = await named(db, state ? [state.actor] : []);
  const shown =
    state && by ? { since: state.createdAt, reason: readChange(state.action, state.data).reason, by } : null;
  return { tenant: found.tenant, overview: { ...found.overview, state: shown } };
}

export async function entitlements(db: Db, reading: Reading) {
  const { overrides, ...found } = await reading(async (ctx) => {
    await getTenant(ctx);
    return describeEntitlements(ctx);
  });
  const addresses = await addressesOf(
    db,
    overrides.flatMap(({ changedBy }) => changedBy ?? []),
  );
  const shown = overrides.map((one) => ({ ...one, changedByEmail: addresses.get(one.changedBy ?? '') ?? null }));
  return { ...found, overrides: shown };
}

export async function history(db: Db, reading: Reading, query: ListQuery) {
  const { data, nextCursor } = await reading(async (ctx) => {
    await getTenant(ctx);
    return listAuditEntries(ctx, { ...query, subjectId: ctx.tenantId, actions: historyActions });
  });
  const actors = await named(
    db,
    data.map(({ actor }) => actor),
  );
  const changes = data.map(({ id, action, requestId, createdAt, actor, data: told }, n) => ({
    id,
    action,
    requestId,
    createdAt,
    actor: actors[n] ?? { ...actor, email: null },
    ...readChange(action, told),
  }));
  return { data: changes, nextCursor };
}

export const usage = (reading: Reading, days: number) =>
  reading(async (ctx) => {
    await getTenant(ctx);
    const first = new Date(ctx.now.getTime() - (days - 1) * 86_400_000);
    return readUsage(ctx, { from: first.toISOString().slice(0, 10) });
  });

export async function members(db: Db, reading: Reading, query: ListMembers) {
  const { tenantId, page } = await reading(async (ctx) => {
    await getTenant(ctx);
    return { tenantId: ctx.tenantId, page: await listMembers(ctx, query) };
  });
  const ids = page.data.map(({ userId }) => userId);
  const seen = await inPool(db, 'customer', (tx) => lastSeenIn(tx, tenantId, ids));
  return { ...page, data: page.data.map((member) => ({ ...member, lastSeenAt: seen.get(member.userId) ?? null })) };
}

/** What was done and by whom. What was in it is the tenant's own. */
export async function auditLog(db: Db, reading: Reading, query: ListAuditEntries) {
  const { data, nextCursor } = await reading(async (ctx) => {
    await getTenant(ctx);
    return listAuditEntries(ctx, query);
  });
  const actors = await named(
    db,
    data.map(({ actor }) => actor),
  );
  return {
    data: data.map((entry, n) => ({ ...entry, actor: actors[n] ?? { ...entry.actor, email: null } })),
    nextCursor,
  };
}

export const suspensionEffects = (reading: Reading) =>
  reading(async (ctx) => {
    await getTenant(ctx);
    return figures.countEffects(ctx.tx);
  });

async function named(db: Db, actors: readonly Omit<Who, 'email'>[]): Promise<Who[]> {
  const addresses = await addressesOf(
    db,
    actors.map(({ id }) => id),
  );
  return actors.map((actor) => ({ ...actor, email: addresses.get(actor.id) ?? null }));
}
