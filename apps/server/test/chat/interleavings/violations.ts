import { sql } from 'kysely';
import type { Id } from '../../../src/platform/ids.contract.ts';
import { inside } from '../../harness.ts';
import type { Live } from '../follow-live.ts';

// What must hold for a conversation, its log and what its visitor saw live, whatever happened in which order.

interface LogRow {
  conversationId: string;
  seq: number;
  type: string;
  messageId: string | null;
  turnId: string | null;
  payload: { role?: string; state?: string; reason?: string; agent?: { id: string } };
}

export interface Tally {
  claims: number;
  botMessages: number;
  visitorMessages: number;
  cancelledTurns: number;
  finishedWhileClaimed: number;
  releases: number;
  escalations: number;
  deltas: number;
}
export const emptyTally = (): Tally => ({
  claims: 0,
  botMessages: 0,
  visitorMessages: 0,
  cancelledTurns: 0,
  finishedWhileClaimed: 0,
  releases: 0,
  escalations: 0,
  deltas: 0,
});

interface Expected {
  conversationIds: readonly string[];
  /** Messages whose acceptance was returned to the visitor. */
  acceptedIds: readonly string[];
  /** Who may take a conversation over from another agent. */
  assignerId: string;
  streams: ReadonlyMap<string, Pick<Live, 'events'>>;
}

export async function violationsOf(
  tenantId: Id<'tenant'>,
  { conversationIds, acceptedIds, assignerId, streams }: Expected,
  tally: Tally,
): Promise<string[]> {
  const { rows, open, conversations } = await inside(tenantId, async ({ tx }) => ({
    rows: (await tx
      .selectFrom('conversationEvents')
      .select(['conversationId', 'seq', 'type', 'messageId', 'turnId', 'payload'])
      .where('conversationId', 'in', conversationIds)
      .orderBy('conversationId')
      .orderBy('seq')
      .execute()) as LogRow[],
    open: await tx
      .selectFrom('turns')
      .select(['id', 'status', sql<string>`turns.conversation_id`.as('conversationId')])
      .where('conversationId', 'in', conversationIds)
      .where('status', 'in', ['queued', 'running'])
      .execute(),
    conversations: await tx
      .selectFrom('conversations')
      .select(['id', 'state', 'assigneeId', 'waitingSince', 'snoozedUntil'])
      .where('id', 'in', conversationIds)
      .execute(),
  }));
  const problems = open.map(({ id, status }) => `turn ${id} is still ${status}`);
  for (const [id, log] of Map.groupBy(rows, ({ conversationId }) => conversationId))
    for (const problem of violationsInLog(log, assignerId, tally)) problems.push(`${id}: ${problem}\n${shown(log)}`);
  for (const conversation of conversations) {
    const { id, state, assigneeId, waitingSince, snoozedUntil } = conversation;
    const waits = waitingSince !== null;
    const isRight = {
      bot: !waits && !snoozedUntil,
      waiting_human: waits,
      human: assigneeId !== null,
      closed: !waits && !snoozedUntil,
    }[state];
    if (!isRight) problems.push(`${id}: ${JSON.stringify(conversation)}`);
  }
  for (const [id, { events }] of streams)
    for (const problem of violationsInStream(events, tally)) problems.push(`${id}: ${problem}`);
  const logged = new Set(rows.map(({ messageId }) => messageId));
  for (const id of acceptedIds) if (!logged.has(id)) problems.push(`the accepted message ${id} is not in the log`);
  return problems;
}

function* violationsInLog(log: readonly LogRow[], assignerId: string, tally: Tally) {
  let state = 'bot';
  for (const [index, { seq, type, turnId, payload }] of log.entries()) {
    if (seq !== index + 1) yield `entry ${index + 1} has the sequence number ${seq}`;
    if (payload.role === 'bot') {
      tally.botMessages++;
      if (state === 'human') yield `message ${seq} of the bot after a claim`;
    }
    if (type === 'turn.started' && state !== 'bot') yield `turn ${seq} starts although the state is ${state}`;
    if (type === 'action.finished' && state === 'human') tally.finishedWhileClaimed++;
    if (type === 'turn.failed') tally.cancelledTurns++;
    if (type === 'conversation.escalated') tally.escalations++;
    if (type === 'conversation.updated' && payload.state !== undefined) {
      if (payload.state === 'human') tally.claims++;
      if (payload.state === 'waiting_human' && state === 'human') tally.releases++;
      if (payload.state === 'human' && state === 'human' && payload.agent?.id !== assignerId)
        yield `claim ${seq} of a claimed conversation`;
      state = payload.state;
    }
    if (payload.role !== 'visitor') continue;
    tally.visitorMessages++;
    const isTaken = state === 'human' || state === 'waiting_human';
    if (turnId === null && !isTaken) yield `message ${seq} has neither a turn nor an agent`;
    if (turnId !== null && state !== 'bot') yield `message ${seq} has a turn while the bot is not responsible`;
  }
  const turns = Map.groupBy(log, ({ turnId }) => turnId);
  for (const [turnId, entries] of turns) {
    if (turnId === null || !entries.some(({ payload }) => payload.role === 'visitor')) continue;
    const ends = entries.filter(({ type }) => type === 'reply.completed' || type === 'turn.failed');
    if (ends.length !== 1) yield `turn ${turnId} has ${ends.length} ends`;
    if (ends.some(({ type, payload }) => type === 'turn.failed' && !payload.reason))
      yield `turn ${turnId} was cancelled without a reason`;
  }
}

/** The widget shows each delta immediately, so one that comes late is a bot that talks into an agent's conversation. */
function* violationsInStream(events: Live['events'], tally: Tally) {
  const ended = new Set<unknown>();
  let state: unknown = 'bot';
  for (const { id, event, data } of events) {
    const { turnId, ...entry } = data as { turnId?: string; state?: string };
    if (event === 'reply.completed' || event === 'turn.failed') ended.add(turnId);
    if (event === 'conversation.updated') state = entry.state ?? state;
    if (event !== 'reply.delta') continue;
    tally.deltas++;
    if (ended.has(turnId)) yield `a delta after entry ${id} belongs to a turn that has ended`;
    if (state === 'human') yield `a delta after entry ${id} follows a claim`;
  }
}

const shown = (log: readonly LogRow[]) =>
  log
    .map(({ seq, type, turnId, payload }) =>
      [seq, type, payload.role ?? payload.state ?? payload.reason, turnId?.slice(-4)].filter(Boolean).join(' '),
    )
    .join('\n');
