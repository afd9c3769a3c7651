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
import { actionTextsIn, isCancelling, recognizeIntent } from '../../answers/index.ts';
import type { VersionContent } from '../../bots/bot-content.contract.ts';
import { findContact } from '../../contacts/index.ts';
import { readEntitlements } from '../../entitlements/index.ts';
import type { Conversation } from '../conversations.contract.ts';
import type { TurnRow } from '../conversations.store.ts';
import { findIntent } from './intents.ts';
import { runChats } from './action-runs.ts';
import { extract, readSlot } from './slots.ts';

/** The turn an action runs for. The end user comes from the session, never from message text. */
export interface ActionContext {
  conversation: Conversation;
  turn: TurnRow;
  content: VersionContent;
  question: { text: string };
  /** In which the bot replies. */
  language: string;
}

export const maxCallsPerTurn = 3;
const collectTimeoutMs = 30 * 60_000;
const maxMisses = 3;

/** Actions of the version that the plan allows. Those that require a contact are available to contacts only. */
export async function availableActions(
  ctx: Context,
  { conversation, content }: Pick<ActionContext, 'conversation' | 'content'>,
) {
  const all = content.actions.filter(({ isOffered }) => isOffered);
  if (all.length === 0) return { offered: [], allowed: [], endUser: null };
  const [{ entitlements }, contact] = await Promise.all([
    readEntitlements(ctx),
    conversation.contactId === null ? undefined : findContact(ctx.tx, conversation.contactId),
  ]);
  const isEntitled = entitlements.private_actions > 0;
  const endUser = isEntitled ? (contact?.externalUserId ?? null) : null;
  const offered = isEntitled ? all : [];
  const isAvailable = (action: ActionSpec) => endUser !== null || !needsContact(action, content.actions);
  return { offered, allowed: offered.filter(isAvailable), endUser };
}

/** Itself, or one of its steps. */
const needsContact = (action: ActionSpec, all: readonly ActionSpec[]) =>
  action.requiresContact || (withStepActions(action, all).parts ?? []).some(({ requiresContact }) => requiresContact);

const proposalOf = (
  actionContext: ActionContext,
  action: ActionSpec,
  args: Record<string, unknown>,
  endUser: string | null,
) => ({
  conversationId: actionContext.conversation.id,
  turnId: actionContext.turn.id,
  versionId: actionContext.conversation.versionId,
  botId: actionContext.conversation.botId,
  environmentId: actionContext.conversation.environmentId,
  spec: withStepActions(action, actionContext.content.actions),
  args,
  endUser,
  language: actionContext.language,
  isAwaited: true,
  isTest: actionContext.conversation.isTest,
  requestedAt: actionContext.turn.createdAt,
});

/** Result of proposing one tool call: a run, or why there is none. */
export interface ProposedCall {
  callId: string;
  runId?: Run['id'];
  problem?: string;
}

