import { asSystem, inTenant, type Context, type Ground } from '../../platform/context.ts';
import { emit } from '../../platform/events.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { clearTimer } from '../../platform/timers.ts';
import { answerFromPassages, chooseLanguage, textsIn, type Answer } from '../answers/index.ts';
import { countTurn } from '../usage/index.ts';
import type { VersionContent } from '../bots/bot-content.contract.ts';
import { about, turnSubject, turnTimer } from './accept.ts';
import type { Message, Turn } from './conversations.contract.ts';
import * as events from './conversations.events.ts';
import * as store from './conversations.store.ts';
import { append, messagesBefore, questionOf, toMessage, type MessageBody } from './log.ts';
import { findStep, type Asked } from './steps.store.ts';
import { endTurn } from './turn-ends.ts';
import type { Versions } from './versions.ts';

/** The turns of one conversation, in the order of their messages. Each function is one step: it may run twice, and is done once. */
export interface Place {
  tenantId: Id<'tenant'>;
  conversationId: Id<'conversation'>;
}

export interface TurnParts {
  ground: Ground;
  versions: Versions;
}

export interface Begun {
  turnId: Id<'turn'>;
  /** How many models to ask, one after the other. */
  models: number;
}

export const inConversation = <T>({ ground }: TurnParts, { tenantId }: Place, work: (ctx: Context) => Promise<T>) =>
  inTenant(ground, { ...asSystem(tenantId, 'conversation'), actor: { type: 'bot', id: 'bot' } }, work);

/** The next turn to run, up to the one that was called for. null when there is none. */
export const beginTurn = (parts: TurnParts, place: Place, turnId: string): Promise<Begun | null> =>
  inConversation(parts, place, async (ctx) => {
    const { conversationId } = place;
    for (;;) {
      const next = await store.nextTurnFor(ctx.tx, conversationId, turnId);
      if (!next) await clearTimer(ctx, turnTimer, turnSubject(conversationId, turnId)); // erased, with all that it was about
      if (!next?.id) return null;
      const { id, replyId, status, stopRequested, state, versionId } = next;
      if (state !== 'bot') {
        // A person has taken over since: they will answer.
        await endTurn(ctx, conversationId, id, { status: 'cancelled', reason: 'handed_off' });
        continue;
      }
      if (status === 'queued') {
        await store.updateTurn(ctx.tx, conversationId, id, { status: 'running' });
        await append(ctx, conversationId, [{ type: 'turn.started', turnId: id, payload: { messageId: replyId } }]);
      }
      const { answers } = await parts.versions.contentOf(ctx, versionId);
      return {
        turnId: id as Id<'turn'>,
        models: answers.mode === 'model' && !stopRequested ? answers.models.length : 0,
      };
    }
  });

/** The answer into the log, once, and everything that hangs on it. */
export const saveReply = (parts: TurnParts, place: Place, turnId: Id<'turn'>): Promise<void> =>
  inConversation(parts, place, async (ctx) => {
    const { tx } = ctx;
    const { conversationId } = place;
    const conversation = await store.lock(tx, conversationId);
    const turn = await store.findTurn(tx, conversationId, { id: turnId });
    if (!conversation || !turn || turn.status !== 'running') return;
    const content = await parts.versions.contentOf(ctx, conversation.versionId);
    const asked =
      content.answers.mode === 'model' ? await whatModelsSaid(ctx, conversationId, turnId, content) : undefined;
    const { answer, mode, reason, finish } = await compose(ctx, { conversationId, turn, content, asked });

    const isHandoffOffered = await shouldOffer(ctx, conversationId, content, answer.isAnswer);
    const { text, isAnswer } = answer;
    const citations = answer.citations as NonNullable<MessageBody['citations']>;
    const body: MessageBody = { role: 'bot', text, citations, isAnswer, isHandoffOffered, finish };
    const status = finish === 'stopped' ? 'cancelled' : 'done';
    const payload = { ...body, turn: { id: turnId, status, mode, reason } satisfies Turn };
    const { replyId } = turn;
    const [seq = 0] = await append(ctx, conversationId, [
      { type: 'reply.completed', messageId: replyId, turnId, payload },
    ]);
    const { tokensIn = 0, tokensOut = 0, spendMicros = 0 } = asked?.cost ?? {};
    const used = { tokensIn, tokensOut, spendMicros };
    await endTurn(ctx, conversationId, turnId, { status, mode, reason, ...used });
    await countTurn(ctx, conversation.botId, { ...used, modelTurns: mode === 'model' ? 1 : 0 });
    const message = toMessage({ seq, type: '', messageId: replyId, turnId, payload: body, createdAt: ctx.now });
    if (message) await emit(ctx, events.messageCreated, replyId, { object: message }, about(conversation, seq));
    if (mode === 'fallback')
      await emit(
        ctx,
        events.botFallback,
        conversation.botId,
        { object: { botId: conversation.botId, reason: reason ?? 'model_failed' } },
        about(conversation, seq),
      );
  });

