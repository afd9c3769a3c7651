import type { Context } from '../../platform/context.ts';
import { conflict, notFound, orNotFound } from '../../platform/errors.ts';
import { emit } from '../../platform/events.ts';
import type { ListQuery } from '../../platform/lists.contract.ts';
import { readCursor, toPage } from '../../platform/lists.ts';
import { newId } from '../../platform/ids.ts';
import type { ChangeTeam, CreateTeam } from './teams.contract.ts';
import * as events from './teams.events.ts';
import * as store from './teams.store.ts';

const read = async ({ tx }: Context, id: string) => orNotFound('team', await store.find(tx, id));

export const listTeams = async ({ tx }: Context, { cursor, limit }: ListQuery) =>
  toPage(await store.list(tx, readCursor(cursor), limit + 1), limit);

export const getTeam = async (ctx: Context, id: string) => ({ team: await read(ctx, id) });

export async function createTeam(ctx: Context, { name, memberIds }: CreateTeam) {
  await assertMembers(ctx, memberIds);
  const id = newId('team');
  await store.insert(ctx.tx, { id, name });
  await store.setMembers(ctx.tx, id, memberIds);
  const team = await read(ctx, id);
  await emit(ctx, events.teamCreated, id, { object: team });
  return { team };
}

export async function changeTeam(ctx: Context, id: string, { name, memberIds }: ChangeTeam) {
  orNotFound('team', await store.lock(ctx.tx, id));
  if (memberIds) await assertMembers(ctx, memberIds);
  if (name !== undefined) await store.rename(ctx.tx, id, name);
  if (memberIds) await store.setMembers(ctx.tx, id, memberIds);
  const team = await read(ctx, id);
  await emit(ctx, events.teamUpdated, id, { object: team });
  return { team };
}

/** Before anything else, so that someone else's member is not found, whatever the name. */
async function assertMembers({ tx }: Context, userIds: readonly string[]): Promise<void> {
  if (!(await store.areMembers(tx, userIds))) throw notFound('member');
}

export async function deleteTeam(ctx: Context, id: string) {
  orNotFound('team', await store.lock(ctx.tx, id));
  const team = await read(ctx, id);
  if (await store.isInSettings(ctx.tx, id))
    throw conflict('team_in_use', 'The assignment settings of a workspace use this team. Change them first.');
  await store.remove(ctx.tx, id);
  await emit(ctx, events.teamDeleted, id, { object: team });
  return { team };
}
