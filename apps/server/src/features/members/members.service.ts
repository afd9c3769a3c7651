import type { Permission } from '../../platform/access.contract.ts';
import type { Context } from '../../platform/context.ts';
import { conflict, orNotFound } from '../../platform/errors.ts';
import { emit } from '../../platform/events.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { readCursor, toPage } from '../../platform/lists.ts';
import type { ListMembers, Member, TenantRole } from './members.contract.ts';
import * as events from './members.events.ts';
import * as store from './members.store.ts';
import { assertRank, permissionsOfRoles, sortRoles } from './rank.ts';

/** Invalidates the cached membership on every node after the commit. */
export type InvalidateMember = (tenantId: Id<'tenant'>, userId: Id<'user'>) => void;

export async function listMembers({ tx }: Context, { cursor, limit, q }: ListMembers) {
  const before = readCursor(cursor);
  const rows = await (q === undefined ? store.list(tx, before, limit + 1) : store.search(tx, q, before, limit + 1));
  return toPage(
    rows.map((member) => ({ ...member, id: member.userId })),
    limit,
  );
}

/** The newest 20 owners, including disabled ones. */
export const listOwners = ({ tx }: Pick<Context, 'tx'>): Promise<Member[]> => store.listOwners(tx, 20);

/** False for users who are not members. */
export async function hasMemberPermission(
  { tx }: Pick<Context, 'tx'>,
  userId: string,
  permission: Permission,
): Promise<boolean> {
  const member = await store.find(tx, userId);
  return member !== undefined && permissionsOfRoles(member.roles).has(permission);
}

export const rolesAllow = (roles: readonly string[], permission: Permission): boolean =>
  permissionsOfRoles(roles).has(permission);

export const findMember = ({ tx }: Pick<Context, 'tx'>, userId: string): Promise<Member | undefined> =>
  store.find(tx, userId);

/** At most `max` members with this permission, as recipients of emails. */
export async function listMembersWithPermission(
  { tx }: Pick<Context, 'tx'>,
  permission: Permission,
  max = 20,
): Promise<Member[]> {
  const members = await store.list(tx, undefined, 1_000);
  return members.filter(({ roles }) => permissionsOfRoles(roles).has(permission)).slice(0, max);
}

export const getMember = async (ctx: Context, userId: string) => ({ member: await read(ctx, userId) });

export async function changeRoles(
  ctx: Context,
  userId: string,
  newRoles: readonly TenantRole[],
  invalidate: InvalidateMember,
) {
  await store.lock(ctx.tx);
  const before = await read(ctx, userId);
  const roles = sortRoles(newRoles);
  await assertCanChange(ctx, before, roles);
  return { member: await setRoles(ctx, before, roles, invalidate) };
}

export async function removeMember(ctx: Context, userId: string, invalidate: InvalidateMember) {
  await store.lock(ctx.tx);
  const member = await read(ctx, userId);
  await assertCanChange(ctx, member, []);
  await store.remove(ctx.tx, userId);
  invalidateAfterCommit(ctx, member, invalidate);
  await emit(ctx, events.memberRemoved, userId, { object: member });
  return { member };
}

/** The caller becomes an admin in the same transaction, so that the tenant always has an owner. */
export async function transferOwnership(ctx: Context, userId: string, invalidate: InvalidateMember) {
  await store.lock(ctx.tx);
  const target = await read(ctx, userId);
  assertRank(await currentPermissions(ctx), ['owner']);
  if (userId === ctx.actor.id) throw conflict('already_owner', 'You already are the owner. Choose another member.');
  if (target.isDisabled) throw conflict('member_disabled', 'This member can’t sign in. Choose another one.');

  const caller = await read(ctx, ctx.actor.id);
  const member = { ...target, roles: sortRoles([...target.roles, 'owner']) };
  const previousOwner = { ...caller, roles: sortRoles([...caller.roles.filter((role) => role !== 'owner'), 'admin']) };
  for (const changed of [member, previousOwner]) {
    await store.setRoles(ctx.tx, changed.userId, changed.roles);
    invalidateAfterCommit(ctx, changed, invalidate);
  }
  await emit(ctx, events.ownershipTransferred, userId, { object: member, previousOwner });
  return { member, previousOwner };
}

/** The caller must have taken the lock. An existing member gets these roles in addition. */
export async function addMember(
  ctx: Context,
  userId: string,
  roles: readonly TenantRole[],
  invalidate: InvalidateMember,
) {
  const before = await store.find(ctx.tx, userId);
  if (before) return setRoles(ctx, before, sortRoles([...before.roles, ...roles]), invalidate);
  await store.insert(ctx.tx, userId, sortRoles(roles));
  const member = await read(ctx, userId);
  invalidateAfterCommit(ctx, member, invalidate);
  await emit(ctx, events.memberAdded, userId, { object: member });
  return member;
}

/**
 * The caller's current permissions, read under the lock. Cached credentials may be seconds out of date, and a role granted
 * with them would be permanent.
 */
export async function currentPermissions({ tx, actor, permissions }: Context): Promise<ReadonlySet<Permission>> {
  if (actor.type !== 'user') return permissions;
  return permissionsOfRoles((await store.find(tx, actor.id))?.roles ?? []);
}

/** Checks for the last owner first: if two owners demote each other concurrently, the second gets `last_owner`. */
async function assertCanChange(
  ctx: Context,
  { userId, roles }: Member,
  newRoles: readonly TenantRole[],
): Promise<void> {
  assertRank(ctx.permissions, [...roles, ...newRoles]);
  const losesOwner = roles.includes('owner') && !newRoles.includes('owner');
  if (losesOwner && !(await store.hasOtherOwner(ctx.tx, userId))) {
    throw conflict('last_owner', 'This is the last owner who can sign in. Make someone else an owner first.');
  }
  assertRank(await currentPermissions(ctx), [...roles, ...newRoles]);
}

const read = async ({ tx }: Context, userId: string) => orNotFound('member', await store.find(tx, userId));

async function setRoles(
  ctx: Context,
  before: Member,
  roles: TenantRole[],
  invalidate: InvalidateMember,
): Promise<Member> {
  if (roles.join() === before.roles.join()) return before;
  const member = { ...before, roles };
  await store.setRoles(ctx.tx, member.userId, roles);
  invalidateAfterCommit(ctx, member, invalidate);
  await emit(ctx, events.memberRolesChanged, member.userId, { object: member, previous: { roles: before.roles } });
  return member;
}

const invalidateAfterCommit = (ctx: Context, { userId }: Member, invalidate: InvalidateMember) =>
  ctx.afterCommit(() => invalidate(ctx.tenantId, userId));
