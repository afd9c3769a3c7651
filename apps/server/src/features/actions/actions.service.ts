import type { Context } from '../../platform/context.ts';
import { conflict, invalid, notFound, orNotFound } from '../../platform/errors.ts';
import { emit } from '../../platform/events.ts';
import { newId } from '../../platform/ids.ts';
import type { ListQuery } from '../../platform/lists.contract.ts';
import { readCursor, toPage } from '../../platform/lists.ts';
import { webhookExists } from '../webhooks/index.ts';
import type { Action, ActionSpec, CreateAction, UpdateAction } from './actions.contract.ts';
import * as events from './actions.events.ts';
import * as store from './actions.store.ts';
import { problemsOf, type Problem } from './schema/check.ts';

const maxActions = 50;

const load = async ({ tx }: Context, id: string) => orNotFound('action', await store.find(tx, id));
/** Locks the action's bot, then reads the action again, because a concurrent change may have committed meanwhile. */
async function lockAndLoad(ctx: Context, id: string) {
  const { botId } = await load(ctx, id);
  await store.lockBot(ctx.tx, botId);
  return load(ctx, id);
}

export async function createAction(ctx: Context, botId: string, { name, ...spec }: CreateAction) {
  const bot = orNotFound('bot', await store.lockBot(ctx.tx, botId));
  if (bot.status === 'archived')
    throw conflict('bot_archived', 'This bot is archived. Set its status to active first.');
  if ((await store.count(ctx.tx, botId)) >= maxActions)
    throw conflict('action_limit_reached', `A bot can have up to ${maxActions} actions. Delete one first.`);
  const id = newId('action');
  await assertValid(ctx, botId, { ...spec, id, name });
  await store.insert(ctx.tx, { id, botId, name, spec, createdBy: ctx.actor.id });
  return { action: await publishEvent(ctx, events.actionCreated, await load(ctx, id)) };
}

export async function listActions(ctx: Context, botId: string, { cursor, limit }: ListQuery) {
  orNotFound('bot', await store.botOf(ctx.tx, botId));
  return toPage(await store.list(ctx.tx, botId, { before: readCursor(cursor), limit: limit + 1 }), limit);
}

export const getAction = async (ctx: Context, id: string) => ({ action: await load(ctx, id) });

/** Changes the draft only. Published versions stay as they are. */
export async function updateAction(ctx: Context, id: string, change: UpdateAction) {
  const {
    botId,
    createdAt: _at,
    createdBy: _by,
    updatedAt: _updated,
    lastRun: _run,
    ...before
  } = await lockAndLoad(ctx, id);
  const after = { ...before, ...definedFields(change) };
  await assertValid(ctx, botId, after);
  const { id: _id, name, ...spec } = after;
  await store.update(ctx.tx, id, { name, spec });
  return { action: await publishEvent(ctx, events.actionUpdated, await load(ctx, id)) };
}

/** The fields that were sent. Fields left out keep their value. */
const definedFields = (change: UpdateAction) =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as Partial<ActionSpec>;

export async function deleteAction(ctx: Context, id: string) {
  const action = await lockAndLoad(ctx, id);
  const users = (await store.specsOfBot(ctx.tx, action.botId)).filter(({ steps }) =>
    steps?.some((step) => step.actionId === id || step.compensation?.actionId === id),
  );
  if (users.length > 0)
    throw conflict(
      'action_in_use',
      `This action is a step of ${users.map(({ name }) => name).join(', ')}. Remove it from there first.`,
    );
  await store.remove(ctx.tx, id);
  return { action: await publishEvent(ctx, events.actionDeleted, action) };
}

async function publishEvent(ctx: Context, event: typeof events.actionCreated, action: Action) {
  await emit(ctx, event, action.id, { object: action }, { botId: action.botId });
  return action;
}

async function assertValid(ctx: Context, botId: string, spec: ActionSpec) {
  const others = (await store.specsOfBot(ctx.tx, botId)).filter(({ id }) => id !== spec.id);
  if (spec.webhookId !== null && !(await webhookExists(ctx.tx, spec.webhookId))) throw notFound('webhook');
  throwIfInvalid(problemsOf(spec, others));
  for (const other of others)
    throwIfInvalid(
      problemsOf(other, [...others.filter(({ id }) => id !== other.id), spec]).filter(({ isOfSteps }) => isOfSteps),
    );
}

function throwIfInvalid(problems: readonly Problem[]) {
  if (problems.length > 0)
    throw invalid(
      'invalid_action',
      problems.map(({ path, message }) => ({ path, message })),
    );
}
