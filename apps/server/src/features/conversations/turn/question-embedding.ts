import { LRUCache } from 'lru-cache';
import { asSystem, inTenant, type Services } from '../../../platform/context.ts';
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

/** Questions of turns in progress: several steps of a turn need the same one. As short-lived as their embeddings. */
const questions = new LRUCache<string, string>({ max: 1_000, ttl: 60_000 });

const embed = async ({ embedQuestion }: EmbeddingDeps, question: string): Promise<QuestionEmbedding | undefined> =>
  question === '' ? undefined : { question, vector: await embedQuestion?.(question) };

export async function embeddingOfTurn(
  deps: EmbeddingDeps,
  { tenantId, conversationId }: EmbeddingTarget,
  turnId: string,
): Promise<QuestionEmbedding | undefined> {
  if (!deps.embedQuestion) return undefined;
  const known = questions.get(turnId);
  if (known !== undefined) return embed(deps, known);
  const turn = await inTenant(
    deps.services,
    asSystem(tenantId, 'conversation'),
    ({ tx }) => store.findTurn(tx, conversationId, { id: turnId }),
    { readOnly: true },
  );
  return embed(deps, turn && !turn.stopRequested ? store.questionOf(turn).text : '');
}

/** For the next turn, if it is answered without a model. */
export async function embeddingOfNextExtractiveTurn(
  deps: EmbeddingDeps,
  { tenantId, conversationId }: EmbeddingTarget,
): Promise<QuestionEmbedding | undefined> {
  if (!deps.embedQuestion) return undefined;
  const question = await inTenant(
    deps.services,
    asSystem(tenantId, 'conversation'),
    async (ctx) => {
      const [conversation, turn] = await Promise.all([
        store.findAnswerable(ctx.tx, conversationId),
        store.nextOpenTurn(ctx.tx, conversationId),
      ]);
      if (conversation?.state !== 'bot' || !turn || turn.stopRequested) return '';
      const { text } = store.questionOf(turn);
      const { answers } = await deps.versions.contentOf(ctx, conversation.versionId);
      if (answers.mode === 'extractive') return text;
      questions.set(turn.id, text);
      return '';
    },
    { readOnly: true },
  );
  return embed(deps, question);
}
