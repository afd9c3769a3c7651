import { expect } from 'vitest';
import type { TestTenant } from '../harness.ts';

// The figures of `GET /insights/outcomes`, computed from `GET /events` alone and by the definitions in the API reference.
// Shares no code with the server.

interface Envelope {
  type: string;
  createdAt: string;
  botId: string;
  conversationId: string;
  data: {
    object: {
      id: string;
      isTest?: boolean;
      channel?: string;
      language?: string;
      visitorId?: string;
      contactId?: string | null;
      environmentId?: string;
      createdAt?: string;
      state?: string;
      role?: string;
      turnId?: string | null;
      isAnswer?: boolean | null;
      finish?: string | null;
    };
    isHelpful?: boolean;
    rating?: number;
    visitorId?: string;
  };
}

export async function readEvents(tenant: TestTenant): Promise<Envelope[]> {
  const events: Envelope[] = [];
  for (let after = ''; ;) {
    const page = await tenant.get(`/events?limit=100${after && `&after=${after}`}`);
    expect(page.statusCode, page.body).toBe(200);
    const { data, nextCursor } = page.json<{ data: Envelope[]; nextCursor: string | null }>();
    events.push(...data);
    if (data.length < 100) return events;
    after = nextCursor ?? '';
  }
}

interface Chat {
  botId: string;
  channel: string;
  language: string;
  environmentId: string | undefined;
  visitorId: string | undefined;
  /** Of the contact, if known. */
  contactId: string | null;
  startedAt: number;
  lastMessageAt: number;
  closedAt: number | null;
  requestedAt: number | null;
  isWaiting: boolean;
  joinedAt: number | null;
  respondedAt: number | null;
  openTurns: Set<string>;
  lastQuestion: 'none' | 'answered' | 'unanswered';
  lastReply: string | null;
  thumb: boolean | null;
  rating: number | null;
  cameBack: boolean;
}

const week = 7 * 86_400_000;

/** Of the same contact, or of the same visitor who is not identified, with the same bot. */
const isSamePerson = (a: Chat, b: Chat) =>
  a.botId === b.botId &&
  a.environmentId === b.environmentId &&
  a.contactId === b.contactId &&
  (a.contactId !== null || a.visitorId === b.visitorId);

function chatsOf(events: readonly Envelope[]): Chat[] {
  const chats = new Map<string, Chat>();
  for (const { type, data, botId, conversationId, createdAt } of events) {
    const { object } = data;
    const at = Date.parse(createdAt);
    if (type === 'contact.identified') {
      for (const chat of chats.values())
        if (chat.contactId === null && chat.visitorId === data.visitorId) chat.contactId = object.id;
      continue;
    }
    if (type === 'conversation.created') {
      if (object.isTest) continue;
      const chat: Chat = {
        botId,
        channel: object.channel ?? '',
        language: object.language ?? '',
        environmentId: object.environmentId,
        visitorId: object.visitorId,
        contactId: object.contactId ?? null,
        startedAt: Date.parse(object.createdAt ?? ''),
        lastMessageAt: at,
        closedAt: null,
        requestedAt: null,
        isWaiting: false,
        joinedAt: null,
        respondedAt: null,
        openTurns: new Set(),
        lastQuestion: 'none',
        lastReply: null,
        thumb: null,
        rating: null,
        cameBack: false,
      };
      const earlier = [...chats.values()].findLast((each) => isSamePerson(each, chat));
      if (earlier && at - earlier.lastMessageAt <= week) earlier.cameBack = true;
      chats.set(conversationId, chat);
      continue;
    }
    const chat = chats.get(conversationId);
    if (chat) apply(chat, { type, data, at });
  }
  return [...chats.values()];
}

