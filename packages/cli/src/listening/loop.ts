import { setTimeout as sleep } from 'node:timers/promises';
import { ParleyError } from '@parley/sdk';
import { paint } from '../out.ts';
import type { Session } from '../session.ts';
import { forward, type ForwardResult, type Call } from './forward.ts';

export interface ListenContext {
  session: Session;
  webhookId: string;
  listenerId: string;
  to: string;
}
type ListenKind = 'events' | 'calls';

const longPollSeconds = 20; // seconds
const timeout = { events: { absentMs: 60_000, mayRepeat: true }, calls: { absentMs: 2_000, mayRepeat: false } };

/**
 * Fetches one event, forwards it, and reports the result with the next poll. The service tracks the position: whatever dies
 * in between, an event without a result is sent again, and the order is kept.
 */
export async function listenForEvents(context: ListenContext): Promise<never> {
  let result: ForwardResult | null = null;
  for (let isFirst = true; ; isFirst = false) {
    const { call } = await poll(context, { want: 'events', isFirst, answer: result });
    result = call && (await forwardCall(context, call, timeout.events));
  }
}

/** Each action has a waiting caller, so they run concurrently. */
export async function listenForCalls(context: ListenContext): Promise<never> {
  const handle = async (call: Call): Promise<void> => {
    const result = await forwardCall(context, call, timeout.calls);
    const { call: another } = await poll(context, { want: 'calls', answer: result, wait: 0 });
    if (another) await handle(another);
  };
  for (let isFirst = true; ; isFirst = false) {
    const { call } = await poll(context, { want: 'calls', isFirst, answer: null });
    if (call) void handle(call).catch(() => {}); // the next poll meets the same error and reports it
  }
}

/** From now on events are queued, and actions go to their own URL immediately. */
export const stopListening = ({ session, webhookId, listenerId }: ListenContext) =>
  session.parley.listenToWebhook({ path: { webhookId }, body: { listenerId, want: 'events', isLast: true } });

async function forwardCall(
  { session, to }: ListenContext,
  call: Call,
  options: (typeof timeout)[ListenKind],
): Promise<ForwardResult> {
  const onAbsent = () => session.out.note(paint('yellow', `No server at ${to}. Waiting for it to start…`));
  const result = await forward(to, call, { ...options, onAbsent });
  show(session, call, result);
  return result;
}

interface PollInput {
  want: ListenKind;
  isFirst?: boolean;
  answer: ForwardResult | null;
  wait?: number;
}

/** Retries until the service responds: it may be restarting, or the network may be down. */
async function poll({ session, webhookId, listenerId }: ListenContext, input: PollInput) {
  for (let waitMs = 250, isReported = false; ; waitMs = Math.min(5_000, waitMs * 2)) {
    try {
      const body = { listenerId, wait: longPollSeconds, ...input };
      return await session.parley.listenToWebhook({ path: { webhookId }, body });
    } catch (error) {
      if (!isTransient(error)) throw error;
      if (!isReported) session.out.note(paint('yellow', `Can’t reach Parley (${error.message}). Reconnecting…`));
      isReported = true;
      await sleep(Math.max(waitMs, error.retryAfterMs ?? 0));
    }
  }
}

const isTransient = (error: unknown): error is ParleyError =>
  error instanceof ParleyError && (error.status === null || error.status === 429 || error.status >= 500);

function show({ out }: Session, { id, attempt, eventType, headers }: Call, { status, error, ms }: ForwardResult): void {
  const eventId = headers['idempotency-key'] ?? '';
  const colour = status === null || status >= 500 ? 'red' : status >= 300 ? 'yellow' : 'green';
  const again = attempt > 1 ? ` (attempt ${attempt})` : '';
  out.result(
    { type: eventType, eventId, deliveryId: id, attempt, status, error, ms },
    `${paint('dim', new Date().toTimeString().slice(0, 8))}  ${paint(colour, String(status ?? error))}  ${eventType}${again}  ${paint('dim', `${eventId}  ${ms} ms`)}`,
  );
}
