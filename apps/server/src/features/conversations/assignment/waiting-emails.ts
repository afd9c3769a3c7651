import type { Context } from '../../../platform/context.ts';
import { queueEmail } from '../../../platform/emails.ts';
import { emailTimesOf, listAvailableAgents } from '../../agents/index.ts';
import { listMembersWithPermission } from '../../members/index.ts';
import { membersOfTeam } from '../../teams/index.ts';
import type { Conversation } from '../conversations.contract.ts';

export const waitingEmail = 'conversation-waiting'; // stored: renaming it abandons queued emails

const maxRecipients = 100;

/** Emails the agents responsible who chose this number of minutes. */
export async function emailAgents(ctx: Context, conversation: Conversation, minutes: number): Promise<void> {
  const agents = await responsibleFor(ctx, conversation);
  const times = await emailTimesOf(
    ctx,
    agents.map(({ userId }) => userId),
  );
  const recipients = agents.filter(({ userId }) => times.get(userId) === minutes);
  await queue(ctx, conversation, recipients, { minutes, isEscalated: false });
}

/** Emails the agents to whom it was escalated, unless they turned emails off. */
export async function emailEscalation(ctx: Context, conversation: Conversation, minutes: number): Promise<void> {
  const agents = await responsibleFor(ctx, conversation);
  const times = await emailTimesOf(
    ctx,
    agents.map(({ userId }) => userId),
  );
  const recipients = agents.filter(({ userId }) => times.get(userId) !== null);
  await queue(ctx, conversation, recipients, { minutes, isEscalated: true });
}

/** The assignee; without one, the team; without one, everyone. Of several, those who are available, if there are any. */
async function responsibleFor(ctx: Context, { assigneeId, teamId }: Conversation) {
  const all = await listMembersWithPermission(ctx, 'conversation.reply', 1_000);
  const active = all.filter(({ isDisabled }) => !isDisabled);
  const assignee = active.filter(({ userId }) => userId === assigneeId);
  if (assignee.length > 0) return assignee;
  const inTeam = new Set<string>(teamId === null ? [] : await membersOfTeam(ctx.tx, teamId));
  const team = active.filter(({ userId }) => inTeam.has(userId));
  const group = team.length > 0 ? team : active;
  const available = new Set(
    await listAvailableAgents(
      ctx.tx,
      group.map(({ userId }) => userId),
    ),
  );
  const present = group.filter(({ userId }) => available.has(userId));
  return present.length > 0 ? present : group;
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
