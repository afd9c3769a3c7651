import type { Context } from '../../../platform/context.ts';
import { notFound, orNotFound } from '../../../platform/errors.ts';
import { emit } from '../../../platform/events.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { hasMemberPermission } from '../../members/index.ts';
import { lockTeam } from '../../teams/index.ts';
import type { AssignmentSettings, EscalationTarget } from './assignment.contract.ts';
import { assignmentUpdated } from './assignment.events.ts';
import * as store from './assignment.store.ts';

export const manual: AssignmentSettings = { mode: 'manual', maxOpen: 5, teamId: null, escalation: null };

export async function getAssignmentSettings({ tx }: Context, workspaceId: string) {
  if (!(await store.hasWorkspace(tx, workspaceId))) throw notFound('workspace');
  return { assignment: (await store.findSettings(tx, workspaceId)) ?? manual };
}

/** Conversations that wait already keep their assignee, and get the new time limit by a reaction. */
export async function setAssignmentSettings(
  ctx: Context,
  workspaceId: Id<'workspace'>,
  assignment: AssignmentSettings,
) {
  if (!(await store.hasWorkspace(ctx.tx, workspaceId))) throw notFound('workspace');
  if (assignment.teamId !== null) orNotFound('team', await lockTeam(ctx.tx, assignment.teamId));
  if (assignment.escalation) await assertExists(ctx, assignment.escalation.to);
  await store.saveSettings(ctx.tx, workspaceId, assignment);
  await emit(ctx, assignmentUpdated, workspaceId, { object: { workspaceId, ...assignment } });
  return { assignment };
}

async function assertExists(ctx: Context, to: EscalationTarget): Promise<void> {
  if (to.type === 'team') orNotFound('team', await lockTeam(ctx.tx, to.teamId));
  if (to.type === 'member' && !(await hasMemberPermission(ctx, to.userId, 'conversation.reply')))
    throw notFound('member');
}
