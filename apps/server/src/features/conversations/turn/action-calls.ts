import type { Context } from '../../../platform/context.ts';
import type { ToolCall } from '../../../platform/model-types.ts';
import {
  findCollecting,
  fieldsOf,
  isTooLongToConfirm,
  needsConfirmation,
  problemOfValue,
  propose,
  proposeCollected,
  updateRun,
  withStepActions,
  type Field,
  type Run,
} from '../../actions/index.ts';
import type { ActionSpec } from '../../actions/actions.contract.ts';
import { actionTextsIn, chooseLanguage, isCancelling } from '../../answers/index.ts';
import type { VersionContent } from '../../bots/bot-content.contract.ts';
import { readEntitlements } from '../../entitlements/index.ts';
import { findContact } from '../visitor/contacts.store.ts';
import type { Conversation } from '../conversations.contract.ts';
import type { TurnRow } from '../conversations.store.ts';
import { findIntent } from './intents.ts';
import { runChats } from './action-runs.ts';
import { extract, readSlot } from './slots.ts';

/** A turn that may do something, and for whom: as the session says, never as anybody writes. */
export interface Acting {
  conversation: Conversation;
  turn: TurnRow;
  content: VersionContent;
  question: { text: string; language: string | undefined };
}

export const maxCalls = 3;
const collectMs = 30 * 60_000;
const maxMisses = 3;

/** What the version has and the plan allows; those for signed-in people only to them. */
export async function offersOf(ctx: Context, { conversation, content }: Pick<Acting, 'conversation' | 'content'>) {
  const all = content.actions.filter(({ isOffered }) => isOffered);
  const isEntitled = all.length > 0 && (await readEntitlements(ctx)).entitlements.private_actions > 0;
  const contact =
    isEntitled && conversation.contactId !== null ? await findContact(ctx.tx, conversation.contactId) : undefined;
  const endUser = contact?.externalUserId ?? null;
  const offered = isEntitled ? all : [];
  const isOpen = (action: ActionSpec) => endUser !== null || !needsContact(action, content.actions);
  return { offered, allowed: offered.filter(isOpen), endUser };
}

/** By itself, or for one of its steps. */
const needsContact = (action: ActionSpec, all: readonly ActionSpec[]) =>
  action.requiresContact || (withStepActions(action, all).parts ?? []).some(({ requiresContact }) => requiresContact);

const languageOf = ({ content, question }: Acting) => chooseLanguage(content.languages, question.language);

const proposalOf = (acting: Acting, action: ActionSpec, args: Record<string, unknown>, endUser: string | null) => ({
  conversationId: acting.conversation.id,
  turnId: acting.turn.id,
  versionId: acting.conversation.versionId,
  botId: acting.conversation.botId,
  environmentId: acting.conversation.environmentId,
  spec: withStepActions(action, acting.content.actions),
  args,
  endUser,
  language: languageOf(acting),
  isAwaited: true,
  isTest: acting.conversation.isTest,
});

/** What became of one tool call of a model: a run, or why there is none. */
export interface Requested {
  callId: string;
  runId?: Run['id'];
  problem?: string;
}

/** A model has no authority: its tool calls are looked at one by one, and what changes something is asked of the visitor. */
export async function proposeCalls(
  ctx: Context,
  acting: Acting,
  toolCalls: readonly ToolCall[],
  { ask, madeSoFar }: { ask: number; madeSoFar: number },
): Promise<{ requested: Requested[]; isAsked: boolean }> {
  const { allowed, endUser } = await offersOf(ctx, acting);
  let isAsked = false;
  const requested: Requested[] = [];
  for (const [place, { id: callId, name, input }] of toolCalls.entries()) {
    const action = allowed.find((one) => one.name === name);
    const problem =
      madeSoFar + place >= maxCalls
        ? `At most ${maxCalls} tool calls per question.`
        : action
          ? problemOfToolCall(action, input, isAsked)
          : 'Unknown tool.';
    if (!action || problem !== null) {
      requested.push({ callId, problem: problem ?? '' });
      continue;
    }
    const proposal = proposalOf(acting, action, input as Record<string, unknown>, endUser);
    const run = await propose(ctx, runChats, { ...proposal, ordinal: ask * 100 + place });
    isAsked ||= run.state === 'awaiting_confirmation';
    requested.push({ callId, runId: run.id });
  }
  return { requested, isAsked };
}

