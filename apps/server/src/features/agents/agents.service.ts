import type { Context } from '../../platform/context.ts';
import { forbidden } from '../../platform/errors.ts';
import { emit } from '../../platform/events.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { listMembersWithPermission, rolesAllow } from '../members/index.ts';
import type { Agent, NotificationSettings, PresenceStatus } from './agents.contract.ts';
import * as events from './agents.events.ts';
import * as store from './agents.store.ts';

const maxAgents = 500;

/** Members who can reply to visitors. */
export async function listAgents(ctx: Context) {
  const members = await listMembersWithPermission(ctx, 'conversation.reply', maxAgents);
  const active = members.filter(({ isDisabled }) => !isDisabled);
  const described = await store.describeAgents(
    ctx.tx,
    active.map(({ userId }) => userId),
  );
  const data = active.map(({ userId, name }): Agent => {
    const { isAvailable = false, openConversations = 0, teamIds = [] } = described.get(userId) ?? {};
    const status = isAvailable ? 'available' : 'away';
    return { userId, name, status, openConversations, teamIds: teamIds as Agent['teamIds'] };
  });
  return { data, nextCursor: null };
}

/** Without a status, a heartbeat: the agent is still there, and as available as they chose to be. */
export async function setPresence(ctx: Context, chosen?: PresenceStatus) {
  const userId = ownId(ctx);
  const { status, wasAvailable } = await store.savePresence(ctx.tx, userId, chosen, ctx.now);
  const isAvailable = status === 'available';
  const availableUntil = isAvailable ? new Date(ctx.now.getTime() + store.presenceMinutes * 60_000) : null;
  const presence = { userId, status, availableUntil };
  if (wasAvailable !== isAvailable) await emit(ctx, events.presenceChanged, userId, { object: presence });
  return { presence };
}

const defaults: NotificationSettings = {
  emailAfterMinutes: 15,
  wantsDigest: false,
  playsSound: true,
  showsDesktop: false,
};

export const getNotifications = async (ctx: Context) => ({
  notifications: (await store.findNotifications(ctx.tx, personOf(ctx).userId)) ?? defaults,
});

/** `onDigest` schedules the daily email, which another feature writes. */
export async function setNotifications(
  ctx: Context,
  notifications: NotificationSettings,
  onDigest: (ctx: Context) => Promise<void>,
) {
  await store.saveNotifications(ctx.tx, ownId(ctx), notifications);
  if (notifications.wantsDigest) await onDigest(ctx);
  return { notifications };
}

function personOf({ session }: Context) {
  if (!session) throw forbidden('user_required', 'This route is for users. Sign in instead of using a key.');
  return session;
}

/** For changes, which an impersonating operator can't make. */
function ownId(ctx: Context): Id<'user'> {
  const { operatorId, userId } = personOf(ctx);
  if (operatorId !== undefined)
    throw forbidden('not_allowed_while_impersonating', 'You can’t do this while impersonating a member.');
  return userId as Id<'user'>;
}

/**
 * The available agent with fewer than `maxOpen` open conversations who has gone longest without a new one. Until the commit,
 * other assignments of the tenant wait, so that they can't give one agent too many. undefined: no one has room.
 */
export async function chooseAgent(
  { tx, now }: Context,
  { teamId, maxOpen }: { teamId: string | null; maxOpen: number },
): Promise<string | undefined> {
  const agents = await withOpen(tx, await store.lockAvailable(tx, teamId));
  const chosen = agents.find(({ open }) => open < maxOpen);
  if (chosen) await store.noteAssigned(tx, chosen.userId, now);
  return chosen?.userId;
}

/** The available agents, with their open conversations. Only a hint: `chooseAgent` checks under a lock. */
export const listRoom = async ({ tx }: Context) => withOpen(tx, await store.readAvailable(tx));

async function withOpen(tx: Context['tx'], candidates: readonly store.Candidate[]) {
  const userIds = candidates.flatMap(({ userId, roles }) => (rolesAllow(roles, 'conversation.reply') ? [userId] : []));
  const open = await store.countOpen(tx, userIds);
  return userIds.map((userId) => ({ userId, open: open.get(userId) ?? 0 }));
}

/** For each of these members, after how many minutes they want an email about a waiting visitor; null: never. */
export async function emailTimesOf({ tx }: Context, userIds: readonly string[]): Promise<Map<string, number | null>> {
  const saved = await store.emailAfterMinutesOf(tx, userIds);
  return new Map(
    userIds.map((userId) => [userId, saved.has(userId) ? (saved.get(userId) ?? null) : defaults.emailAfterMinutes]),
  );
}
