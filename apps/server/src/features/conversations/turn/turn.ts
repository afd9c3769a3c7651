import { asSystem, inTenant, type Context } from '../../../platform/context.ts';
import { emit } from '../../../platform/events.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { clearTimer } from '../../../platform/timers.ts';
import { isOpen, runsOfTurn, updateRun, type Run } from '../../actions/index.ts';
import { countTurn } from '../../usage/index.ts';
import { about, turnSubject, turnTimer } from '../visitor/accept.ts';
import { compose, shouldOffer, whatModelsSaid, type ToAnswer } from './compose.ts';
import type { Turn } from '../conversations.contract.ts';
import * as events from '../conversations.events.ts';
import * as store from '../conversations.store.ts';
import { append, questionOf, toMessage, type Entry, type MessageBody } from '../log/log.store.ts';
import { embeddingOfNextQuote, embeddingOfTurn, type EmbeddingDeps } from './question-embedding.ts';
import { actOn, type Acted } from './action-calls.ts';
import { releaseRuns } from './action-runs.ts';
import { cancelTurn, endTurn } from './turn-ends.ts';

/** The turns of one conversation, in the order of their messages. Each function is one step: it may run twice, and is done once. */
export interface Place {
  tenantId: Id<'tenant'>;
  conversationId: Id<'conversation'>;
}

export interface TurnParts extends EmbeddingDeps {
  /** For those who watch the figures: how long somebody waited for an answer, and how it came about. */
  noteTurn(mode: string, seconds: number): void;
}

export interface Begun {
  turnId: Id<'turn'>;
  /** How many models to ask, one after the other. */
  models: number;
  /** Actions that are to end before it is answered. */
  runs: Run['id'][];
  /** Those that wait for the visitor's word. */
  asked: Run['id'][];
}

export const inConversation = <T>({ services }: TurnParts, { tenantId }: Place, work: (ctx: Context) => Promise<T>) =>
  inTenant(services, { ...asSystem(tenantId, 'conversation'), actor: { type: 'bot', id: 'bot' } }, work);

/**
 * The next turn to run, oldest first; null when there is none. What needs no model is answered at once, in the same
 * transaction: there is nothing outside that could have been done twice. Of a tenant that is held, none is begun.
 */
export async function beginTurn(parts: TurnParts, place: Place, turnId: string): Promise<Begun | null> {
  const embedding = await embeddingOfNextQuote(parts, place);
  return inConversation(parts, place, async (ctx) => {
    const { conversationId } = place;
    const conversation = await store.lockToAnswer(ctx.tx, conversationId);
    if (!conversation) await clearTimer(ctx, turnTimer, turnSubject(conversationId, turnId)); // forgotten, with all that it was about
    // It waits, and its timer with it, which is called for when the tenant goes on.
    if (conversation?.isTenantActive === false) return null;
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
      const acted =
        mode === 'extractive' && !turn.stopRequested ? await act(ctx, { conversation, turn, content }) : null;
      const run = acted && 'run' in acted ? acted.run : null;
      if (!run && (mode === 'extractive' || turn.stopRequested)) {
        const toAnswer = { conversation, turn, content, embedding, asked: undefined, acted, runs: [] };
        await answer(parts, ctx, toAnswer, started);
        // Stopped, and started again after Restate had lost it: what it had set going tells its end by itself.
        if (content.actions.length > 0) await releaseRuns(ctx, conversationId, turn.id);
        const asked = acted && 'asked' in acted && acted.asked ? [acted.asked] : [];
        return { turnId: turn.id, models: 0, runs: [], asked };
      }
      if (turn.status === 'queued') {
        await store.updateTurn(ctx.tx, conversationId, turn.id, { status: 'running' });
        await append(ctx, conversationId, started);
      }
      return { turnId: turn.id, models: run ? 0 : models.length, runs: run ? [run.id] : [], asked: [] };
    }
  });
}

