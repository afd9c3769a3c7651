import { hash, randomBytes } from 'node:crypto';
import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import { conflict, orNotFound } from '../../platform/errors.ts';
import { emit } from '../../platform/events.ts';
import { newId } from '../../platform/ids.ts';
import { queueEmail } from '../../platform/emails.ts';
import { readCursor, toPage } from '../../platform/lists.ts';
import { requireRoom } from '../entitlements/index.ts';
import { assertEmailDomain } from '../policies/index.ts';
import * as store from './invitations.store.ts';
import type { StoredInvitation } from './invitations.store.ts';
import type { CreateInvitation, Invitation, InviteOwner, ListInvitations, TenantRole } from './members.contract.ts';
import * as events from './members.events.ts';
import { addMember, currentPermissions, type InvalidateMember } from './members.service.ts';
import * as members from './members.store.ts';
import { assertRank, sortRoles } from './rank.ts';

const sevenDaysMs = 7 * 86_400_000;
const expiryDate = ({ now }: Context) => new Date(now.getTime() + sevenDaysMs);

export const listInvitations = async ({ tx }: Context, { cursor, limit, status }: ListInvitations) =>
  toPage(await store.list(tx, { before: readCursor(cursor), status, limit: limit + 1 }), limit);

export const getInvitation = async (ctx: Context, id: string) => ({ invitation: await read(ctx, id) });

export async function createInvitation(ctx: Context, { email, roles, locale }: CreateInvitation) {
  await members.lock(ctx.tx);
  await assertCanGrant(ctx, roles);
  await assertEmailDomain(ctx, email);
  const pending = await store.findPending(ctx.tx, email);
  if (pending?.status === 'expired') await close(ctx, pending); // it would block the email address
  await assertSeatFor(ctx, email);
  return { invitation: await invite(ctx, { email, roles, locale }) };
}

/**
 * Called by an operator, for a tenant without an active owner. Revokes pending owner invitations, so that a wrong email
 * address can be corrected. The same email address gets a new email.
 */
export async function inviteOwner(ctx: Context, { email, locale }: InviteOwner) {
  await members.lock(ctx.tx);
  if (await members.hasOtherOwner(ctx.tx, ''))
    throw conflict(
      'owner_exists',
      'This tenant already has an owner who can sign in. Ask them to send the invitation.',
    );
  await assertEmailDomain(ctx, email);
  for (const before of await store.listPendingOwners(ctx.tx)) await close(ctx, before);
  const pending = await store.findPending(ctx.tx, email);
  if (pending) await close(ctx, pending); // for another role: an email address has at most one invitation
  await requireRoom(ctx, 'members.max', () => store.countSeats(ctx.tx));
  return { invitation: await invite(ctx, { email, roles: ['owner'], locale }) };
}

/** The newest pending invitation for the role of owner. */
export const findOwnerInvitation = async ({ tx }: Context): Promise<Invitation | undefined> =>
  (await store.listPendingOwners(tx))[0];

async function invite(ctx: Context, { email, roles, locale }: CreateInvitation): Promise<Invitation> {
  const id = newId('invitation');
  const row = { id, email, roles: sortRoles(roles), locale, invitedBy: ctx.actor.id, expiresAt: expiryDate(ctx) };
  await store.insert(ctx.tx, row);
  const invitation = await read(ctx, id);
  await send(ctx, invitation);
  await emit(ctx, events.invitationCreated, id, { object: invitation });
  return invitation;
}

/** Sends a new email with a link for seven days. Also for an expired invitation, if a seat is available. */
export async function resendInvitation(ctx: Context, id: string) {
  await members.lock(ctx.tx);
  const before = await read(ctx, id);
  await assertCanGrant(ctx, before.roles);
  await assertEmailDomain(ctx, before.email);
  if (before.status === 'expired') await assertSeatFor(ctx, before.email);
  else assertOpen(before);

  await store.update(ctx.tx, id, { expiresAt: expiryDate(ctx) });
  const invitation = await read(ctx, id);
  await send(ctx, invitation);
  await emit(ctx, events.invitationResent, id, { object: invitation });
  return { invitation };
}

