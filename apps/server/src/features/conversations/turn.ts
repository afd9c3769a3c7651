import { asSystem, inTenant, type Context } from '../../platform/context.ts';
import { emit } from '../../platform/events.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { clearTimer } from '../../platform/timers.ts';
import { answerFromPassages, chooseLanguage, textsIn, type Answer } from '../answers/index.ts';
import { readEntitlements } from '../entitlements/index.ts';
import { countTurn } from '../usage/index.ts';
import type { VersionContent } from '../bots/bot-content.contract.ts';
import { about, turnSubject, turnTimer } from './accept.ts';
import type { Conversation, Message, Turn } from './conversations.contract.ts';
import * as events from './conversations.events.ts';
import * as store from './conversations.store.ts';
import { append, messagesBefore, questionOf, toMessage, type Entry, type MessageBody } from './log.ts';
import { meaningOfNextQuote, meaningOfTurn, vectorFor, type Meaning, type MeaningParts } from './meaning.ts';
import { findStep, type Asked } from './steps.store.ts';
import { cancelTurn, endTurn } from './turn-ends.ts';

/** The turns of one conversation, in the order of their messages. Each function is one step: it may run twice, and is done once. */
export interface Place {
  tenantId: Id<'tenant'>;
  conversationId: Id<'conversation'>;
}

export interface TurnParts extends MeaningParts {
  /** For those who watch the figures: how long somebody waited for an answer, and how it came about. */
  noteTurn(mode: string, seconds: number): void;
}

export interface Begun {
  turnId: Id<'turn'>;
  /** How many models to ask, one after the other. */
  models: number;
}

export const inConversation = <T>({ ground }: TurnParts, { tenantId }: Place, work: (ctx: Context) => Promise<T>) =>
  inTenant(ground, { ...asSystem(tenantId, 'conversation'), actor: { type: 'bot', id: 'bot' } }, work);

/**
 * The next turn to run, oldest first; null when there is none. What needs no model is answered at once, in the same
 * transaction: there is nothing outside that could have been done twice.
 */
export async function beginTurn(parts: TurnParts, place: Place, turnId: string): Promise<Begun | null> {
  const meaning = await meaningOfNextQuote(parts, place);
  return inConversation(parts, place, async (ctx) => {
    const { conversationId } = place;
    const conversation = await store.lock(ctx.tx, conversationId);
    if (!conversation) await clearTimer(ctx, turnTimer, turnSubject(conversationId, turnId)); // forgotten, with all that it was about
    for (;;) {
      const turn = conversation && (await store.nextOpenTurn(ctx.tx, conversationId));
      if (!conversation || !turn) return null;
      if (conversation.state === 'closed' && conversation.visitorId !== null) {
        // Closed at the very moment that more was said: it was accepted, so the conversation goes on.
        const entry = { type: 'conversation.updated', payload: { state: 'bot' } };
        await append(ctx, conversationId, [entry], { state: 'bot', assigneeId: null, closedAt: null });
        conversation.state = 'bot';
      }
      if (conversation.state !== 'bot') {
        // A person has taken over since: they will answer.
        await cancelTurn(ctx, conversationId, turn.id, 'handed_off');
        continue;
      }
      const content = await parts.versions.contentOf(ctx, conversation.versionId);
      const { mode, models } = content.answers;
      const started = turn.status === 'queued' ? [startOf(turn)] : [];
      if (mode === 'extractive' || turn.stopRequested) {
        await answer(parts, ctx, { conversation, turn, content, meaning, asked: undefined }, started);
        return { turnId: turn.id, models: 0 };
      }
      if (turn.status === 'queued') {
        await store.updateTurn(ctx.tx, conversationId, turn.id, { status: 'running' });
        await append(ctx, conversationId, started);
      }
      return { turnId: turn.id, models: models.length };
    }
  });
}

const startOf = ({ id, replyId }: store.TurnRow): Entry => ({
  type: 'turn.started',
  turnId: id,
  payload: { messageId: replyId },
});

/** What the models said, or what is quoted in their place, into the log. */
export async function saveReply(parts: TurnParts, place: Place, turnId: Id<'turn'>): Promise<void> {
  const meaning = await meaningOfTurn(parts, place, turnId); // known since the models were asked
  await inConversation(parts, place, async (ctx) => {
    const { conversationId } = place;
    const conversation = await store.lock(ctx.tx, conversationId);
    const turn = await store.findTurn(ctx.tx, conversationId, { id: turnId });
    if (!conversation || turn?.status !== 'running') return;
    const content = await parts.versions.contentOf(ctx, conversation.versionId);
    const asked = await whatModelsSaid(ctx, conversationId, turnId, content);
    await answer(parts, ctx, { conversation, turn, content, meaning, asked }, []);
  });
}

