import { setTimeout as sleep } from 'node:timers/promises';
import { page } from '../chat/fixture.ts';
import { eventsOf } from '../chat/retrying-client.ts';
import { kinds, type ActingBot, type Kind } from './fault-bot.ts';

// A visitor who asks for something to be done, agrees, and stays until the end is told, however often the line breaks.

export const confirmWords = 'Please check the details and confirm. I won’t do anything until you do.';
export const workingWords = (title: string) => `This is taking a little longer: ${title}. I’ll post the result here.`;

interface Seen {
  type: string;
  data: Record<string, unknown> & { message?: { role: string; text: string } };
}

const timeoutMs = 600_000;

export interface Visitor {
  kind: Kind;
  orderId: string;
  conversationId: string;
  /** What the stream brought, by its place in the log. */
  seen: Map<number, Seen>;
  /** Waits for so many of these in the log. */
  sees(what: string, type: string, times: number): Promise<unknown>;
  /** Agrees to what is shown next. */
  confirm(): Promise<void>;
  /** Waits until the end is told, agreeing to whatever is asked on the way, and says how. */
  end(): Promise<string>;
}

/** Asks, and comes back when that was answered: by a card, or, where nothing is changed, by the end. */
export async function aPatientVisitor(
  url: string,
  { botId, publicKey }: Pick<ActingBot, 'botId' | 'publicKey'>,
  { kind, n }: { kind: Kind; n: number },
): Promise<Visitor> {
  const address = `10.${7 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`;
  const headers = { origin: page, 'x-forwarded-for': address, 'content-type': 'application/json' };
  const until = Date.now() + timeoutMs;
  const orderId = `A-${100 + n}`;
  const { title, says } = kinds[kind];

  /** Until it is taken: whatever was cut is sent again as it was. */
  async function insist<T>(what: string, attempt: () => Promise<Response>): Promise<T> {
    let trouble: unknown;
    while (Date.now() < until) {
      try {
        const response = await attempt();
        if (response.ok) return (await response.json()) as T;
        trouble = `${response.status} ${await response.text()}`;
        await sleep(response.status === 429 ? 3_000 : 150);
      } catch (error) {
        trouble = error;
        await sleep(150);
      }
    }
    throw new Error(`${what} was never taken`, { cause: trouble });
  }
  const post = (path: string, body: object, more: Record<string, string> = {}) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    });

  const session = { publicKey, botId, visitorId: address };
  const { sessionToken } = await insist<{ sessionToken: string }>('the session', () =>
    post('/widget/sessions/anonymous', session),
  );
  const authorization = `Bearer ${sessionToken}`;
  const message = { sessionToken, message: `${says} ${orderId}`, clientMessageId: `client-${n}` };
  const { conversationId } = await insist<{ conversationId: string }>('the message', () =>
    post(`/widget/chatbots/${botId}/message`, message),
  );

  const seen = new Map<number, Seen>();
  /** Follows the log until it has brought this. */
  async function follow(what: string, find: () => Seen | undefined): Promise<Seen> {
    let trouble: unknown;
    for (let found = find(); Date.now() < until; found = find()) {
      if (found) return found;
      try {
        const after = Math.max(0, ...seen.keys());
        const response = await fetch(`${url}/widget/conversations/${conversationId}/events?after=${after}`, {
          headers: { ...headers, authorization, accept: 'text/event-stream' },
          signal: AbortSignal.timeout(15_000),
        });
        if (!response.ok) throw new Error(`${response.status}`);
        for await (const { event, id, data } of eventsOf(response)) {
          if (Number.isInteger(id)) seen.set(id, { type: event, data });
          if (find()) break;
        }
      } catch (error) {
        trouble = error;
      }
      await sleep(find() ? 0 : 600);
    }
    throw new Error(`${kind} ${orderId}: ${what} never came: ${JSON.stringify([...seen.values()])}`, {
      cause: trouble,
    });
  }
  const said = () => [...seen.values()].filter(({ data }) => data.message?.role === 'bot');
  const isEnd = ({ data: { message: told } }: Seen) =>
    told?.text !== confirmWords && told?.text !== workingWords(title);

  const agreedTo = new Set<unknown>();
  const nextCard = () =>
    [...seen.values()].find(({ type, data }) => type === 'confirmation.required' && !agreedTo.has(data['runId']));
  const end = () => said().find(isEnd);
  async function confirm() {
    const { runId, argsHash } = (await follow('the card', nextCard)).data;
    const path = `/widget/conversations/${conversationId}/confirm`;
    await insist('the confirmation', () => post(path, { runId, argsHash, isConfirmed: true }, { authorization }));
    agreedTo.add(runId);
  }
  return {
    kind,
    orderId,
    conversationId,
    seen,
    sees: (what, type, times) =>
      follow(what, () => [...seen.values()].filter((entry) => entry.type === type)[times - 1]),
    confirm,
    end: async () => {
      for (;;) {
        const next = await follow('the end', () => end() ?? nextCard());
        if (next === end()) return next.data.message?.text ?? '';
        await confirm();
      }
    },
  };
}
