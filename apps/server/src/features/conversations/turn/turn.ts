import { asSystem, inTenant, withTrace, type Caller, type Context } from '../../../platform/context.ts';
import { later } from '../../../platform/db.ts';
import { emit } from '../../../platform/events.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { inTrace, traceIdOf } from '../../../platform/spans.ts';
import type { Log } from '../../../platform/telemetry.ts';
import { clearTimer } from '../../../platform/timers.ts';
import { isOpen, runsOfTurn, updateRun, type Run } from '../../actions/index.ts';
import { handedOffText, likelyFirst, offersPerson, recognizeIntent, replyLanguage } from '../../answers/index.ts';
import { awayMessageOf } from '../../business-hours/index.ts';
import { changeOutcome, countOutcome, countTurn } from '../../usage/index.ts';
import { eventContext, turnSubject, turnTimer } from '../visitor/accept.ts';
import { requestPerson } from '../visitor/handoff.ts';
import { combineModelSteps, compose, shouldOffer, type TurnInput } from './compose.ts';
import type { Turn } from '../conversations.contract.ts';
import * as events from '../conversations.events.ts';
import * as store from '../conversations.store.ts';
import { append, toMessage, type Entry, type MessageBody } from '../log/log.store.ts';
import { embeddingOfNextExtractiveTurn, embeddingOfTurn, type EmbeddingDeps } from './question-embedding.ts';
import { handleAction, type ActionOutcome } from './action-calls.ts';
import { releaseRuns } from './action-runs.ts';
import { listModelSteps } from './steps.store.ts';
import { cancelTurn, endTurn } from './turn-ends.ts';
import { turnEnded } from './turn-metrics.ts';

/** Identifies a conversation. Each exported function below is one idempotent step of its turns. */
export interface ConversationRef {
  tenantId: Id<'tenant'>;
  conversationId: Id<'conversation'>;
  /** Of the turn, once it is known. */
  traceparent?: string | null | undefined;
}

export interface TurnDeps extends EmbeddingDeps {
  log: Log;
  /** Whether this deployment sends emails. */
  sendsEmail: boolean;
}

export interface StartedTurn {
  turnId: Id<'turn'>;
  /** How many models to ask, one after the other. */
  models: number;
  /** Runs that must end before the reply. */
  runs: Run['id'][];
  /** Runs that wait for the visitor's confirmation. */
  asked: Run['id'][];
  traceparent?: string | null;
}

export const inConversation = <T>(
  { services }: TurnDeps,
  { tenantId, traceparent }: ConversationRef,
  work: (ctx: Context) => Promise<T>,
) => {
  const caller: Caller = { ...asSystem(tenantId, 'conversation'), actor: { type: 'bot', id: 'bot' } };
  return inTenant(services, withTrace(caller, traceparent), work);
};

/**
 * Starts the oldest open turn; null if there is none. A turn that needs no model is answered in the same transaction,
 * since it has no external side effects to repeat. No turn is started for a suspended tenant.
 */
export async function startTurn(deps: TurnDeps, ref: ConversationRef, turnId: string): Promise<StartedTurn | null> {
  const embedding = await embeddingOfNextExtractiveTurn(deps, ref);
  return inConversation(deps, ref, async (ctx) => {
    const { conversationId } = ref;
    const [conversation, oldest] = await Promise.all([
      store.lockForTurn(ctx.tx, conversationId),
      store.nextOpenTurn(ctx.tx, conversationId),
    ]);
    if (!conversation) await clearTimer(ctx, turnTimer, turnSubject(conversationId, turnId)); // deleted, with all its data
    // The turn stays queued. Its timer is fired when the tenant is reactivated.
    if (conversation?.isTenantActive === false) return null;
    for (let turn = oldest; ; turn = await store.nextOpenTurn(ctx.tx, conversationId)) {
      if (!conversation || !turn) return null;
      if (conversation.state === 'closed' && conversation.visitorId !== null) {
        // Closed while the message was being accepted: the message counts, so the conversation is reopened.
        const entry = { type: 'conversation.updated', payload: { state: 'bot' } };
        const outcome = changeOutcome(conversation, { closedAt: null });
        await append(ctx, conversationId, [entry], { state: 'bot', assigneeId: null, ...outcome.columns });
        later(ctx.tx, countOutcome(ctx, conversation, outcome));
        Object.assign(conversation, { state: 'bot', ...outcome.columns });
      }
      if (conversation.state !== 'bot') {
        // An agent has taken over and will reply.
        await cancelTurn(ctx, conversationId, turn.id, 'handed_off');
        continue;
      }
      const turnInput = { conversation, turn, embedding };
      return inTrace(turn.traceparent, () => beginTurn(deps, withTrace(ctx, turn.traceparent), turnInput));
    }
  });
}