/** Idempotent: revoking a revoked invitation is not an error. */
export async function revokeInvitation(ctx: Context, id: string) {
  await members.lock(ctx.tx);
  const invitation = await read(ctx, id);
  await assertCanGrant(ctx, invitation.roles);
  if (invitation.status === 'revoked') return { invitation };
  if (invitation.status === 'accepted') assertOpen(invitation);
  return { invitation: await close(ctx, invitation) };
}

/** Creates the link when its email is rendered and invalidates the previous one. Undefined if the invitation is not open. */
export async function writeInvitationToken(ctx: Context, id: string) {
  await members.lock(ctx.tx); // a concurrently revoked invitation must not be published again
  const invitation = await store.find(ctx.tx, id);
  if (invitation?.status !== 'open') return undefined;
  const token = randomBytes(32).toString('base64url');
  await store.publish(ctx.tx, invitation, hashToken(token));
  const { email, roles, expiresAt, invitedBy } = invitation;
  const inviter = await members.find(ctx.tx, invitedBy);
  const tenantName = await store.tenantName(ctx.tx);
  return { token, tenantName, inviterName: inviter?.name ?? null, email, roles, expiresAt };
}

/** For the page that the link opens. */
export async function describeInvitation(ctx: Context, id: string) {
  const { email, roles, status } = await read(ctx, id);
  return { email, roles, status, tenantName: await store.tenantName(ctx.tx) };
}

/** The caller must have verified that this person was invited, by the link or a verified email address. */
export async function acceptInvitation(
  ctx: Context,
  id: string,
  userId: string,
  invalidate: InvalidateMember = () => {},
): Promise<{ roles: TenantRole[] }> {
  await members.lock(ctx.tx);
  const before = await read(ctx, id);
  assertOpen(before);
  if (await store.isTenantInactive(ctx.tx))
    throw conflict('invitation_not_open', 'This organisation is no longer active.');
  await assertEmailDomain(ctx, before.email);
  await store.update(ctx.tx, id, { acceptedAt: ctx.now });
  await store.withdraw(ctx.tx, id);
  const { userId: acceptedBy, roles } = await addMember(ctx, userId, before.roles, invalidate);
  const object: Invitation = { ...before, status: 'accepted' };
  await emit(ctx, events.invitationAccepted, id, { object, userId: acceptedBy });
  return { roles };
}

export const findInvitationByToken = (db: Db, token: string) => store.findByToken(db, hashToken(token));
export const findInvitationsFor = (db: Db, email: string) => store.findFor(db, email);

/** The token has 256 random bits, so a plain hash is enough. */
const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer');

const read = async ({ tx }: Context, id: string) => orNotFound('invitation', await store.find(tx, id));

async function assertCanGrant(ctx: Context, roles: readonly TenantRole[]): Promise<void> {
  assertRank(ctx.permissions, roles);
  assertRank(await currentPermissions(ctx), roles);
}

async function assertSeatFor(ctx: Context, email: string): Promise<void> {
  if (await members.isMember(ctx.tx, email)) {
    throw conflict('already_member', 'This person is already a member. Change their roles instead.');
  }
  await requireRoom(ctx, 'members.max', () => store.countSeats(ctx.tx));
}

function assertOpen({ status }: Invitation): void {
  if (status !== 'open') throw conflict('invitation_not_open', `This invitation is ${status}. Send a new one.`);
}

async function send(ctx: Context, invitation: StoredInvitation): Promise<void> {
  const { id: invitationId, email, locale } = invitation;
  await store.publish(ctx.tx, invitation, null);
  await queueEmail(ctx.tx, 'invitation', email, { tenantId: ctx.tenantId, invitationId, locale });
}

export async function revokeInvitationsOf(ctx: Context, userId: string): Promise<void> {
  for (const invitation of await store.listPendingBy(ctx.tx, userId)) await close(ctx, invitation);
}

async function close(ctx: Context, before: StoredInvitation): Promise<StoredInvitation> {
  const invitation: StoredInvitation = { ...before, status: 'revoked' };
  await store.update(ctx.tx, invitation.id, { revokedAt: ctx.now });
  await store.withdraw(ctx.tx, invitation.id);
  await emit(ctx, events.invitationRevoked, invitation.id, { object: invitation });
  return invitation;
}