/** Once for a turn: found again by its run if this is done again. */
async function act(ctx: Context, acting: Pick<ToAnswer, 'conversation' | 'turn' | 'content'>): Promise<Acted | null> {
  const { conversation, turn } = acting;
  if (acting.content.actions.length === 0) return null;
  const [run] = turn.status === 'running' ? await runsOfTurn(ctx.tx, conversation.id, turn.id) : [];
  if (run) return { run };
  const { text, language } = await questionOf(ctx.tx, conversation.id, turn.messageId);
  return actOn(ctx, { ...acting, question: { text, language } });
}

const startOf = ({ id, replyId }: store.TurnRow): Entry => ({
  type: 'turn.started',
  turnId: id,
  payload: { messageId: replyId },
});

/** What the models said, or what is quoted in their place, into the log. */
export async function saveReply(parts: TurnParts, place: Place, turnId: Id<'turn'>): Promise<void> {
  const embedding = await embeddingOfTurn(parts, place, turnId); // known since the models were asked
  await inConversation(parts, place, async (ctx) => {
    const { conversationId } = place;
    const conversation = await store.lock(ctx.tx, conversationId);
    const turn = await store.findTurn(ctx.tx, conversationId, { id: turnId });
    if (!conversation || turn?.status !== 'running') return;
    const content = await parts.versions.contentOf(ctx, conversation.versionId);
    const asked = content.answers.mode === 'model' ? await whatModelsSaid(ctx, conversationId, turnId) : undefined;
    const runs = await runsOfTurn(ctx.tx, conversationId, turnId);
    await answer(parts, ctx, { conversation, turn, content, embedding, asked, acted: null, runs }, []);
    // What has ended is told with this; whatever has not tells its end by itself.
    for (const run of runs)
      if (run.isAwaited && (isOpen(run) || run.state === 'unknown'))
        await updateRun(ctx.tx, run.id, { isAwaited: false });
  });
}

/** The answer into the log, once, and everything that hangs on it. */
async function answer(parts: TurnParts, ctx: Context, toAnswer: ToAnswer, before: readonly Entry[]): Promise<void> {
  const { conversation, turn, content, asked } = toAnswer;
  const { id: turnId, replyId } = turn;
  const { found, question, mode, reason, finish } = await compose(ctx, toAnswer);
  const { text, isAnswer } = found;
  const citations = found.citations as NonNullable<MessageBody['citations']>;
  const isHandoffOffered = await shouldOffer(ctx, conversation.id, content, isAnswer);
  const body: MessageBody = { role: 'bot', text, citations, isAnswer, isHandoffOffered, finish };
  const isStopped = finish === 'stopped';
  const status = isStopped ? 'cancelled' : 'done';
  const payload = { ...body, turn: { id: turnId, status, mode, reason } satisfies Turn };
  const reply: Entry = { type: 'reply.completed', messageId: replyId, turnId, payload };
  const isUnresolved = !isStopped && !isAnswer && !conversation.isUnresolved;
  const head = isUnresolved ? { isUnresolved } : {};
  const seq = (await append(ctx, conversation.id, [...before, reply], head)).at(-1) ?? 0;
  const waitedMs = Date.now() - turn.createdAt.getTime();
  ctx.afterCommit(() => parts.noteTurn(mode, (Date.now() - turn.createdAt.getTime()) / 1_000));
  const used = asked?.cost ?? { tokensIn: 0, tokensOut: 0, spendMicros: 0 };
  await endTurn(ctx, conversation.id, turnId, { status, mode, reason, ...used });
  await countTurn(ctx, conversation, {
    ...used,
    modelTurns: mode === 'model' ? 1 : 0,
    isAnswer: isStopped ? null : isAnswer,
    isUnresolved,
    waitedMs,
    question,
    documentIds: citations.map(({ documentId }) => documentId),
  });
  const message = toMessage({ seq, type: '', messageId: replyId, turnId, payload: body, createdAt: ctx.now });
  if (message) await emit(ctx, events.messageCreated, replyId, { object: message }, about(conversation, seq));
  if (mode !== 'fallback') return;
  const object = { botId: conversation.botId, reason: reason ?? 'model_failed' };
  await emit(ctx, events.botFallback, conversation.botId, { object }, about(conversation, seq));
}
