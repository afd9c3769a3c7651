import type { Context } from '../../platform/context.ts';
import { serverKeysOf } from '../api-keys/index.ts';
import { revokeInvitationsOf } from './invitations.service.ts';
import { removeMember, type InvalidateMember } from './members.service.ts';

/**
 * Removes a member with what they could come back by: the invitations they sent that nobody has answered. Server keys
 * they created go on working, since systems may rest on them; they are named, for somebody to choose.
 */
export async function offboard(ctx: Context, userId: string, invalidate: InvalidateMember) {
  const { member } = await removeMember(ctx, userId, invalidate);
  await revokeInvitationsOf(ctx, userId);
  return { member, serverKeys: await serverKeysOf(ctx.tx, userId) };
}
