import { asSystem, inTenant, type Context, type Services } from '../../../platform/context.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import type { QuestionVector } from '../../knowledge/index.ts';
import * as store from '../conversations.store.ts';
import { questionOf } from '../log/log.store.ts';
import type { Versions } from './versions.ts';

export interface EmbeddingDeps {
  services: Services;
  versions: Versions;
  /** Where the deployment has an embedding model. */
  embedQuestion?: ((question: string) => Promise<QuestionVector | undefined>) | undefined;
}

/** What a question means. Had before the transaction that answers it, as nothing inside one waits for another server. */
export interface QuestionEmbedding {
  question: string;
  vector: QuestionVector | undefined;
}

/** Of this question only: another may have come to be the next one meanwhile. */
export const vectorFor = (embedding: QuestionEmbedding | undefined, question: string) =>
  embedding?.question === question ? embedding.vector : undefined;

interface Where {
  tenantId: Id<'tenant'>;
  conversationId: Id<'conversation'>;
}

async function embeddingOf(
  { services, embedQuestion }: EmbeddingDeps,
  { tenantId, conversationId }: Where,
  find: (ctx: Context) => Promise<store.TurnRow | undefined>,
): Promise<QuestionEmbedding | undefined> {
  if (!embedQuestion) return undefined;
  const question = await inTenant(
    services,
    asSystem(tenantId, 'conversation'),
    async (ctx) => {
      const turn = await find(ctx);
      return turn && !turn.stopRequested ? (await questionOf(ctx.tx, conversationId, turn.messageId)).text : '';
    },
    { readOnly: true },
  );
  return question === '' ? undefined : { question, vector: await embedQuestion(question) };
}

export const embeddingOfTurn = (parts: EmbeddingDeps, where: Where, turnId: string) =>
  embeddingOf(parts, where, ({ tx }) => store.findTurn(tx, where.conversationId, { id: turnId }));

/** Of the turn that is next, if it will be answered at once. */
export const embeddingOfNextQuote = (parts: EmbeddingDeps, where: Where) =>
  embeddingOf(parts, where, async (ctx) => {
    const conversation = await store.findToAnswer(ctx.tx, where.conversationId);
    if (conversation?.state !== 'bot') return undefined;
    const { answers } = await parts.versions.contentOf(ctx, conversation.versionId);
    return answers.mode === 'extractive' ? store.nextOpenTurn(ctx.tx, conversation.id) : undefined;
  });
