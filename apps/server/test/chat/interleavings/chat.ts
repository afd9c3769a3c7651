import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Reply } from '../../../../../tools/model/index.ts';
import { runStep } from '../../../src/features/actions/run/step.ts';
import * as agents from '../../../src/features/conversations/agent/agents.service.ts';
import { assignConversation } from '../../../src/features/conversations/assignment/assign.ts';
import { checkWaiting } from '../../../src/features/conversations/assignment/waiting.ts';
import { changeAll } from '../../../src/features/conversations/inbox/bulk.ts';
import { reopen, snooze } from '../../../src/features/conversations/inbox/inbox.service.ts';
import type { Bulk } from '../../../src/features/conversations/inbox/inbox.contract.ts';
import { noteReplyAddress } from '../../../src/features/conversations/reply-email/reply-email.ts';
import { runModelStep, type ModelCall } from '../../../src/features/conversations/turn/model-step.ts';
import { saveReply, startTurn } from '../../../src/features/conversations/turn/turn.ts';
import { acceptMessage, asVisitor } from '../../../src/features/conversations/visitor/accept.ts';
import { answerConfirmation } from '../../../src/features/conversations/visitor/confirmations.ts';
import { askForPerson, stopTurn } from '../../../src/features/conversations/visitor/visitor.service.ts';
import { plans } from '../../../src/features/entitlements/plans.ts';
import {
  inTenant,
  type Caller,
  type Context,
  type RequestInfo,
  type VisitorSession,
} from '../../../src/platform/context.ts';
import { AppError } from '../../../src/platform/errors.ts';
import type { Id } from '../../../src/platform/ids.contract.ts';
import { newId } from '../../../src/platform/ids.ts';
import { page } from '../fixture.ts';
import { until } from '../helpers.ts';
import { followLive, type Live } from '../follow-live.ts';
import type { Stack } from './stack.ts';
import type { Step } from './steps.ts';

// One visitor, whose conversations the steps of an interleaving happen to.

type ConversationId = Id<'conversation'>;
const requestInfo = { requestId: 'test' } as RequestInfo;
let marks = 1_000;

