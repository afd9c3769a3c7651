import type { Context } from '../../../platform/context.ts';
import { isStepAwaitingConfirmation, isOpen, type Run } from '../../actions/index.ts';
import {
  actionTextsIn,
  answerFromChunks,
  likelyIntent,
  likelyFirst,
  noAnswerText,
  offersPerson,
  replyLanguage,
  replyTo,
  textsIn,
  withPerson,
  type Answer,
  type Intent,
  type RecognizedIntent,
} from '../../answers/index.ts';
import type { VersionContent } from '../../bots/bot-content.contract.ts';
import type { ActionOutcome } from './action-calls.ts';
import type { Message } from '../conversations.contract.ts';
import * as store from '../conversations.store.ts';
import { messagesBefore } from '../log/log.store.ts';
import { vectorFor, type QuestionEmbedding } from './question-embedding.ts';
import { describeRun } from './run-labels.ts';
import type { ModelStepResult } from './steps.store.ts';

// The reply of a turn: the outcome of actions, a model's answer, or quoted chunks.

export interface TurnInput {
  conversation: store.LockedConversation;
  turn: store.TurnRow;
  content: VersionContent;
  embedding: QuestionEmbedding | undefined;
  /** Result of the model steps, if the bot uses models. */
  modelResult: ModelResult | undefined;
  /** Outcome of an action handled without a model. */
  actionOutcome: ActionOutcome | null;
  /** Action runs of this turn. */
  runs: readonly Run[];
  /** The intent of a message that is not a question. */
  recognized?: RecognizedIntent | undefined;
}

interface ModelResult {
  answered: (ModelStepResult & { outcome: 'answered' }) | undefined;
  /** The visitor must confirm something first. */
  isAsked: boolean;
  reason: string;
  cost: { tokensIn: number; tokensOut: number; spendMicros: number };
}

/** Combines the model steps: the answer and the total cost, or why there is no answer. */
export function combineModelSteps(steps: readonly ModelStepResult[]): ModelResult {
  const result: ModelResult = {
    answered: undefined,
    isAsked: false,
    reason: 'model_not_asked',
    cost: { tokensIn: 0, tokensOut: 0, spendMicros: 0 },
  };
  for (const step of steps) {
    if (step.outcome === 'failed') {
      result.reason = step.reason;
      continue;
    }
    const { tokensIn, tokensOut, spendMicros } = result.cost;
    result.cost = {
      tokensIn: tokensIn + step.cost.tokensIn,
      tokensOut: tokensOut + step.cost.tokensOut,
      spendMicros: spendMicros + step.cost.spendMicros,
    };
    if (step.outcome === 'answered') result.answered = step;
    else {
      result.isAsked ||= step.isAsked;
      result.reason = 'only_calls';
    }
  }
  return result;
}

interface ComposedReply {
  answer: Answer;
  /** The message was not a question, so it counts neither as answered nor as unanswered. */
  intent?: Intent;
  /** Offers a handoff, whatever the bot's setting for unanswered questions. */
  isPersonOffered?: boolean;
  question: string;
  mode: 'extractive' | 'model' | 'fallback';
  reason: string | null;
  finish: NonNullable<Message['finish']>;
}

