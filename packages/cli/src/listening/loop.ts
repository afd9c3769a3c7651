import { setTimeout as sleep } from 'node:timers/promises';
import { ParleyError } from '@parley/sdk';
import { paint } from '../out.ts';
import type { Session } from '../session.ts';
import { forward, type Answer, type Call } from './forward.ts';

export interface Listening {
  session: Session;
  webhookId: string;
  listenerId: string;
  to: string;
}
type Want = 'events' | 'calls';

const usualWait = 20; // seconds
const timeout = { events: { absentMs: 60_000, mayRepeat: true }, calls: { absentMs: 2_000, mayRepeat: false } };

/**
 * Fetches one event, sends it on, and says what became of it with the next question. Where the service had got to is its own
 * knowledge: whatever dies in between, here or there, the one that was not answered comes again, and nothing overtakes it.
 */
export async function listenForEvents(listening: Listening): Promise<never> {
  let answer: Answer | null = null;
  for (let isFirst = true; ; isFirst = false) {
    const { call } = await ask(listening, { want: 'events', isFirst, answer });
    answer = call && (await sendOn(listening, call, timeout.events));
  }
}

/** Somebody waits for each of these, so they do not wait for each other. */
export async function listenForCalls(listening: Listening): Promise<never> {
  const handle = async (call: Call): Promise<void> => {
    const answer = await sendOn(listening, call, timeout.calls);
    const { call: another } = await ask(listening, { want: 'calls', answer, wait: 0 });
    if (another) await handle(another);
  };
  for (let isFirst = true; ; isFirst = false) {
    const { call } = await ask(listening, { want: 'calls', isFirst, answer: null });
    if (call) void handle(call).catch(() => {}); // the next question meets the same trouble, and says so
  }
}

/** What comes from now on is held, and actions go to their own address at once. */
export const stopListening = ({ session, webhookId, listenerId }: Listening) =>
  session.parley.listenToWebhook({ path: { webhookId }, body: { listenerId, want: 'events', isLast: true } });

async function sendOn({ session, to }: Listening, call: Call, patient: (typeof timeout)[Want]): Promise<Answer> {
  const onAbsent = () => session.out.note(paint('yellow', `No server at ${to}. Waiting for it to start…`));
  const answer = await forward(to, call, { ...patient, onAbsent });
  show(session, call, answer);
  return answer;
}

interface Question {
  want: Want;
  isFirst?: boolean;
  answer: Answer | null;
  wait?: number;
}

/** Until the service answers: one that is restarted comes back, and a network too. */
async function ask({ session, webhookId, listenerId }: Listening, question: Question) {
  for (let waitMs = 250, isTold = false; ; waitMs = Math.min(5_000, waitMs * 2)) {
    try {
      const body = { listenerId, wait: usualWait, ...question };
      return await session.parley.listenToWebhook({ path: { webhookId }, body });
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (!isTold) session.out.note(paint('yellow', `Can’t reach Parley (${error.message}). Reconnecting…`));
      isTold = true;
      await sleep(Math.max(waitMs, error.retryAfterMs ?? 0));
    }
  }
}

const isPassing = (error: unknown): error is ParleyError =>
  error instanceof ParleyError && (error.status === null || error.status === 429 || error.status >= 500);

function show({ out }: Session, { id, attempt, eventType, headers }: Call, { status, error, ms }: Answer): void {
  const eventId = headers['idempotency-key'] ?? '';
  const colour = status === null || status >= 500 ? 'red' : status >= 300 ? 'yellow' : 'green';
  const again = attempt > 1 ? ` (attempt ${attempt})` : '';
  out.answer(
    { type: eventType, eventId, deliveryId: id, attempt, status, error, ms },
    `${paint('dim', new Date().toTimeString().slice(0, 8))}  ${paint(colour, String(status ?? error))}  ${eventType}${again}  ${paint('dim', `${eventId}  ${ms} ms`)}`,
  );
}