/** A model has no authority: each tool call is validated, and calls that change something need the visitor's confirmation. */
export async function proposeCalls(
  ctx: Context,
  actionContext: ActionContext,
  toolCalls: readonly ToolCall[],
  { ask, callCount }: { ask: number; callCount: number },
): Promise<{ requested: ProposedCall[]; isAsked: boolean }> {
  const { allowed, endUser } = await availableActions(ctx, actionContext);
  let isAsked = false;
  const requested: ProposedCall[] = [];
  for (const [index, { id: callId, name, input }] of toolCalls.entries()) {
    const action = allowed.find((one) => one.name === name);
    const problem =
      callCount + index >= maxCallsPerTurn
        ? `At most ${maxCallsPerTurn} tool calls per question.`
        : action
          ? problemOfToolCall(action, input, isAsked)
          : 'Unknown tool.';
    if (!action || problem !== null) {
      requested.push({ callId, problem: problem ?? '' });
      continue;
    }
    const proposal = proposalOf(actionContext, action, input as Record<string, unknown>, endUser);
    const run = await propose(ctx, runChats, { ...proposal, ordinal: ask * 100 + index });
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

/** Outcome of an action in a turn without a model: a text for the visitor, or a run to wait for. */
export type ActionOutcome = { text: string; confirmationId?: Run['id'] } | { run: Run };

export async function handleAction(ctx: Context, actionContext: ActionContext): Promise<ActionOutcome | null> {
  const { content, conversation, question } = actionContext;
  const { text } = question;
  const [{ offered, allowed, endUser }, collectingRun, intent] = await Promise.all([
    availableActions(ctx, actionContext),
    findCollecting(ctx.tx, conversation.id, new Date(ctx.now.getTime() - collectTimeoutMs)),
    findIntent(
      ctx.tx,
      content.actions.filter(({ isOffered }) => isOffered),
      text,
      content.languages,
    ),
  ]);
  if (offered.length === 0) return null;
  if (collectingRun) {
    const recognized = await recognizeIntent(text, [actionContext.language]);
    if (recognized?.intent !== 'human') return continueCollecting(ctx, actionContext, collectingRun);
    await cancelCollecting(ctx, collectingRun, 'cancelled'); // and the visitor waits for a person
    return null;
  }
  if (!intent) return null;
  const { action } = intent;
  const texts = actionTextsIn(actionContext.language);
  if (!allowed.includes(action)) return { text: texts.signIn.replace('{it}', action.title) };
  const fields = fieldsOf(action.inputSchema);
  const args = extract(fields, text, action.inputSchema);
  const missing = nextMissing(fields, args);
  const proposal = { ...proposalOf(actionContext, action, args, endUser), ordinal: 0 };
  if (missing) {
    await propose(ctx, runChats, { ...proposal, slot: missing.name });
    return { text: questionFor(action, missing, actionContext) };
  }
  if (problemOfValue(action.inputSchema, args) !== null) return { text: texts.gaveUp };
  return outcomeOf(actionContext, await propose(ctx, runChats, proposal));
}

const nextMissing = (fields: readonly Field[], args: Record<string, unknown>) =>
  fields.find(({ name, isRequired }) => isRequired && !Object.hasOwn(args, name));

function questionFor({ questions }: ActionSpec, { name, label }: Field, actionContext: ActionContext): string {
  return questions[name] || actionTextsIn(actionContext.language).ask.replace('{it}', label);
}

const outcomeOf = (actionContext: ActionContext, run: Run): ActionOutcome =>
  run.state === 'awaiting_confirmation'
    ? { text: actionTextsIn(actionContext.language).confirm, confirmationId: run.id }
    : { run };

const cancelCollecting = (ctx: Context, run: Run, reason: string) =>
  updateRun(ctx.tx, run.id, { state: 'cancelled', outcome: 'failed', reason, slot: null, finishedAt: ctx.now });

/** Collects one field at a time, each validated by the schema. */
async function continueCollecting(ctx: Context, actionContext: ActionContext, run: Run): Promise<ActionOutcome> {
  const { text } = actionContext.question;
  const texts = actionTextsIn(actionContext.language);
  const stop = (reason: string) => cancelCollecting(ctx, run, reason);
  if (isCancelling(text)) {
    await stop('cancelled');
    return { text: texts.declined.replace('{it}', run.spec.title) };
  }
  const fields = fieldsOf(run.spec.inputSchema);
  const field = fields.find(({ name }) => name === run.slot);
  if (!field) throw new Error(`${run.id} needs no confirmation`);
  const value = readSlot(field, text, run.spec.inputSchema);
  if (value === undefined) {
    if (run.misses + 1 >= maxMisses) {
      await stop('not_understood');
      return { text: texts.gaveUp };
    }
    await updateRun(ctx.tx, run.id, { misses: run.misses + 1 });
    return { text: texts.askAgain.replace('{it}', questionFor(run.spec, field, actionContext)) };
  }
  const args = { ...run.args, [field.name]: value };
  const missing = nextMissing(fields, args);
  if (missing) {
    await updateRun(ctx.tx, run.id, { args, slot: missing.name, misses: 0 });
    return { text: questionFor(run.spec, missing, actionContext) };
  }
  const problem = problemOfValue(run.spec.inputSchema, args);
  if (problem !== null || isTooLongToConfirm(run.spec, args)) {
    await stop('invalid_input');
    return { text: texts.gaveUp };
  }
  return outcomeOf(actionContext, await proposeCollected(ctx, runChats, run, args, actionContext.turn.id));
}
