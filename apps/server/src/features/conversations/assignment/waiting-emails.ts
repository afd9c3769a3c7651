import type { Context } from '../../../platform/context.ts';
import { queueEmail } from '../../../platform/emails.ts';
import { emailTimesOf, listAvailableAgents } from '../../agents/index.ts';
import { listMembersWithPermission } from '../../members/index.ts';
import { membersOfTeam } from '../../teams/index.ts';
import type { Conversation } from '../conversations.contract.ts';

export const waitingEmail = 'conversation-waiting'; // stored: renaming it abandons queued emails

const maxRecipients = 100;

/** Emails the agents responsible who chose this number of minutes. Of several, those who are available, if there are any. */
export async function emailAgents(ctx: Context, conversation: Conversation, minutes: number): Promise<void> {
  const agents = await responsibleFor(ctx, conversation);
  const recipients = agents.filter((agent) => agent.minutes === minutes);
  await queue(ctx, conversation, await preferAvailable(ctx, recipients), { minutes, isEscalated: false });
}

/** Emails the agents to whom it was escalated. */
export async function emailEscalation(ctx: Context, conversation: Conversation, minutes: number): Promise<void> {
  const recipients = await preferAvailable(ctx, await responsibleFor(ctx, conversation));
  await queue(ctx, conversation, recipients, { minutes, isEscalated: true });
}

/** The assignee; otherwise the team; otherwise everyone. Only who gets these emails: someone must hear of it. */
async function responsibleFor(ctx: Context, { assigneeId, teamId }: Conversation) {
  const all = await listMembersWithPermission(ctx, 'conversation.reply', 1_000);
  const active = all.filter(({ isDisabled }) => !isDisabled);
  const times = await emailTimesOf(
    ctx,
    active.map(({ userId }) => userId),
  );
  const readers = active.flatMap(({ userId, email }) => {
    const minutes = times.get(userId) ?? null;
    return minutes === null ? [] : [{ userId, email, minutes }];
  });
  const assignee = readers.filter(({ userId }) => userId === assigneeId);
  if (assignee.length > 0) return assignee;
  const inTeam = new Set<string>(teamId === null ? [] : await membersOfTeam(ctx.tx, teamId));
  const team = readers.filter(({ userId }) => inTeam.has(userId));
  return team.length > 0 ? team : readers;
}

async function preferAvailable<A extends { userId: string }>({ tx }: Context, agents: A[]): Promise<A[]> {
  const available = new Set(
    await listAvailableAgents(
      tx,
      agents.map(({ userId }) => userId),
    ),
  );
  const present = agents.filter(({ userId }) => available.has(userId));
  return present.length > 0 ? present : agents;
}

async function queue(
  { tx, tenantId }: Context,
  { id: conversationId }: Conversation,
  recipients: readonly { email: string }[],
  details: { minutes: number; isEscalated: boolean },
): Promise<void> {
  for (const { email } of recipients.slice(0, maxRecipients))
    await queueEmail(tx, waitingEmail, email, { tenantId, conversationId, ...details });
}