export function aChat(stack: Stack, shopNumber: number) {
  const { services, turnDeps, runDeps, scripts } = stack;
  const shop = stack.shops[shopNumber % stack.shops.length]!;
  const { tenantId, environmentId, botId, userId: assignerId } = shop.tenant;
  const mark = String((marks = marks >= 999_999 ? 1_000 : marks + 1));
  const session: VisitorSession = {
    tenantId,
    environmentId: environmentId as Id<'environment'>,
    botId,
    openedBy: 'test',
    visitorId: newId('visitor'),
    label: 'web',
    origin: page,
    startedAt: new Date(),
    expiresAt: new Date(Date.now() + 3_600_000),
  };
  const conversationIds: ConversationId[] = [];
  const turnIds: Id<'turn'>[] = [];
  const acceptedIds: string[] = [];
  const background: Promise<unknown>[] = [];
  const problems: string[] = [];
  const streams = new Map<ConversationId, Live>();

  // ---- pauses of the model's stream and of the tenant's system ----

  let next = { reply: 'answer', response: 'succeeded' as 'succeeded' | 'refused' | 'accepted', isPaused: false };
  const paused: (() => void)[] = [];
  const onPause: (() => void)[] = [];
  /** Until `release`, if the step asked for it. */
  const pauseOnce = () => {
    if (!next.isPaused) return undefined;
    next.isPaused = false;
    return new Promise<void>((resolve) => {
      paused.push(resolve);
      for (const notify of onPause.splice(0)) notify();
    });
  };
  const order = `A-${mark}`;
  const replies: Record<string, Reply> = {
    answer: { tokens: ['You', 'can', 'send', 'it', 'back.', '[1]'], everyMs: 0 },
    read: { tokens: ['One', 'moment.'], everyMs: 0, toolCalls: [{ name: 'order_status', input: { orderId: order } }] },
    write: { tokens: [], everyMs: 0, toolCalls: [{ name: 'cancel_order', input: { orderId: order } }] },
    error: { tokens: [], everyMs: 0, failWith: 500 },
    reset: { tokens: ['You', 'can'], everyMs: 0, resetAfter: 1 },
  };
  scripts.set(mark, {
    nextReply() {
      const reply = replies[next.reply] ?? { tokens: [], everyMs: 0 };
      next.reply = 'answer';
      const until = reply.tokens.length > 1 ? pauseOnce() : undefined;
      return { ...reply, ...(until && { hold: { at: 1, until } }) };
    },
    async nextResponse() {
      const { response } = next;
      next.response = 'succeeded';
      await pauseOnce();
      return response;
    },
  });
  const release = () => paused.splice(0).forEach((resolve) => resolve());

  /** Waits for the work, or until the model or the tenant's system pauses; the work then continues in the background. */
  const untilPaused = async (work: Promise<unknown>) => {
    const guarded = work.catch(expectRefusal);
    background.push(guarded);
    await Promise.race([guarded, new Promise<void>((resolve) => onPause.push(resolve))]);
  };
  const expectRefusal = (error: unknown) => {
    if (error instanceof AppError && (error.status === 409 || error.status === 404)) return;
    // Restate would repeat the step, and `settle` does so.
    if (error instanceof Error && error.message.includes('another attempt')) return;
    problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  };

  // ---- the steps ----

  const callerOf = (userId: string): Caller => ({
    tenantId,
    actor: { type: 'user', id: userId },
    permissions: new Set(['conversation.view', 'conversation.reply', 'conversation.assign']),
    profile: { email: 'agent@example.com', name: 'Agent', roles: ['admin'] },
  });
  const asAgent = <T>(userId: string, work: (ctx: Context) => Promise<T>) => inTenant(services, callerOf(userId), work);
  const texts = {
    question: `how long can I send something back? ${mark}`,
    order: `where is my order ${order}`,
    cancel: `I want to cancel my order ${order}`,
    person: 'can I talk to a human?',
    email: `write to me at visitor-${mark}@example.com`,
  };
  const isModelBot = shop.mode === 'model';
  const refTo = (conversationId: ConversationId) => ({ tenantId, conversationId });
  const turnAt = (n: number) => turnIds.at(-1 - (n % Math.max(1, turnIds.length)));

  async function say({ about, isRepeated }: Step & { kind: 'message' }) {
    const message = texts[about];
    const input = { message, clientMessageId: isRepeated ? 'repeated' : newId('message') };
    const accepted = await inTenant(services, asVisitor(session), async (ctx) => {
      const result = await acceptMessage(ctx, session, input, plans.enterprise);
      if (result.turnId === null && !result.isRepeat) await noteReplyAddress(ctx, result.conversationId, input);
      return result;
    });
    if (!conversationIds.includes(accepted.conversationId)) {
      conversationIds.push(accepted.conversationId);
      streams.set(accepted.conversationId, await followLive(stack, tenantId, accepted.conversationId));
    }
    acceptedIds.push(accepted.message.id);
    if (accepted.turnId && !accepted.isRepeat) turnIds.push(accepted.turnId);
  }

  async function confirm(conversationId: ConversationId, isConfirmed: boolean) {
    const [run] = await openRuns(conversationId, ['awaiting_confirmation']);
    if (!run) return;
    const answer = { runId: run.id as Id<'actionRun'>, argsHash: run.argsHash, isConfirmed };
    await answerConfirmation(stack, session, conversationId, answer, requestInfo);
  }

  const openRuns = (conversationId: ConversationId, states = ['proposed', 'dispatched', 'accepted']) =>
    asAgent(assignerId, ({ tx }) =>
      tx
        .selectFrom('actionRuns')
        .select(['id', 'argsHash', 'state'])
        .where('conversationId', '=', conversationId)
        .where('state', 'in', states)
        .orderBy('id')
        .execute(),
    );
  const advance = (runId: string) => runStep(runDeps, { tenantId, runId: runId as Id<'actionRun'> });

  const modelStep = (conversationId: ConversationId, call: ModelCall) =>
    runModelStep(turnDeps, refTo(conversationId), call);

  /** What the worker does for a conversation: the steps of each open turn, until none is left. */
  async function runTurns(conversationId: ConversationId) {
    const ref = refTo(conversationId);
    for (let turns = 0; turns < 10; turns++) {
      const started = await startTurn(turnDeps, ref, turnIds.at(-1) ?? '');
      if (!started) return;
      for (const runId of started.runs) await advance(runId);
      for (let ask = 1, model = 1; model <= started.models && ask <= started.models + 3; ask++) {
        const step = await modelStep(conversationId, { turnId: started.turnId, ask, model });
        if (step.outcome === 'answered' || step.isAsked) break;
        if (step.outcome === 'failed') model++;
        for (const runId of step.runs) await advance(runId);
      }
      if (started.models > 0 || started.runs.length > 0) await saveReply(turnDeps, ref, started.turnId);
    }
  }

  const bulk = ({ action, isReversed }: Step & { kind: 'bulk' }, assigneeId: Id<'user'>) => {
    const newest = conversationIds.slice(-2);
    const ids = isReversed ? newest.toReversed() : newest;
    const changes = {
      close: { action: 'close', ids },
      reopen: { action: 'reopen', ids },
      assign: { action: 'assign', ids, assigneeId },
      tag: { action: 'tag', ids, tags: ['late'] },
    } satisfies Record<typeof action, Bulk>;
    const caller = callerOf(assignerId);
    return changeAll({ ...caller, inTenant: (work) => inTenant(services, caller, work) }, changes[action]);
  };

  async function take(step: Step): Promise<unknown> {
    if (step.kind === 'message') return say(step);
    const id = (step.isOld ? conversationIds.at(-2) : undefined) ?? conversationIds.at(-1);
    if (!id) return undefined;
    const agentId = 'agent' in step ? (shop.agentIds[step.agent] ?? '') : '';
    const turnId = 'turn' in step ? turnAt(step.turn) : undefined;
    switch (step.kind) {
      case 'start':
        return turnId && startTurn(turnDeps, refTo(id), turnId);
      case 'model':
        if (!turnId || !isModelBot) return undefined;
        Object.assign(next, { reply: step.reply, isPaused: step.isPaused && paused.length === 0 });
        return untilPaused(modelStep(id, { turnId, ask: step.ask, model: 1 }));
      case 'release':
        return release();
      case 'save':
        return turnId && saveReply(turnDeps, refTo(id), turnId);
      case 'timer':
        return untilPaused(runTurns(id));
      case 'stop':
        return stopTurn(stack, session, id, requestInfo);
      case 'run': {
        const run = (await openRuns(id)).at(step.run % 2);
        if (!run) return undefined;
        Object.assign(next, { response: step.response, isPaused: step.isPaused && paused.length === 0 });
        return untilPaused(advance(run.id));
      }
      case 'confirm':
        return confirm(id, step.isConfirmed);
      case 'handoff':
        return askForPerson(stack, session, id, 'asked', requestInfo);
      case 'claim':
        return asAgent(agentId, (ctx) => agents.claim(ctx, id, undefined));
      case 'assign':
        return asAgent(assignerId, (ctx) => agents.claim(ctx, id, agentId));
      case 'assignTo':
        return asAgent(assignerId, (ctx) =>
          assignConversation(ctx, id, {
            assigneeId: step.to === 'agent' ? (agentId as Id<'user'>) : null,
            ...(step.to === 'team' && { teamId: shop.teamId }),
          }),
        );
      case 'snooze':
        return asAgent(assignerId, (ctx) =>
          snooze(ctx, id, step.isOn ? new Date(Date.now() + 3_600_000).toISOString() : null),
        );
      case 'bulk':
        return bulk(step, agentId as Id<'user'>);
      case 'checkWaiting':
        await askForPerson(stack, session, id, 'asked', requestInfo);
        await asAgent(assignerId, ({ tx }) =>
          tx
            .updateTable('conversations')
            .set({ waitingSince: sql<Date>`waiting_since - interval '1 hour'` })
            .where('id', '=', id)
            .execute(),
        );
        return checkWaiting(services, refTo(id));
      case 'reply':
        return asAgent(agentId, (ctx) => agents.reply(ctx, id, { text: 'I am looking into it.' }));
      case 'handBack':
        return asAgent(assignerId, (ctx) => agents.handBack(ctx, id));
      case 'close':
        return asAgent(assignerId, (ctx) => agents.close(ctx, id));
      case 'reopen':
        return asAgent(assignerId, (ctx) => reopen(ctx, id));
    }
  }

  return {
    tenantId,
    conversationIds,
    acceptedIds,
    assignerId,
    problems,
    streams,
    step: async (one: Step) => {
      if (one.delayMs > 0) await sleep(one.delayMs);
      await take(one).catch(expectRefusal);
    },
    /** Lets everything that is under way come to its end. */
    settle: async () => {
      next = { reply: 'answer', response: 'succeeded', isPaused: false };
      release();
      await Promise.all(background);
      for (const id of conversationIds) {
        await runTurns(id).catch(expectRefusal);
        for (const run of await openRuns(id, ['proposed', 'dispatched'])) await advance(run.id).catch(expectRefusal);
      }
      scripts.delete(mark);
      for (const [id, stream] of streams) {
        const { lastSeq } = await asAgent(assignerId, ({ tx }) =>
          tx.selectFrom('conversations').select('lastSeq').where('id', '=', id).executeTakeFirstOrThrow(),
        );
        await until(() => stream.lastSeq() >= lastSeq);
        stream.end();
      }
    },
  };
}
