import { setTimeout as sleep } from 'node:timers/promises';
import { page } from '../chat/page.ts';
import { eventsOf } from '../chat/retrying-client.ts';
import { kinds, type ActingBot, type Kind } from './fault-bot.ts';

// A visitor who requests an action, confirms it and waits for the outcome, reconnecting as often as needed.

export const confirmText = 'Please check the details and confirm. I won’t do anything until you do.';
export const workingText = (title: string) => `This is taking a little longer: ${title}. I’ll post the result here.`;

interface LogEntry {
  type: string;
  data: Record<string, unknown> & { message?: { role: string; text: string } };
}

const timeoutMs = 600_000;

export interface Visitor {
  kind: Kind;
  orderId: string;
  conversationId: string;
  /** Streamed log entries, by sequence number. */
  entries: Map<number, LogEntry>;
  /** Waits for this many entries of a type. */
  waitFor(what: string, type: string, times: number): Promise<unknown>;
  /** Confirms the next card. */
  confirm(): Promise<void>;
  /** Confirms all cards until the final message, and returns it. */
  end(): Promise<string>;
  /** Loads the page again: knows nothing of what it has seen. */
  reload(): void;
}

interface VisitorOptions {
  kind: Kind;
  n: number;
  /** Stops waiting. */
  isAway?: () => boolean;
  /** The pause before a request is repeated. */
  retryMs?: number;
}

/** Opens a session and sends the request. */
export async function aPatientVisitor(
  url: string,
  { botId, publicKey }: Pick<ActingBot, 'botId' | 'publicKey'>,
  { kind, n, isAway = () => false, retryMs = 150 }: VisitorOptions,
): Promise<Visitor> {
  const ip = `10.${7 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`;
  const headers = { origin: page, 'x-forwarded-for': ip, 'content-type': 'application/json' };
  const deadline = Date.now() + timeoutMs;
  const orderId = `A-${100 + n}`;
  const { title, says } = kinds[kind];

  /** Repeats the same request until it succeeds. */
  async function retryUntilOk<T>(what: string, attempt: () => Promise<Response>): Promise<T> {
    let lastError: unknown;
    while (Date.now() < deadline && !isAway()) {
      try {
        const response = await attempt();
        if (response.ok) return (await response.json()) as T;
        lastError = `${response.status} ${await response.text()}`;
        await sleep(response.status === 429 ? 3_000 : retryMs);
      } catch (error) {
        lastError = error;
        await sleep(retryMs);
      }
    }
    throw new Error(`${what} was never accepted`, { cause: lastError });
  }
  const post = (path: string, body: object, more: Record<string, string> = {}) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    });

  const session = { publicKey, botId, visitorId: ip };
  const { sessionToken } = await retryUntilOk<{ sessionToken: string }>('the session', () =>
    post('/widget/sessions/anonymous', session),
  );
  const authorization = `Bearer ${sessionToken}`;
  const message = { sessionToken, message: `${says} ${orderId}`, clientMessageId: `client-${n}` };
  const { conversationId } = await retryUntilOk<{ conversationId: string }>('the message', () =>
    post(`/widget/chatbots/${botId}/message`, message),
  );

  const entries = new Map<number, LogEntry>();
  /** Follows the log until `find` returns an entry. */
  async function follow(what: string, find: () => LogEntry | undefined): Promise<LogEntry> {
    let lastError: unknown;
    for (let found = find(); Date.now() < deadline && !isAway(); found = find()) {
      if (found) return found;
      try {
        const after = Math.max(0, ...entries.keys());
        const response = await fetch(`${url}/widget/conversations/${conversationId}/events?after=${after}`, {
          headers: { ...headers, authorization, accept: 'text/event-stream' },
          signal: AbortSignal.timeout(15_000),
        });
        if (!response.ok) throw new Error(`${response.status}`);
        for await (const { event, id, data } of eventsOf(response)) {
          if (Number.isInteger(id)) entries.set(id, { type: event, data });
          if (find()) break;
        }
      } catch (error) {
        lastError = error;
      }
      await sleep(find() ? 0 : 4 * retryMs);
    }
    throw new Error(`${kind} ${orderId}: ${what} never came: ${JSON.stringify([...entries.values()])}`, {
      cause: lastError,
    });
  }
  const botMessages = () => [...entries.values()].filter(({ data }) => data.message?.role === 'bot');
  const isEnd = ({ data: { message: botMessage } }: LogEntry) =>
    botMessage?.text !== confirmText && botMessage?.text !== workingText(title);

  const confirmedRuns = new Set<unknown>();
  const nextCard = () =>
    [...entries.values()].find(
      ({ type, data }) => type === 'confirmation.required' && !confirmedRuns.has(data['runId']),
    );
  const end = () => botMessages().find(isEnd);
  async function confirm() {
    const { runId, argsHash } = (await follow('the card', nextCard)).data;
    const path = `/widget/conversations/${conversationId}/confirm`;
    await retryUntilOk('the confirmation', async () => {
      const response = await post(path, { runId, argsHash, isConfirmed: true }, { authorization });
      return response.status === 409 ? Response.json({}) : response; // too late, and always will be
    });
    confirmedRuns.add(runId);
  }
  return {
    kind,
    orderId,
    conversationId,
    entries,
    waitFor: (what, type, times) =>
      follow(what, () => [...entries.values()].filter((entry) => entry.type === type)[times - 1]),
    confirm,
    end: async () => {
      for (;;) {
        const next = await follow('the end', () => end() ?? nextCard());
        if (next === end()) return next.data.message?.text ?? '';
        await confirm();
      }
    },
    reload: () => {
      entries.clear();
      confirmedRuns.clear();
    },
  };
}