interface Said {
  answered: (Asked & { outcome: 'answered' }) | undefined;
  reason: string;
  cost: { tokensIn: number; tokensOut: number; spendMicros: number };
}

/** What each of them brought: the one that answered, or why none did, and what all of it cost. */
async function whatModelsSaid(
  { tx }: Context,
  conversationId: string,
  turnId: string,
  { answers }: VersionContent,
): Promise<Said> {
  const said: Said = {
    answered: undefined,
    reason: 'model_not_asked',
    cost: { tokensIn: 0, tokensOut: 0, spendMicros: 0 },
  };
  for (let n = 1; n <= answers.models.length; n++) {
    const asked = await findStep<Asked>(tx, conversationId, turnId, `model ${n}`);
    if (!asked) break;
    if (asked.outcome === 'answered') {
      said.answered = asked;
      said.cost = asked.cost;
    } else said.reason = asked.reason;
  }
  return said;
}

interface ToCompose {
  conversationId: string;
  turn: store.TurnRow;
  content: VersionContent;
  asked: Said | undefined;
}
interface Composed {
  answer: Answer;
  mode: 'extractive' | 'model' | 'fallback';
  reason: string | null;
  finish: NonNullable<Message['finish']>;
}

async function compose(ctx: Context, { conversationId, turn, content, asked }: ToCompose): Promise<Composed> {
  if (turn.stopRequested && !asked?.answered)
    return {
      answer: { text: '', citations: [], isAnswer: false },
      mode: 'extractive',
      reason: 'stopped',
      finish: 'stopped',
    };
  const { text: question, language } = await questionOf(ctx.tx, conversationId, turn.messageId);
  const words = textsIn(chooseLanguage(content.languages, language));
  if (asked?.answered) {
    const { text, citations, finish, isAnswer } = asked.answered;
    const whole = isAnswer ? text : content.noAnswer || words.noAnswer;
    return {
      answer: { text: finish === 'cut' ? `${whole}\n\n${words.cut}` : whole, citations, isAnswer },
      mode: 'model',
      reason: null,
      finish,
    };
  }
  const answer = await answerFromPassages(ctx.tx, content, question, language);
  if (!asked) return { answer, mode: 'extractive', reason: null, finish: 'complete' };
  // A model was to answer and could not. What is quoted is still right; saying "no answer" would not be.
  const honest = answer.isAnswer ? answer : { ...answer, text: words.trouble };
  return { answer: honest, mode: 'fallback', reason: asked.reason, finish: 'complete' };
}

/** After so many questions in a row that found nothing, a person is offered. */
async function shouldOffer(
  { tx }: Context,
  conversationId: string,
  { handoff }: VersionContent,
  isAnswer: boolean,
): Promise<boolean> {
  const { isOffered, afterUnanswered } = handoff;
  if (isAnswer || !isOffered || afterUnanswered === null) return false;
  const recent = await messagesBefore(tx, conversationId, { most: 2 * afterUnanswered });
  const earlier = recent.filter(({ role }) => role === 'bot').slice(0, afterUnanswered - 1);
  return earlier.length === afterUnanswered - 1 && earlier.every((reply) => reply.isAnswer === false);
}
