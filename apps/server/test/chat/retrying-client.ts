import { setTimeout as sleep } from 'node:timers/promises';
import { page } from './page.ts';

// A minimal widget: sends a message once, follows the reply, and reconnects whenever the connection breaks.

export interface Chat {
  conversationId: string;
  /** The text shown in the end. */
  text: string;
  botId: string;
  publicKey: string;
  visitorToken: string;
  ip: string;
}

interface ChatInput {
  publicKey: string;
  botId: string;
  ip: string;
  question: string;
}

const headersOf = (ip: string, more: Record<string, string> = {}) => ({
  origin: page,
  'x-forwarded-for': ip,
  'content-type': 'application/json',
  ...more,
});

async function openSession(url: string, { publicKey, botId, ip }: Omit<ChatInput, 'question'>, visitorToken?: string) {
  const response = await fetch(`${url}/widget/sessions/anonymous`, {
    method: 'POST',
    headers: headersOf(ip),
    body: JSON.stringify({ publicKey, botId, visitorId: ip, ...(visitorToken && { visitorToken }) }),
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`session: ${response.status} ${await response.text()}`);
  return (await response.json()) as { sessionToken: string; visitorToken: string; conversation: { id: string } | null };
}

export interface StreamEvent {
  event: string;
  id: number;
  data: Record<string, unknown>;
}

/** Events of a stream, until it ends or breaks. */
export async function* eventsOf(response: { body: AsyncIterable<Uint8Array> | null }): AsyncGenerator<StreamEvent> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    rest += decoder.decode(bytes, { stream: true });
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const lines = rest.slice(0, end).split('\n');
      rest = rest.slice(end + 2);
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const data = field('data');
      if (data)
        yield { event: field('event') ?? '', id: Number(field('id')), data: JSON.parse(data) as StreamEvent['data'] };
    }
  }
}

/** Shows deltas at their offset, and in the end the complete reply. */
export function createScreen() {
  let text = '';
  let isDone = false;
  return {
    show({ event, data }: StreamEvent) {
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

/** Sends a question and retries until it is answered. */
export async function chatUntilAnswered(url: string, input: ChatInput): Promise<Chat> {
  const clientMessageId = `client-${input.ip}`;
  const screen = createScreen();
  let session: Awaited<ReturnType<typeof openSession>> | undefined;
  let [conversationId, lastId] = ['', 0];
  let lastError: unknown;
  for (const until = Date.now() + timeoutMs; !screen.isDone();) {
    if (Date.now() > until) throw new Error(`${input.question} was never answered`, { cause: lastError });
    try {
      session ??= await openSession(url, input);
      const headers = headersOf(input.ip, { accept: 'text/event-stream' });
      const signal = AbortSignal.timeout(15_000);
      // Until the conversation id is known, the same message is sent again.
      const response = conversationId
        ? await fetch(`${url}/widget/conversations/${conversationId}/events?after=${lastId}`, {
            headers: { ...headers, authorization: `Bearer ${session.sessionToken}` },
            signal,
          })
        : await fetch(`${url}/widget/chatbots/${input.botId}/message`, {
            method: 'POST',
            headers,
            body: JSON.stringify({ sessionToken: session.sessionToken, message: input.question, clientMessageId }),
            signal,
          });
      if (response.status === 429) await sleep(3_000);
      if (!response.ok) throw new Error(`${response.status}`);
      for await (const event of eventsOf(response)) {
        screen.show(event);
        lastId = Math.max(lastId, event.id);
        if (screen.isDone()) break;
      }
      if (!conversationId && !screen.isDone())
        conversationId = (await openSession(url, input, session.visitorToken)).conversation?.id ?? '';
    } catch (error) {
      lastError = error;
      await sleep(150);
    }
  }
  const finalId = conversationId || (await findConversation(url, input, session?.visitorToken ?? ''));
  return { ...input, conversationId: finalId, text: screen.text(), visitorToken: session?.visitorToken ?? '' };
}

async function findConversation(url: string, input: ChatInput, visitorToken: string): Promise<string> {
  for (let attempts = 0; attempts < 200; attempts++) {
    const session = await openSession(url, input, visitorToken).catch(() => undefined);
    if (session?.conversation) return session.conversation.id;
    await sleep(100);
  }
  throw new Error(`${input.question} has no conversation`);
}

/** Reconnects later with an empty screen. */
export async function readLog(url: string, chat: Chat) {
  const { sessionToken } = await openSession(url, chat, chat.visitorToken);
  const headers = headersOf(chat.ip, { accept: 'text/event-stream', authorization: `Bearer ${sessionToken}` });
  const response = await fetch(`${url}/widget/conversations/${chat.conversationId}/events?after=0`, { headers });
  const screen = createScreen();
  for await (const event of eventsOf(response)) {
    screen.show(event);
    if (screen.isDone()) break;
  }
  return { text: screen.text() };
}