/** Answers it immediately if that needs no model, and marks it as running otherwise. */
async function beginTurn(
  deps: TurnDeps,
  ctx: Context,
  { conversation, turn, embedding }: Pick<TurnInput, 'conversation' | 'turn' | 'embedding'>,
): Promise<StartedTurn> {
  const content = await deps.versions.contentOf(ctx, conversation.versionId);
  const { mode, models } = content.answers;
  const { id: turnId, traceparent } = turn;
  const started = turn.status === 'queued' ? [startOf(turn)] : [];
  const actionOutcome =
    mode === 'extractive' && !turn.stopRequested ? await runAction(ctx, { conversation, turn, content }) : null;
  const run = actionOutcome && 'run' in actionOutcome ? actionOutcome.run : null;
  const isNew = turn.status === 'queued' && !turn.stopRequested && actionOutcome === null;
  const recognized = isNew ? await intentOf({ turn, content }) : undefined;
  if (!run && (mode === 'extractive' || turn.stopRequested || recognized)) {
    const reply = { modelResult: undefined, actionOutcome, runs: [], recognized };
    await writeReply(deps, ctx, { conversation, turn, content, embedding, ...reply }, started);
    // Stopped, then restarted after Restate lost it: its earlier runs report their own results.
    if (turn.status === 'running' || actionOutcome) await releaseRuns(ctx, conversation.id, turnId);
    const asked =
      actionOutcome && 'confirmationId' in actionOutcome && actionOutcome.confirmationId
        ? [actionOutcome.confirmationId]
        : [];
    return { turnId, models: 0, runs: [], asked, traceparent };
  }
  if (turn.status === 'queued') {
    later(ctx.tx, store.updateTurn(ctx.tx, conversation.id, turnId, { status: 'running' }));
    await append(ctx, conversation.id, started);
  }
  return { turnId, models: run ? 0 : models.length, runs: run ? [run.id] : [], asked: [], traceparent };
}

/** What the visitor wants, if the message is not a question. Needs no model, and no search. */
async function intentOf({ turn, content }: Pick<TurnInput, 'turn' | 'content'>) {
  const question = store.questionOf(turn);
  return recognizeIntent(question.text, await likelyFirst(content.languages, question));
}

/** Idempotent: a repeated call finds the run of the first one. */
async function runAction(
  ctx: Context,
  actionContext: Pick<TurnInput, 'conversation' | 'turn' | 'content'>,
): Promise<ActionOutcome | null> {
  const { conversation, turn } = actionContext;
  if (actionContext.content.actions.length === 0) return null;
  const [run] = turn.status === 'running' ? await runsOfTurn(ctx.tx, conversation.id, turn.id) : [];
  if (run) return { run };
  const question = store.questionOf(turn);
  const language = await replyLanguage(actionContext.content.languages, question);
  return handleAction(ctx, { ...actionContext, question, language });
}

const startOf = ({ id, replyId }: store.TurnRow): Entry => ({
  type: 'turn.started',
  turnId: id,
  payload: { messageId: replyId },
});

/** Writes the model's answer to the log, or quoted chunks if the models failed. */
export async function saveReply(deps: TurnDeps, ref: ConversationRef, turnId: Id<'turn'>): Promise<void> {
  const embedding = await embeddingOfTurn(deps, ref, turnId); // cached since the model step
  await inConversation(deps, ref, async (ctx) => {
    const { conversationId } = ref;
    const [conversation, turn, modelSteps, runs] = await Promise.all([
      store.lock(ctx.tx, conversationId),
      store.findTurn(ctx.tx, conversationId, { id: turnId }),
      listModelSteps(ctx.tx, conversationId, turnId),
      runsOfTurn(ctx.tx, conversationId, turnId),
    ]);
    if (!conversation || turn?.status !== 'running') return;
    const content = await deps.versions.contentOf(ctx, conversation.versionId);
    const modelResult = content.answers.mode === 'model' ? combineModelSteps(modelSteps) : undefined;
    await writeReply(deps, ctx, { conversation, turn, content, embedding, modelResult, actionOutcome: null, runs }, []);
    // Ended runs are part of this reply; open ones report their own results.
    for (const run of runs)
      if (run.isAwaited && (isOpen(run) || run.state === 'unknown'))
        later(ctx.tx, updateRun(ctx.tx, run.id, { isAwaited: false }));
  });
}