export async function compose(ctx: Context, turnInput: TurnInput): Promise<ComposedReply> {
  const { turn, content, embedding, modelResult, actionOutcome, runs } = turnInput;
  if (turn.stopRequested && !modelResult?.answered && runs.length === 0)
    return {
      answer: { text: '', citations: [], isAnswer: false },
      question: '',
      mode: 'extractive',
      reason: 'stopped',
      finish: 'stopped',
    };
  const { text: question, language } = store.questionOf(turn);
  if (turnInput.recognized) return replyToIntent(ctx, content, question, turnInput.recognized);
  const answerLanguage = await replyLanguage(content.languages, { text: question, language });
  const texts = textsIn(answerLanguage);
  const open = runs.filter((run) => isOpen(run) && run.spec.steps).map(({ id }) => id);
  const isToConfirm = modelResult?.isAsked === true || (await isStepAwaitingConfirmation(ctx.tx, open));
  const actionText = isToConfirm
    ? [...describeEnded(runs), actionTextsIn(answerLanguage).confirm].join('\n\n')
    : describeRuns(runs, actionOutcome);
  if (actionText !== null && (isToConfirm || !modelResult?.answered?.isAnswer)) {
    const answer = { text: actionText, citations: [], isAnswer: true };
    return { answer, question, mode: modelResult ? 'model' : 'extractive', reason: null, finish: 'complete' };
  }
  if (modelResult?.answered) {
    const { text, citations, finish, isAnswer } = modelResult.answered;
    const isReply = isAnswer || finish === 'stopped';
    const likely = isReply ? undefined : await replyToLikelyIntent(ctx, content, { text: question, language });
    if (likely) return { ...likely, mode: 'model' };
    const body = isReply
      ? text
      : noAnswerText(content, { language: answerLanguage, hasPerson: await offersPerson(ctx.tx, content) });
    return {
      answer: { text: finish === 'cut' ? `${body}\n\n${texts.cut}` : body, citations, isAnswer },
      question,
      mode: 'model',
      reason: null,
      finish,
    };
  }
  const vector = vectorFor(embedding, question);
  const answer = await answerFromChunks(ctx.tx, content, { text: question, language, vector });
  const likely =
    answer.isAnswer || modelResult ? undefined : await replyToLikelyIntent(ctx, content, { text: question, language });
  if (likely) return likely;
  if (!modelResult) return { answer, question, mode: 'extractive', reason: null, finish: 'complete' };
  // The model failed. Quoted chunks are still correct; claiming that there is no answer would not be.
  const options = { language: answerLanguage, hasPerson: await offersPerson(ctx.tx, content) };
  const fallback = answer.isAnswer ? answer : { ...answer, text: withPerson(texts.trouble, options) };
  return { answer: fallback, question, mode: 'fallback', reason: modelResult.reason, finish: 'complete' };
}

async function replyToIntent(
  { tx }: Context,
  content: VersionContent,
  question: string,
  { intent, language }: RecognizedIntent,
): Promise<ComposedReply> {
  const text = replyTo(intent, content, { language, hasPerson: await offersPerson(tx, content) });
  const answer = { text, citations: [], isAnswer: true };
  return { answer, intent, question, mode: 'extractive', reason: null, finish: 'complete' };
}

/** No answer was found, and the message looks like something other than a question. */
async function replyToLikelyIntent(
  ctx: Context,
  content: VersionContent,
  message: { text: string; language?: string | undefined },
): Promise<ComposedReply | undefined> {
  const likely = await likelyIntent(message.text, await likelyFirst(content.languages, message));
  if (!likely) return undefined;
  const question = message.text;
  if (likely.intent !== 'human') return replyToIntent(ctx, content, question, likely);
  // Not certain enough to hand the conversation over, but enough to ask.
  const options = { language: likely.language, hasPerson: await offersPerson(ctx.tx, content) };
  if (!options.hasPerson) return replyToIntent(ctx, content, question, likely);
  const answer = { text: noAnswerText(content, options), citations: [], isAnswer: false };
  return { answer, question, mode: 'extractive', reason: null, finish: 'complete', isPersonOffered: true };
}

/** Results of the runs that ended while the turn waited. */
const describeEnded = (runs: readonly Run[]) => runs.filter((run) => run.isAwaited && !isOpen(run)).map(describeRun);

/** Text about actions, written by us and not by a model: the immediate outcome, or the state of each run. */
function describeRuns(runs: readonly Run[], actionOutcome: ActionOutcome | null): string | null {
  if (actionOutcome && 'text' in actionOutcome) return actionOutcome.text;
  const lines = runs.filter((run) => run.isAwaited || isOpen(run)).map(describeRun);
  return lines.length > 0 ? lines.join('\n\n') : null;
}

/** Offers a handoff after a number of consecutive unanswered questions. */
export async function shouldOffer(
  { tx }: Context,
  conversationId: string,
  content: VersionContent,
  isAnswer: boolean,
): Promise<boolean> {
  const { isOffered, afterUnanswered } = content.handoff;
  if (isAnswer || !isOffered || afterUnanswered === null) return false;
  const [recent, hasPerson] = await Promise.all([
    messagesBefore(tx, conversationId, { max: 2 * afterUnanswered }),
    offersPerson(tx, content),
  ]);
  const earlier = recent.filter(({ role }) => role === 'bot').slice(0, afterUnanswered - 1);
  const isDue = earlier.length === afterUnanswered - 1 && earlier.every((reply) => reply.isAnswer === false);
  return isDue && hasPerson;
}
