import type { Context } from '../../../platform/context.ts';
import { isStepAwaitingConfirmation, isOpen, type Run } from '../../actions/index.ts';
import { actionTextsIn, answerFromChunks, chooseLanguage, textsIn, type Answer } from '../../answers/index.ts';
import type { VersionContent } from '../../bots/bot-content.contract.ts';
import { readEntitlements } from '../../entitlements/index.ts';
import type { Acted } from './action-calls.ts';
import type { Message } from '../conversations.contract.ts';
import type * as store from '../conversations.store.ts';
import { messagesBefore, questionOf } from '../log/log.store.ts';
import { vectorFor, type QuestionEmbedding } from './question-embedding.ts';
import { endOf } from './run-labels.ts';
import { askedSoFar, type Asked } from './steps.store.ts';

// What a turn is answered with: what the visitor must know first, what a model wrote, or what is quoted.

export interface ToAnswer {
  conversation: store.LockedConversation;
  turn: store.TurnRow;
  content: VersionContent;
  embedding: QuestionEmbedding | undefined;
  /** What models said, where they were to be asked. */
  asked: Said | undefined;
  /** What was done about an action at once. */
  acted: Acted | null;
  /** The actions of this turn. */
  runs: readonly Run[];
}

interface Said {
  answered: (Asked & { outcome: 'answered' }) | undefined;
  /** The visitor is to decide before anything else is said. */
  isAsked: boolean;
  reason: string;
  cost: { tokensIn: number; tokensOut: number; spendMicros: number };
}

/** What each of them brought: the one that answered and what that cost, or why none did. */
export async function whatModelsSaid({ tx }: Context, conversationId: string, turnId: string): Promise<Said> {
  const said: Said = {
    answered: undefined,
    isAsked: false,
    reason: 'model_not_asked',
    cost: { tokensIn: 0, tokensOut: 0, spendMicros: 0 },
  };
  for (const asked of await askedSoFar(tx, conversationId, turnId)) {
    if (asked.outcome === 'failed') {
      said.reason = asked.reason;
      continue;
    }
    const { tokensIn, tokensOut, spendMicros } = said.cost;
    said.cost = {
      tokensIn: tokensIn + asked.cost.tokensIn,
      tokensOut: tokensOut + asked.cost.tokensOut,
      spendMicros: spendMicros + asked.cost.spendMicros,
    };
    if (asked.outcome === 'answered') said.answered = asked;
    else {
      said.isAsked ||= asked.isAsked;
      said.reason = 'only_calls';
    }
  }
  return said;
}

interface Composed {
  found: Answer;
  question: string;
  mode: 'extractive' | 'model' | 'fallback';
  reason: string | null;
  finish: NonNullable<Message['finish']>;
}

export async function compose(ctx: Context, toAnswer: ToAnswer): Promise<Composed> {
  const { conversation, turn, content, embedding: meaning, asked, acted, runs } = toAnswer;
  if (turn.stopRequested && !asked?.answered && runs.length === 0)
    return {
      found: { text: '', citations: [], isAnswer: false },
      question: '',
      mode: 'extractive',
      reason: 'stopped',
      finish: 'stopped',
    };
  const { text: question, language } = await questionOf(ctx.tx, conversation.id, turn.messageId);
  const spoken = chooseLanguage(content.languages, language);
  const words = textsIn(spoken);
  const open = runs.filter((run) => isOpen(run) && run.spec.steps).map(({ id }) => id);
  const isToConfirm = asked?.isAsked === true || (await isStepAwaitingConfirmation(ctx.tx, open));
  const own = isToConfirm ? [...endsOf(runs), actionTextsIn(spoken).confirm].join('\n\n') : ownWords(runs, acted);
  if (own !== null && (isToConfirm || !asked?.answered?.isAnswer)) {
    const found = { text: own, citations: [], isAnswer: true };
    return { found, question, mode: asked ? 'model' : 'extractive', reason: null, finish: 'complete' };
  }
  if (asked?.answered) {
    const { text, citations, finish, isAnswer } = asked.answered;
    const whole = isAnswer || finish === 'stopped' ? text : content.noAnswer || words.noAnswer;
    return {
      found: { text: finish === 'cut' ? `${whole}\n\n${words.cut}` : whole, citations, isAnswer },
      question,
      mode: 'model',
      reason: null,
      finish,
    };
  }
  const found = await answerFromChunks(ctx.tx, content, question, language, vectorFor(meaning, question));
  if (!asked) return { found, question, mode: 'extractive', reason: null, finish: 'complete' };
  // A model was to answer and could not. What is quoted is still right; saying "no answer" would not be.
  const honest = found.isAnswer ? found : { ...found, text: words.trouble };
  return { found: honest, question, mode: 'fallback', reason: asked.reason, finish: 'complete' };
}

/** Of those that ended while the turn waited. */
const endsOf = (runs: readonly Run[]) => runs.filter((run) => run.isAwaited && !isOpen(run)).map(endOf);

/** What is said of actions, by us and not by a model: what is to be known first, and how each one ended. */
function ownWords(runs: readonly Run[], acted: Acted | null): string | null {
  if (acted && 'text' in acted) return acted.text;
  const told = runs.filter((run) => run.isAwaited || isOpen(run)).map(endOf);
  return told.length > 0 ? told.join('\n\n') : null;
}

/** After so many questions in a row that found nothing, a person is offered. */
export async function shouldOffer(
  { tx }: Context,
  conversationId: string,
  { handoff }: VersionContent,
  isAnswer: boolean,
): Promise<boolean> {
  const { isOffered, afterUnanswered } = handoff;
  if (isAnswer || !isOffered || afterUnanswered === null) return false;
  const recent = await messagesBefore(tx, conversationId, { max: 2 * afterUnanswered });
  const earlier = recent.filter(({ role }) => role === 'bot').slice(0, afterUnanswered - 1);
  const isTime = earlier.length === afterUnanswered - 1 && earlier.every((reply) => reply.isAnswer === false);
  return isTime && (await readEntitlements({ tx })).entitlements.human_handoff > 0;
}