/** Writes the reply to the log, with the usage counts and events that depend on it. */
async function writeReply(deps: TurnDeps, ctx: Context, turnInput: TurnInput, before: readonly Entry[]): Promise<void> {
  const { conversation, turn, content, modelResult } = turnInput;
  const { id: turnId, replyId } = turn;
  const { answer, intent, isPersonOffered, question, mode, reason, finish } = await compose(ctx, turnInput);
  const { isAnswer } = answer;
  const isHandedOff = intent === 'human' && (await offersPerson(ctx.tx, content));
  const asksForEmail = deps.sendsEmail && conversation.contactId === null;
  const text =
    isHandedOff && turnInput.recognized
      ? handedOffText(content, {
          language: turnInput.recognized.language,
          asksForEmail,
          awayMessage: await awayMessageOf(ctx, conversation.botId),
        })
      : answer.text;
  const citations = answer.citations as NonNullable<MessageBody['citations']>;
  const isHandoffOffered = isPersonOffered ?? (await shouldOffer(ctx, conversation.id, content, isAnswer));
  const body: MessageBody = {
    role: 'bot',
    text,
    citations,
    isAnswer: intent ? null : isAnswer,
    isHandoffOffered,
    finish,
  };
  const isStopped = finish === 'stopped';
  const status = isStopped ? 'cancelled' : 'done';
  const payload = { ...body, turn: { id: turnId, status, mode, reason } satisfies Turn };
  const reply: Entry = { type: 'reply.completed', messageId: replyId, turnId, payload };
  // Neither a stopped reply nor one to small talk says whether the last question was answered.
  const isToQuestion = !isStopped && !intent;
  // Requested an agent while this reply was being written: they still wait for one.
  const isWaiting = conversation.state === 'waiting_human';
  const outcome = changeOutcome(
    conversation,
    isToQuestion ? { isAnswered: isAnswer && !isWaiting, lastReplyId: replyId, isHelpful: null } : {},
  );
  const seq = (await append(ctx, conversation.id, [...before, reply], outcome.columns)).at(-1) ?? 0;
  const waitedMs = Date.now() - turn.createdAt.getTime();
  ctx.afterCommit(() => {
    const end = isStopped ? 'stopped' : 'answered';
    turnEnded(turn, mode, end);
    const traceId = turn.traceparent === null ? undefined : traceIdOf(turn.traceparent);
    const ids = { traceId, tenantId: ctx.tenantId, conversationId: conversation.id, turnId };
    deps.log.info({ ...ids, mode, outcome: end, reason: reason ?? undefined, ms: waitedMs }, 'turn ended');
  });
  const used = modelResult?.cost ?? { tokensIn: 0, tokensOut: 0, spendMicros: 0 };
  later(ctx.tx, endTurn(ctx, conversation.id, turnId, { status, mode, reason, ...used }));
  later(
    ctx.tx,
    countTurn(ctx, conversation, {
      ...used,
      modelTurns: mode === 'model' ? 1 : 0,
      isAnswer: isStopped || intent ? null : isAnswer,
      waitedMs,
      question,
      documentIds: citations.map(({ documentId }) => documentId),
    }),
  );
  later(ctx.tx, countOutcome(ctx, conversation, outcome));
  const message = toMessage({ seq, type: '', messageId: replyId, turnId, payload: body, createdAt: ctx.now });
  if (message) await emit(ctx, events.messageCreated, replyId, { object: message }, eventContext(conversation, seq));
  if (isHandedOff) await requestPerson(ctx, { ...conversation, ...outcome.columns, lastSeq: seq }, 'asked');
  if (mode !== 'fallback') return;
  const object = { botId: conversation.botId, reason: reason ?? 'model_failed' };
  await emit(ctx, events.botFallback, conversation.botId, { object }, eventContext(conversation, seq));
}
