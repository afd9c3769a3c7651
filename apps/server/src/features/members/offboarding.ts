import type { Context } from '../../platform/context.ts';
import { serverKeysOf } from '../api-keys/index.ts';
import { revokeInvitationsOf } from './invitations.service.ts';
import { removeMember, type InvalidateMember } from './members.service.ts';

/**
 * Removes a member and revokes the pending invitations they sent. Server keys they created keep working, because systems
 * may depend on them; they are returned so that the caller can decide.
 */
export async function offboard(ctx: Context, userId: string, invalidate: InvalidateMember) {
  const { member } = await removeMember(ctx, userId, invalidate);
  await revokeInvitationsOf(ctx, userId);
  return { member, serverKeys: await serverKeysOf(ctx.tx, userId) };
}
