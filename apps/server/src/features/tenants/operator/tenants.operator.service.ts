import type { Context } from '../../../platform/context.ts';
import type { Db } from '../../../platform/db.ts';
import { readCursor, toPage } from '../../../platform/lists.ts';
import { inviteOwner } from '../../members/index.ts';
import type { InviteOwner } from '../../members/members.contract.ts';
import type { ListTenants, TenantHit } from './tenants.operator.contract.ts';
import { parseSearch } from './tenant-queries.ts';
import { findTenants, maxFound, newestTenants, type Match } from './tenants.cross-tenant.ts';
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

const kindOrder: readonly Match['kind'][] = ['id', 'key', 'domain', 'member', 'name'];
const maxReasons = 5;

/** Exact matches first, then by kind, then in the order of the search. */
async function search(db: Db, query: string, state: Pick<ListTenants, 'status' | 'plan'>, limit: number) {
  const { matches, rows } = await findTenants(db, parseSearch(query), state);
  const rank = ({ isExact, kind }: Match) => (isExact ? 0 : kindOrder.length) + kindOrder.indexOf(kind);
  const tenants = new Map(rows.map((row) => [row.id as string, row]));
  const hits = new Map<string, TenantHit>();
  for (const { id, kind, text } of matches.toSorted((a, b) => rank(a) - rank(b))) {
    const row = tenants.get(id);
    if (!row) continue;
    const hit = hits.get(id) ?? { ...row, foundBy: [] };
    hits.set(id, hit);
    const isNew = !hit.foundBy.some((found) => found.kind === kind && found.text === text);
    if (isNew && hit.foundBy.length < maxReasons) hit.foundBy.push({ kind, text });
  }
  return [...hits.values()].slice(0, limit);
}

/** Creates a tenant and invites its owner. */
export async function onboard(ctx: Context, { owner, ...input }: CreateTenant) {
  const created = await createTenant(ctx, input);
  return owner ? { ...created, ...(await inviteOwner(ctx, owner)) } : created;
}

export async function inviteOwnerOf(ctx: Context, owner: InviteOwner) {
  await getTenant(ctx);
  return inviteOwner(ctx, owner);
}
