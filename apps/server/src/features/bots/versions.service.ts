import type { Context } from '../../platform/context.ts';
import { conflict, invalid, notFound, orNotFound } from '../../platform/errors.ts';
import { emit } from '../../platform/events.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { newId } from '../../platform/ids.ts';
import type { ListQuery } from '../../platform/lists.contract.ts';
import { readCursor, toPage } from '../../platform/lists.ts';
import { problemsOf, specsOfBot } from '../actions/index.ts';
import { enabledSourceIds } from '../knowledge/index.ts';
import { missingModels } from '../models/index.ts';
import type { VersionContent } from './bot-content.contract.ts';
import type { Bot, BotDeployment, DeployBot } from './bots.contract.ts';
import * as events from './bots.events.ts';
import { assertLive, lockBot, readBot, type InvalidateBot } from './bots.service.ts';
import { environmentsOf } from './bots.store.ts';
import { differences, hashContent } from './version-content.ts';
import * as store from './versions.store.ts';

/** Freezes the draft as a version. It is not used until it is deployed. */
export async function publishBot(ctx: Context, botId: string, notes: string, invalidate: InvalidateBot) {
  const bot = await lockBot(ctx, botId);
  assertLive(bot);
  const { content, contentHash } = await freeze(ctx, bot);
  await assertModels(ctx, content);
  assertActions(content);
  const newest = await store.newest(ctx.tx, botId);
  if (newest?.contentHash === contentHash.toString('hex'))
    throw conflict('nothing_to_publish', `The draft is identical to version ${newest.number}. Make a change first.`);

  const id = newId('botVersion');
  const number = (newest?.number ?? 0) + 1;
  await store.insert(ctx.tx, { id, botId, number, contentHash, content, notes, createdBy: ctx.actor.id });
  const version = await readVersion(ctx, botId, id);
  ctx.afterCommit(() => invalidate(ctx.tenantId, botId));
  await emit(ctx, events.botPublished, id, { object: version }, { botId });
  return { version };
}

/** Freezes the draft as an unnumbered version for testing. An unchanged draft returns the same version. */
export async function freezeDraft(ctx: Context, botId: string): Promise<Id<'botVersion'>> {
  const frozen = await freeze(ctx, await readBot(ctx, botId));
  return store.insertUnnumbered(ctx.tx, { id: newId('botVersion'), botId, ...frozen, createdBy: ctx.actor.id });
}

export async function listVersions(ctx: Context, botId: string, { cursor, limit }: ListQuery) {
  await readBot(ctx, botId);
  return toPage(await store.list(ctx.tx, botId, readCursor(cursor), limit + 1), limit);
}

export const getVersion = async (ctx: Context, botId: string, id: string) => ({
  version: await readVersion(ctx, botId, id),
});

export async function diffVersions(ctx: Context, botId: string, a: string, b: string) {
  const [before, after] = [await readVersion(ctx, botId, a), await readVersion(ctx, botId, b)];
  return { changes: differences(before.content, after.content) };
}

/** Deploys a version or rolls back to an earlier one. New conversations use it immediately. */
export async function deployBot(
  ctx: Context,
  botId: string,
  { environmentId, versionId }: DeployBot,
  invalidate: InvalidateBot,
) {
  const bot = await lockBot(ctx, botId);
  const environments = await environmentsOf(ctx.tx, bot.workspaceId);
  if (!environments.some(({ id }) => id === environmentId)) throw notFound('environment');
  const { number } = await readVersion(ctx, botId, versionId);
  assertLive(bot);
  if (number === null)
    throw conflict('version_not_published', 'This version was frozen for testing. Publish the draft first.');

  const previous = await store.findDeployment(ctx.tx, botId, environmentId);
  if (previous?.versionId === versionId) return { deployment: previous };
  const deployment: BotDeployment = {
    botId: bot.id,
    environmentId,
    versionId,
    number,
    deployedBy: ctx.actor.id,
    deployedAt: ctx.now,
  };
  await store.deploy(ctx.tx, deployment);
  ctx.afterCommit(() => invalidate(ctx.tenantId, botId));
  await emit(
    ctx,
    events.botDeployed,
    botId,
    { object: deployment, previous: previous ?? null },
    { botId, environmentId },
  );
  return { deployment };
}

const readVersion = async ({ tx }: Context, botId: string, id: string) =>
  orNotFound('bot_version', await store.find(tx, botId, id));

/** The content of a version if it were published now. */
export const draftContent = async (ctx: Context, botId: string) => contentOfDraft(ctx, await readBot(ctx, botId));

const contentOfDraft = async ({ tx }: Context, { id, draft }: Bot): Promise<VersionContent> => ({
  ...draft,
  knowledgeSourceIds: await enabledSourceIds(tx, id),
  actions: await specsOfBot(tx, id),
});

async function freeze(ctx: Context, bot: Bot) {
  const content = await contentOfDraft(ctx, bot);
  return { content, contentHash: hashContent(content) };
}

/** Actions are valid on their own when saved; here they are validated together. */
function assertActions({ actions }: VersionContent) {
  const problems = actions.flatMap((action) =>
    problemsOf(
      action,
      actions.filter(({ id }) => id !== action.id),
    ).map(({ path, message }) => ({ path: `/actions/${action.name}${path}`, message })),
  );
  if (problems.length > 0) throw invalid('invalid_action', problems);
}

/** A model in the draft may have been deleted since. */
async function assertModels({ tx }: Context, { answers }: VersionContent) {
  const missing = await missingModels(tx, answers.models);
  if (missing.length > 0)
    throw invalid('model_not_found', [
      { path: '/draft/answers/models', message: `The draft uses a model that does not exist: ${missing.join(', ')}.` },
    ]);
}
