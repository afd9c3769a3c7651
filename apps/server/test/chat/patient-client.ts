import { setTimeout as sleep } from 'node:timers/promises';
import { page } from './fixture.ts';

// A widget in small: it writes a message once, follows the answer, and comes back whenever the line breaks.

export interface Chat {
  conversationId: string;
  /** What stood on the screen in the end. */
  text: string;
  botId: string;
  publicKey: string;
  visitorToken: string;
  address: string;
}

interface Asking {
  publicKey: string;
  botId: string;
  address: string;
  question: string;
}

const headersOf = (address: string, more: Record<string, string> = {}) => ({
  origin: page,
  'x-forwarded-for': address,
  'content-type': 'application/json',
  ...more,
});

async function openSession(
  url: string,
  { publicKey, botId, address }: Omit<Asking, 'question'>,
  visitorToken?: string,
) {
  const response = await fetch(`${url}/widget/sessions/anonymous`, {
    method: 'POST',
    headers: headersOf(address),
    body: JSON.stringify({ publicKey, botId, visitorId: address, ...(visitorToken && { visitorToken }) }),
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`session: ${response.status} ${await response.text()}`);
  return (await response.json()) as { sessionToken: string; visitorToken: string; conversation: { id: string } | null };
}

export interface Seen {
  event: string;
  id: number;
  data: Record<string, unknown>;
}

/** The events of a stream, until it ends or breaks. */
export async function* eventsOf(response: Response): AsyncGenerator<Seen> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    rest += decoder.decode(bytes as Uint8Array, { stream: true });
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const lines = rest.slice(0, end).split('\n');
      rest = rest.slice(end + 2);
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const data = field('data');
      if (data) yield { event: field('event') ?? '', id: Number(field('id')), data: JSON.parse(data) as Seen['data'] };
    }
  }
}

/** What stands on the screen: words where they belong, and in the end the whole. */
export function createScreen() {
  let text = '';
  let isDone = false;
  return {
    show({ event, data }: Seen) {
      if (event === 'reply.delta') text = text.slice(0, data['at'] as number) + (data['text'] as string);
      if (event === 'reply.completed') {
        text = (data['message'] as { text: string }).text;
        isDone = true;
      }
    },
    text: () => text,
    isDone: () => isDone,
  };
}

const timeoutMs = 120_000;

/** Asks, and does not go before it is answered, whatever breaks on the way. */
export async function chatUntilAnswered(url: string, asking: Asking): Promise<Chat> {
  const clientMessageId = `client-${asking.address}`;
  const screen = createScreen();
  let session: Awaited<ReturnType<typeof openSession>> | undefined;
  let [conversationId, seen] = ['', 0];
  let trouble: unknown;
  for (const until = Date.now() + timeoutMs; !screen.isDone();) {
    if (Date.now() > until) throw new Error(`${asking.question} was never answered`, { cause: trouble });
    try {
      session ??= await openSession(url, asking);
      const headers = headersOf(asking.address, { accept: 'text/event-stream' });
      const signal = AbortSignal.timeout(15_000);
      // Until it is known where to come back to, the message itself is sent again: it is the same one.
      const response = conversationId
        ? await fetch(`${url}/widget/conversations/${conversationId}/events?after=${seen}`, {
            headers: { ...headers, authorization: `Bearer ${session.sessionToken}` },
            signal,
          })
        : await fetch(`${url}/widget/chatbots/${asking.botId}/message`, {
            method: 'POST',
            headers,
            body: JSON.stringify({ sessionToken: session.sessionToken, message: asking.question, clientMessageId }),
            signal,
          });
      if (response.status === 429) await sleep(3_000);
      if (!response.ok) throw new Error(`${response.status}`);
      for await (const event of eventsOf(response)) {
        screen.show(event);
        seen = Math.max(seen, event.id);
        if (screen.isDone()) break;
      }
      if (!conversationId && !screen.isDone())
        conversationId = (await openSession(url, asking, session.visitorToken)).conversation?.id ?? '';
    } catch (error) {
      trouble = error;
      await sleep(150);
    }
  }
  const known = conversationId || (await findAgain(url, asking, session?.visitorToken ?? ''));
  return { ...asking, conversationId: known, text: screen.text(), visitorToken: session?.visitorToken ?? '' };
}

async function findAgain(url: string, asking: Asking, visitorToken: string): Promise<string> {
  for (let attempts = 0; attempts < 200; attempts++) {
    const again = await openSession(url, asking, visitorToken).catch(() => undefined);
    if (again?.conversation) return again.conversation.id;
    await sleep(100);
  }
  throw new Error(`${asking.question} has no conversation`);
}

/** Comes back later, with nothing on the screen. */
export async function readLog(url: string, chat: Chat) {
  const { sessionToken } = await openSession(url, chat, chat.visitorToken);
  const headers = headersOf(chat.address, { accept: 'text/event-stream', authorization: `Bearer ${sessionToken}` });
  const response = await fetch(`${url}/widget/conversations/${chat.conversationId}/events?after=0`, { headers });
  const screen = createScreen();
  for await (const event of eventsOf(response)) {
    screen.show(event);
    if (screen.isDone()) break;
  }
  return { text: screen.text() };
}