function apply(chat: Chat, { type, data, at }: Pick<Envelope, 'type' | 'data'> & { at: number }) {
  const { object } = data;
  if (type === 'message.created') {
    chat.lastMessageAt = at;
    if (object.role === 'visitor' && object.turnId) {
      chat.openTurns.add(object.turnId);
      chat.closedAt = null;
    }
    if (object.role === 'bot' && object.turnId) {
      chat.openTurns.delete(object.turnId);
      if (typeof object.isAnswer === 'boolean' && object.finish !== 'stopped') {
        chat.lastQuestion = object.isAnswer && !chat.isWaiting ? 'answered' : 'unanswered';
        chat.lastReply = object.id;
        chat.thumb = null;
      }
    }
    if (object.role === 'agent') {
      chat.joinedAt ??= at;
      if (chat.requestedAt !== null) chat.respondedAt ??= at;
    }
  }
  if (type === 'conversation.handoff_requested') {
    chat.requestedAt ??= at;
    chat.isWaiting = true;
    chat.lastQuestion = 'unanswered';
  }
  if (type === 'conversation.handoff_accepted') {
    chat.joinedAt ??= at;
    chat.openTurns.clear();
  }
  if (type === 'conversation.resolved') {
    chat.closedAt = at;
    if (chat.openTurns.size > 0) chat.lastQuestion = 'unanswered';
    chat.openTurns.clear();
  }
  // Also after handing back, when it was not closed.
  if (type === 'conversation.reopened') {
    chat.closedAt = null;
    chat.isWaiting = object.state === 'waiting_human';
  }
  if (type === 'conversation.rated') chat.rating = data.rating ?? null;
  if (type === 'message.feedback' && object.id === chat.lastReply) chat.thumb = data.isHelpful ?? null;
}

function outcomeAt(chat: Chat, now: number): string {
  if (chat.closedAt === null && now - chat.lastMessageAt < 86_400_000) return 'open';
  if (chat.joinedAt !== null) return 'handedOff';
  if (chat.requestedAt !== null && chat.lastQuestion !== 'answered') return 'abandoned';
  const clear = chat.rating === 3 ? null : chat.rating;
  const isHappy = clear === null ? chat.thumb : clear >= 4;
  if (isHappy === true) return 'resolvedConfirmed';
  if (isHappy === false) return 'abandoned';
  return chat.lastQuestion === 'answered' ? 'resolvedAssumed' : 'abandoned';
}

const average = (values: number[]) =>
  values.length === 0 ? null : Math.round(values.reduce((sum, value) => sum + value, 0) / values.length);

function figures(chats: readonly Chat[], now: number) {
  const outcomes = chats.map((chat) => outcomeAt(chat, now));
  const count = (name: string) => outcomes.filter((outcome) => outcome === name).length;
  const rated = chats.filter(({ rating }) => rating !== null);
  const between = (from: number | null, to: number | null) => (from === null || to === null ? [] : [to - from]);
  const responses = chats.flatMap(({ requestedAt, respondedAt }) => between(requestedAt, respondedAt));
  const handling = chats.flatMap(({ joinedAt, closedAt }) => between(joinedAt, closedAt));
  return {
    conversations: chats.length,
    open: count('open'),
    resolvedConfirmed: count('resolvedConfirmed'),
    resolvedAssumed: count('resolvedAssumed'),
    handedOff: count('handedOff'),
    abandoned: count('abandoned'),
    cameBack: chats.filter((chat) => chat.cameBack).length,
    csat: { ratings: rated.length, satisfied: rated.filter(({ rating }) => (rating ?? 0) >= 4).length },
    firstResponse: { count: responses.length, average: average(responses) },
    handling: { count: handling.length, average: average(handling) },
  };
}

/** The figures at a moment, in the form of the response. */
export function recompute(events: readonly Envelope[], now: number) {
  const chats = chatsOf(events);
  const split = (key: 'botId' | 'channel' | 'language') =>
    [...Map.groupBy(chats, (chat) => chat[key])].map(([value, of]) => ({ value, figures: figures(of, now) }));
  const counts = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 0));
  for (const { startedAt } of chats) {
    const start = new Date(startedAt);
    const hours = counts[(start.getUTCDay() + 6) % 7] ?? [];
    hours[start.getUTCHours()] = (hours[start.getUTCHours()] ?? 0) + 1;
  }
  return {
    total: figures(chats, now),
    bots: split('botId').map(({ value, ...of }) => ({ botId: value, ...of.figures })),
    channels: split('channel').map(({ value, ...of }) => ({ channel: value, ...of.figures })),
    languages: split('language').map(({ value, ...of }) => ({ language: value, ...of.figures })),
    busiestHours: { timeZone: 'UTC', counts },
  };
}
