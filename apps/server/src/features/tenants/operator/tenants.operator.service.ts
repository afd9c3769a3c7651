import type { Context } from '../../../platform/context.ts';
import type { Db } from '../../../platform/db.ts';
import { readCursor, toPage } from '../../../platform/lists.ts';
import { inviteOwner } from '../../members/index.ts';
import type { InviteOwner } from '../../members/members.contract.ts';
import type { ListTenants, TenantHit } from './tenants.operator.contract.ts';
import { shapesOf } from './tenant-queries.ts';
import { findTenants, maxFound, newestTenants, type Look } from './tenants.cross-tenant.ts';
import type { CreateTenant } from '../tenants.contract.ts';
import { createTenant, getTenant } from '../tenants.service.ts';

export async function listTenants(db: Db, { query, cursor, limit, ...state }: ListTenants) {
  if (query !== undefined) return { data: await search(db, query, state, Math.min(limit, maxFound)), nextCursor: null };
  const rows = await newestTenants(db, state, readCursor(cursor), limit + 1);
  return toPage(
    rows.map((row): TenantHit => ({ ...row, foundBy: [] })),
    limit,
  );
}

const order: readonly Look['kind'][] = ['id', 'key', 'domain', 'member', 'name'];
const maxReasons = 5;

/** What is exactly what was typed comes first; within that, the order of the kinds, and within one the order it was found in. */
async function search(db: Db, query: string, state: Pick<ListTenants, 'status' | 'plan'>, limit: number) {
  const { looks, rows } = await findTenants(db, shapesOf(query), state);
  const rank = ({ isExact, kind }: Look) => (isExact ? 0 : order.length) + order.indexOf(kind);
  const tenants = new Map(rows.map((row) => [row.id as string, row]));
  const hits = new Map<string, TenantHit>();
  for (const { id, kind, text } of looks.toSorted((a, b) => rank(a) - rank(b))) {
    const row = tenants.get(id);
    if (!row) continue;
    const hit = hits.get(id) ?? { ...row, foundBy: [] };
    hits.set(id, hit);
    const isNew = !hit.foundBy.some((found) => found.kind === kind && found.text === text);
    if (isNew && hit.foundBy.length < maxReasons) hit.foundBy.push({ kind, text });
  }
  return [...hits.values()].slice(0, limit);
}

/** A tenant, and with it the invitation of who will lead it. */
export async function onboard(ctx: Context, { owner, ...input }: CreateTenant) {
  const made = await createTenant(ctx, input);
  return owner ? { ...made, ...(await inviteOwner(ctx, owner)) } : made;
}

export async function inviteOwnerOf(ctx: Context, owner: InviteOwner) {
  await getTenant(ctx);
  return inviteOwner(ctx, owner);
}