interface ToAnswer {
  conversation: Conversation;
  turn: store.TurnRow;
  content: VersionContent;
  meaning: Meaning | undefined;
  /** What models said, where they were to be asked. */
  asked: Said | undefined;
}

/** The answer into the log, once, and everything that hangs on it. */
async function answer(parts: TurnParts, ctx: Context, toAnswer: ToAnswer, before: readonly Entry[]): Promise<void> {
  const { conversation, turn, content, asked } = toAnswer;
  const { id: turnId, replyId } = turn;
  const { found, mode, reason, finish } = await compose(ctx, toAnswer);
  const { text, isAnswer } = found;
  const citations = found.citations as NonNullable<MessageBody['citations']>;
  const isHandoffOffered = await shouldOffer(ctx, conversation.id, content, isAnswer);
  const body: MessageBody = { role: 'bot', text, citations, isAnswer, isHandoffOffered, finish };
  const status = finish === 'stopped' ? 'cancelled' : 'done';
  const payload = { ...body, turn: { id: turnId, status, mode, reason } satisfies Turn };
  const reply: Entry = { type: 'reply.completed', messageId: replyId, turnId, payload };
  const seq = (await append(ctx, conversation.id, [...before, reply])).at(-1) ?? 0;
  ctx.afterCommit(() => parts.noteTurn(mode, (Date.now() - turn.createdAt.getTime()) / 1_000));
  const used = asked?.cost ?? { tokensIn: 0, tokensOut: 0, spendMicros: 0 };
  await endTurn(ctx, conversation.id, turnId, { status, mode, reason, ...used });
  if (!conversation.isTest) await countTurn(ctx, conversation.botId, { ...used, modelTurns: mode === 'model' ? 1 : 0 });
  const message = toMessage({ seq, type: '', messageId: replyId, turnId, payload: body, createdAt: ctx.now });
  if (message) await emit(ctx, events.messageCreated, replyId, { object: message }, about(conversation, seq));
  if (mode !== 'fallback') return;
  const object = { botId: conversation.botId, reason: reason ?? 'model_failed' };
  await emit(ctx, events.botFallback, conversation.botId, { object }, about(conversation, seq));
}

interface Said {
  answered: (Asked & { outcome: 'answered' }) | undefined;
  reason: string;
  cost: { tokensIn: number; tokensOut: number; spendMicros: number };
}

/** What each of them brought: the one that answered and what that cost, or why none did. */
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

interface Composed {
  found: Answer;
  mode: 'extractive' | 'model' | 'fallback';
  reason: string | null;
  finish: NonNullable<Message['finish']>;
}

async function compose(ctx: Context, { conversation, turn, content, meaning, asked }: ToAnswer): Promise<Composed> {
  if (turn.stopRequested && !asked?.answered)
    return {
      found: { text: '', citations: [], isAnswer: false },
      mode: 'extractive',
      reason: 'stopped',
      finish: 'stopped',
    };
  const { text: question, language } = await questionOf(ctx.tx, conversation.id, turn.messageId);
  const words = textsIn(chooseLanguage(content.languages, language));
  if (asked?.answered) {
    const { text, citations, finish, isAnswer } = asked.answered;
    const whole = isAnswer || finish === 'stopped' ? text : content.noAnswer || words.noAnswer;
    return {
      found: { text: finish === 'cut' ? `${whole}\n\n${words.cut}` : whole, citations, isAnswer },
      mode: 'model',
      reason: null,
      finish,
    };
  }
  const found = await answerFromPassages(ctx.tx, content, question, language, vectorFor(meaning, question));
  if (!asked) return { found, mode: 'extractive', reason: null, finish: 'complete' };
  // A model was to answer and could not. What is quoted is still right; saying "no answer" would not be.
  const honest = found.isAnswer ? found : { ...found, text: words.trouble };
  return { found: honest, mode: 'fallback', reason: asked.reason, finish: 'complete' };
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
  const isTime = earlier.length === afterUnanswered - 1 && earlier.every((reply) => reply.isAnswer === false);
  return isTime && (await readEntitlements({ tx })).entitlements.human_handoff > 0;
}
