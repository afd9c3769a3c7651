import { asSystem, inTenant, type Context, type Services } from '../../../platform/context.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import type { QuestionVector } from '../../knowledge/index.ts';
import * as store from '../conversations.store.ts';
import type { Versions } from './versions.ts';

export interface EmbeddingDeps {
  services: Services;
  versions: Versions;
  /** Where the deployment has an embedding model. */
  embedQuestion?: ((question: string) => Promise<QuestionVector | undefined>) | undefined;
}

/** Embedding of a question. Computed before the transaction that answers it, since transactions make no network calls. */
export interface QuestionEmbedding {
  question: string;
  vector: QuestionVector | undefined;
}

/** Only for the same question: another turn may have become the next one meanwhile. */
export const vectorFor = (embedding: QuestionEmbedding | undefined, question: string) =>
  embedding?.question === question ? embedding.vector : undefined;

interface EmbeddingTarget {
  tenantId: Id<'tenant'>;
  conversationId: Id<'conversation'>;
}

async function embeddingOf(
  { services, embedQuestion }: EmbeddingDeps,
  { tenantId }: EmbeddingTarget,
  find: (ctx: Context) => Promise<store.TurnRow | undefined>,
): Promise<QuestionEmbedding | undefined> {
  if (!embedQuestion) return undefined;
  const question = await inTenant(
    services,
    asSystem(tenantId, 'conversation'),
    async (ctx) => {
      const turn = await find(ctx);
      return turn && !turn.stopRequested ? store.questionOf(turn).text : '';
    },
    { readOnly: true },
  );
  return question === '' ? undefined : { question, vector: await embedQuestion(question) };
}

export const embeddingOfTurn = (deps: EmbeddingDeps, target: EmbeddingTarget, turnId: string) =>
  embeddingOf(deps, target, ({ tx }) => store.findTurn(tx, target.conversationId, { id: turnId }));

/** For the next turn, if it is answered without a model. */
export const embeddingOfNextExtractiveTurn = (deps: EmbeddingDeps, target: EmbeddingTarget) =>
  embeddingOf(deps, target, async (ctx) => {
    const conversation = await store.findAnswerable(ctx.tx, target.conversationId);
    if (conversation?.state !== 'bot') return undefined;
    const { answers } = await deps.versions.contentOf(ctx, conversation.versionId);
    return answers.mode === 'extractive' ? store.nextOpenTurn(ctx.tx, conversation.id) : undefined;
  });
