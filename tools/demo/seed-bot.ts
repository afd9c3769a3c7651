import { CreateAction } from '../../apps/server/src/features/actions/actions.contract.ts';
import { createAction } from '../../apps/server/src/features/actions/actions.service.ts';
import { createApiKey } from '../../apps/server/src/features/api-keys/api-keys.service.ts';
import { CreateBot } from '../../apps/server/src/features/bots/bots.contract.ts';
import { createBot } from '../../apps/server/src/features/bots/bots.service.ts';
import { deployBot, publishBot } from '../../apps/server/src/features/bots/versions.service.ts';
import { indexChunks } from '../../apps/server/src/features/knowledge/chunk/chunk-index.ts';
import { countTokens, saveChunks, type Chunk } from '../../apps/server/src/features/knowledge/chunk/chunks.store.ts';
import type { Context } from '../../apps/server/src/platform/context.ts';
import type { Id } from '../../apps/server/src/platform/ids.contract.ts';
import { newId } from '../../apps/server/src/platform/ids.ts';

interface SeedBotInput {
  workspaceId: Id<'workspace'>;
  environmentId: Id<'environment'>;
  name?: string;
  allowedOrigins: string[];
  draft: object;
  chunks: readonly Chunk[];
  /** Its actions, as request bodies. */
  actions?: readonly object[];
}

/** A published and deployed bot with these chunks and actions, and the key for its pages. */
export async function seedBot(
  ctx: Context,
  { workspaceId, environmentId, name = 'Shop help', allowedOrigins, draft, chunks, actions = [] }: SeedBotInput,
) {
  const invalidate = () => {};
  const input = CreateBot.parse({ name, workspaceId, allowedOrigins, draft });
  const { bot } = await createBot(ctx, input, invalidate);
  await addKnowledge(ctx, bot.id, chunks);
  for (const action of actions) await createAction(ctx, bot.id, CreateAction.parse(action));
  const { version } = await publishBot(ctx, bot.id, '', invalidate);
  await deployBot(ctx, bot.id, { environmentId, versionId: version.id }, invalidate);
  const { secret } = await createApiKey(ctx, {
    name: `Website: ${name}`,
    keyType: 'public_widget',
    boundBotId: bot.id,
    workspaceId,
    environmentId,
    expiresAt: null,
    permissions: [],
  });
  return { botId: bot.id, versionId: version.id, publicKey: secret };
}

export async function addKnowledge(
  { tx, actor }: Context,
  botId: string,
  chunks: readonly Chunk[],
  { name, language } = { name: 'Help', language: 'en' },
) {
  const [sourceId, documentId] = [newId('knowledgeSource'), newId('knowledgeDocument')];
  const text = chunks.map(({ heading, body }) => `# ${heading}\n\n${body}`).join('\n\n');
  const source = { kind: 'text', name, config: JSON.stringify({ text }), state: 'ready', createdBy: actor.id };
  const textBytes = Buffer.byteLength(text);
  await tx
    .insertInto('knowledgeSources')
    .values({ id: sourceId, botId, ...source, textBytes, lastSyncedAt: new Date() })
    .execute();
  const document = { id: documentId, sourceId, title: name, language };
  await tx
    .insertInto('knowledgeDocuments')
    .values({ ...document, location: 'help', state: 'ready', syncId: 'seed', bytes: textBytes, fetchedAt: new Date() })
    .execute();
  await saveChunks(tx, document, indexChunks(document, chunks));
  await countTokens(tx, sourceId);
}
