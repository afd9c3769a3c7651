import type { Context, Services } from '../../platform/context.ts';
import { forDueTenants } from '../../platform/due-tenants.ts';
import { queueEmail } from '../../platform/emails.ts';
import { listDigestReaders } from '../agents/index.ts';
import { findBusinessHours, nextDayStart } from '../business-hours/index.ts';
import { findMember, rolesAllow } from '../members/index.ts';
import * as store from './digests.store.ts';

// One email a day per workspace, when it opens, about all days since the last one. A tenant has rows in `digests` only while
// one of its members wants them.

export const digestEmail = 'digest'; // stored: renaming it abandons queued emails

/** A member wants the daily email. */
export async function scheduleDigests({ tx, now }: Context): Promise<void> {
  for (const workspaceId of await store.listWorkspaceIds(tx))
    await store.schedule(tx, workspaceId, {
      dueAt: await nextDue({ tx, now }, workspaceId),
      reportedUntil: yesterday(now),
    });
}

/** Figures are counted per day in UTC; this one is complete. */
const yesterday = (now: Date) => dayAfter(now, -1);
const dayAfter = (date: Date, days: number) => new Date(date.getTime() + days * 86_400_000).toISOString().slice(0, 10);

const nextDue = async ({ tx, now }: Pick<Context, 'tx' | 'now'>, workspaceId: string): Promise<Date> =>
  nextDayStart((await findBusinessHours(tx, workspaceId)) ?? null, now);

/** A chore: finds the tenants with something due by an index. */
export const queueDigests = (services: Services) => forDueTenants(services, 'digests', store.dueDigests, queueDue);

/** Returns whether there may be more. */
async function queueDue(ctx: Context): Promise<boolean> {
  const due = await store.lockDue(ctx.tx, ctx.now);
  if (due.length === 0) return false;
  const readers = await listDigestReaders(ctx.tx);
  if (readers.length === 0) {
    await store.removeAll(ctx.tx);
    return false;
  }
  const recipients = await emailsOf(ctx, readers);
  const until = yesterday(ctx.now);
  for (const { workspaceId, reportedUntil } of due) {
    await store.reschedule(ctx.tx, workspaceId, { dueAt: await nextDue(ctx, workspaceId), reportedUntil: until });
    const since = reportedUntil === null ? until : dayAfter(new Date(reportedUntil), 1);
    const digest = await store.readDigest(ctx.tx, workspaceId, { since, until });
    if (!digest || digest.waiting + digest.unanswered + digest.ratings === 0) continue;
    for (const email of recipients) await queueEmail(ctx.tx, digestEmail, email, { ...digest, since, until });
  }
  await scheduleDigests(ctx); // workspaces that were created since
  return true;
}

/** Of those who may read them. Someone who may not now keeps the setting, and the schedule with it: a role can return. */
async function emailsOf(ctx: Context, userIds: readonly string[]): Promise<string[]> {
  const members = await Promise.all(userIds.map((userId) => findMember(ctx, userId)));
  return members.flatMap((member) =>
    member && !member.isDisabled && rolesAllow(member.roles, 'conversation.reply') ? [member.email] : [],
  );
}