function problemOfToolCall(action: ActionSpec, input: unknown, isAsked: boolean): string | null {
  const problem = problemOfValue(action.inputSchema, input);
  if (problem !== null) return `Invalid arguments: ${problem}`;
  if (isTooLongToConfirm(action, input as Record<string, unknown>)) return 'An argument is too long.';
  return isAsked && needsConfirmation(action) ? 'Ask the visitor to confirm only one thing at a time.' : null;
}

/** What a turn without a model does about an action: says something, or waits for a run. */
export type Acted = { text: string; asked?: Run['id'] } | { run: Run };

export async function actOn(ctx: Context, acting: Acting): Promise<Acted | null> {
  const { offered, allowed, endUser } = await offersOf(ctx, acting);
  if (offered.length === 0) return null;
  const { text } = acting.question;
  const begun = await findCollecting(ctx.tx, acting.conversation.id, new Date(ctx.now.getTime() - collectMs));
  if (begun) return goOn(ctx, acting, begun);
  const intent = await findIntent(ctx.tx, offered, text, acting.content.languages);
  if (!intent) return null;
  const { action } = intent;
  const words = actionTextsIn(languageOf(acting));
  if (!allowed.includes(action)) return { text: words.signIn.replace('{it}', action.title) };
  const fields = fieldsOf(action.inputSchema);
  const args = extract(fields, text, action.inputSchema);
  const missing = nextMissing(fields, args);
  const proposal = { ...proposalOf(acting, action, args, endUser), ordinal: 0 };
  if (missing) {
    await propose(ctx, runChats, { ...proposal, slot: missing.name });
    return { text: questionFor(action, missing, acting) };
  }
  if (problemOfValue(action.inputSchema, args) !== null) return { text: words.gaveUp };
  return proposed(acting, await propose(ctx, runChats, proposal));
}

const nextMissing = (fields: readonly Field[], args: Record<string, unknown>) =>
  fields.find(({ name, isRequired }) => isRequired && !Object.hasOwn(args, name));

function questionFor({ questions }: ActionSpec, { name, label }: Field, acting: Acting): string {
  return questions[name] || actionTextsIn(languageOf(acting)).ask.replace('{it}', label);
}

const proposed = (acting: Acting, run: Run): Acted =>
  run.state === 'awaiting_confirmation' ? { text: actionTextsIn(languageOf(acting)).confirm, asked: run.id } : { run };

/** One field after the other, each as the schema wants it. */
async function goOn(ctx: Context, acting: Acting, run: Run): Promise<Acted> {
  const { text } = acting.question;
  const words = actionTextsIn(languageOf(acting));
  const stop = (reason: string) =>
    updateRun(ctx.tx, run.id, { state: 'cancelled', outcome: 'failed', reason, slot: null, finishedAt: ctx.now });
  if (isCancelling(text)) {
    await stop('cancelled');
    return { text: words.declined.replace('{it}', run.spec.title) };
  }
  const fields = fieldsOf(run.spec.inputSchema);
  const field = fields.find(({ name }) => name === run.slot);
  if (!field) throw new Error(`${run.id} needs no confirmation`);
  const value = readSlot(field, text, run.spec.inputSchema);
  if (value === undefined) {
    if (run.misses + 1 >= maxMisses) {
      await stop('not_understood');
      return { text: words.gaveUp };
    }
    await updateRun(ctx.tx, run.id, { misses: run.misses + 1 });
    return { text: words.askAgain.replace('{it}', questionFor(run.spec, field, acting)) };
  }
  const args = { ...run.args, [field.name]: value };
  const missing = nextMissing(fields, args);
  if (missing) {
    await updateRun(ctx.tx, run.id, { args, slot: missing.name, misses: 0 });
    return { text: questionFor(run.spec, missing, acting) };
  }
  const problem = problemOfValue(run.spec.inputSchema, args);
  if (problem !== null || isTooLongToConfirm(run.spec, args)) {
    await stop('invalid_input');
    return { text: words.gaveUp };
  }
  return proposed(acting, await proposeCollected(ctx, runChats, run, args, acting.turn.id));
}
