import type { Context } from '../../platform/context.ts';
import { notFound } from '../../platform/errors.ts';
import { emit } from '../../platform/events.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { BusinessHours } from './business-hours.contract.ts';
import * as events from './business-hours.events.ts';
import { availabilityAt } from './opening.ts';
import * as store from './business-hours.store.ts';

const unset: BusinessHours = { timeZone: 'UTC', weekly: null, holidays: [], awayMessage: '', replyMinutes: null };

export async function getBusinessHours({ tx }: Context, workspaceId: string) {
  if (!(await store.hasWorkspace(tx, workspaceId))) throw notFound('workspace');
  return { businessHours: (await store.find(tx, workspaceId)) ?? unset };
}

export async function setBusinessHours(ctx: Context, workspaceId: Id<'workspace'>, businessHours: BusinessHours) {
  if (!(await store.hasWorkspace(ctx.tx, workspaceId))) throw notFound('workspace');
  await store.save(ctx.tx, workspaceId, businessHours);
  await emit(ctx, events.businessHoursUpdated, workspaceId, { object: { workspaceId, ...businessHours } });
  return { businessHours };
}

/** What the bot adds for a visitor who asks for an agent now; null while the team is there. */
export async function awayMessageOf({ tx, now }: Pick<Context, 'tx' | 'now'>, botId: string): Promise<string | null> {
  return availabilityAt((await store.findOfBot(tx, botId)) ?? null, now).awayMessage;
}
