import type { TurnDeps } from '../../../apps/server/src/features/conversations/turn/turn.ts';
import type { Caller } from '../../../apps/server/src/platform/context.ts';
import { inTenant } from '../../../apps/server/src/platform/context.ts';
import type { Id } from '../../../apps/server/src/platform/ids.contract.ts';
import { newId } from '../../../apps/server/src/platform/ids.ts';
import type { Chat, openChat, Shop } from './chats.ts';
import { clock, type Random } from './clock.ts';
import * as script from './script.ts';

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];

interface HistoryContext {
  parts: TurnDeps;
  shop: Shop;
  callers: Map<string, Caller>;
  random: Random;
  from: number;
  until: number;
  openChat: typeof openChat;
}

const contacts = new Map<string, Id<'contact'>>();

/** Every third visitor is signed in, and returns as the same contact. */
async function aVisitor(context: HistoryContext, language: string): Promise<Chat> {
  const { parts, shop, random } = context;
  const page = random.pick(script.pages);
  const customer = random.chance(0.4) ? random.pick(script.customers) : undefined;
  if (!customer) return context.openChat(parts, shop, { random, page, language });
  const id = contacts.get(customer.email) ?? newId('contact');
  contacts.set(customer.email, id);
  return context.openChat(parts, shop, { random, page, language, contact: { id, ...customer } });
}

/** More on working days, most on the day after the newsletter, none at night. */
const countOn = (day: Date, daysAgo: number, random: Random) =>
  daysAgo === 6 ? 11 : [0, 6].includes(day.getUTCDay()) ? random.between(1, 3) : random.between(3, 6);

export async function playDays(context: HistoryContext & { onDay(daysAgo: number): Promise<void> }): Promise<void> {
  const { random, until } = context;
  for (let daysAgo = 20; daysAgo >= 1; daysAgo--) {
    const start = until - daysAgo * dayMs;
    clock.set(start);
    await context.onDay(daysAgo);
    const count = countOn(new Date(start), daysAgo, random);
    // Evenly over ten hours, so that one conversation ends before the next starts: there is one clock.
    for (let n = 0; n < count; n++) {
      clock.set(start + Math.floor(((n + 0.5) * 10 * hourMs) / count) + minuteMs);
      await aConversation(context);
    }
  }
}

async function aConversation(context: HistoryContext): Promise<void> {
  const { random } = context;
  const language = random.chance(0.22) ? 'de' : 'en';
  const kind = random.next();
  if (kind < 0.6) return answeredChat(context, language);
  if (kind < 0.74) return unansweredChat(context, language);
  if (kind < 0.86) return orderChat(context);
  return handoffChat(context);
}

const pauseToRead = ({ random }: HistoryContext) => clock.advance(random.between(20, 90) * 1_000);

async function rate(context: HistoryContext, chat: Chat, share: number, ratings: readonly number[]): Promise<void> {
  if (!context.random.chance(share)) return;
  pauseToRead(context);
  await chat.rate(context.random.pick(ratings), context.random.pick(script.comments));
}

async function answeredChat(context: HistoryContext, language: 'en' | 'de'): Promise<void> {
  const chat = await aVisitor(context, language);
  for (const question of context.random.pick<readonly string[]>(script.answered[language])) {
    await chat.ask(question);
    pauseToRead(context);
  }
  await rate(context, chat, 0.45, [5, 5, 4, 5, 4, 3]);
}

async function unansweredChat(context: HistoryContext, language: 'en' | 'de'): Promise<void> {
  const chat = await aVisitor(context, language);
  await chat.ask(context.random.pick<string>(script.unanswered[language]));
  await rate(context, chat, 0.3, [2, 3, 1]);
}

async function orderChat(context: HistoryContext): Promise<void> {
  const chat = await aVisitor(context, 'en');
  await chat.ask('Where is my order?');
  pauseToRead(context);
  const isUnknown = context.random.chance(0.2);
  const order = isUnknown ? 'A-9999' : context.random.pick(['A-1001', 'A-1002', 'A-1003']);
  const display = isUnknown
    ? 'There is no order A-9999.'
    : `Your order ${order} is on its way and arrives on Thursday.`;
  await chat.ask(order, { display, isFailed: isUnknown });
  await rate(context, chat, 0.4, isUnknown ? [2, 3] : [5, 5, 4]);
}

const anAgent = ({ callers, random }: HistoryContext) =>
  callers.get(random.pick(['chiara@northlight.example', 'deniz@northlight.example']));

async function handoffChat(context: HistoryContext): Promise<void> {
  const { random } = context;
  const { language, question, reason, replies, note } = random.pick(script.handoffs);
  const agent = anAgent(context);
  if (!agent) return;
  const chat = await aVisitor(context, language);
  await chat.ask(question);
  pauseToRead(context);
  await chat.askForPerson(reason);
  clock.advance(random.between(1, 9) * minuteMs);
  await chat.claim(agent);
  for (const [agentText, visitorText] of replies) {
    pauseToRead(context);
    await chat.reply(agent, agentText);
    pauseToRead(context);
    if (visitorText) await chat.ask(visitorText);
  }
  if (note) await chat.note(agent, note);
  await chat.close(agent);
  await rate(context, chat, 0.6, [5, 5, 5, 4]);
}

/** The last hours: what the inbox shows as waiting, and what agents are working on. */
export async function playToday(context: HistoryContext): Promise<void> {
  const { until, callers } = context;
  const moments = [
    ...[9, 7, 5, 3].map((hours) => ({ at: until - hours * hourMs, play: () => aConversation(context) })),
    ...[8, 6, 4, 2].map((hours) => ({ at: until - hours * hourMs, play: () => answeredChat(context, 'en') })),
    ...script.assigned.map(({ minutesAgo, ...one }) => ({
      at: until - (minutesAgo + 8) * minuteMs,
      play: async () => {
        const agent = callers.get(one.agent);
        if (!agent) return;
        const chat = await aVisitor(context, 'en');
        await chat.ask(one.question);
        await chat.askForPerson(one.reason);
        clock.advance(5 * minuteMs);
        await chat.claim(agent);
        clock.advance(minuteMs);
        await chat.reply(agent, one.reply);
      },
    })),
    ...script.waiting.map(({ minutesAgo, question, reason, more }) => ({
      at: until - (minutesAgo + 1) * minuteMs,
      play: async () => {
        const chat = await aVisitor(context, 'en');
        await chat.ask(question);
        clock.advance(20_000);
        await chat.askForPerson(reason);
        clock.advance(15_000);
        await chat.ask(more);
      },
    })),
  ].toSorted((a, b) => a.at - b.at);
  for (const { at, play } of moments) {
    clock.set(at);
    await play();
  }
  await nameContacts(context);
}

/** As the shop's backend names them: "lena.hoffmann@…" is Lena Hoffmann. */
async function nameContacts({ parts, shop, callers }: HistoryContext): Promise<void> {
  const [anyone] = callers.values();
  if (!anyone) return;
  await inTenant(parts.services, { ...anyone, tenantId: shop.tenantId }, async ({ tx }) => {
    for (const [email, id] of contacts) {
      const name = (email.split('@')[0] ?? '').replace(
        /(^|\.)(\w)/g,
        (_match, dot: string, character: string) => `${dot ? ' ' : ''}${character.toUpperCase()}`,
      );
      await tx.updateTable('contacts').set({ name }).where('id', '=', id).execute();
    }
  });
}
