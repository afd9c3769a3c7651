import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReceivedCall, Receiver } from '../../../../tools/receiver/index.ts';
import type { Random } from '../faults/random.ts';
import type { Invocation } from './fixture.ts';

// A tenant's backend that records what it has really done.

export type Effect = 'idempotent' | 'reconcile' | 'at_most_once';

/** Faults of a call: failed before, during or after it is carried out. */
const faultsBefore = ['busy', 'broken', 'resets'] as const;
const faults = [...faultsBefore, 'resets, then runs', 'slow', 'late', 'broken after', 'resets after'] as const;
export type Behavior = 'normal' | (typeof faults)[number];

export interface RecordedEffect {
  action: string;
  orderId: string;
  key: string;
  receipt: number;
}

/** Idempotent actions run once per key; for the others, every started call is carried out. */
interface StartedCall {
  status: 'pending' | 'succeeded' | 'failed';
  receipt: Promise<number>;
}

/** Orders that are always rejected. */
export const isRejectedOrder = (orderId: string) => orderId.endsWith('0');
export const rejectionText = 'It has been sent already.';
export const successText = (action: string, orderId: string, receipt: number) =>
  `${action} of ${orderId} is done, receipt ${receipt}.`;

interface BackendRules {
  effects: Readonly<Record<string, Effect>>;
  /** Actions that reject the orders above. */
  rejectingActions: ReadonlySet<string>;
  timeoutMs: number;
}

export function aTenantSystem(receiver: Receiver, { effects, rejectingActions, timeoutMs }: BackendRules) {
  const started = new Map<string, StartedCall>();
  const faultCounts = new Map<string, number>();
  const stub = {
    /** Everything that was carried out. */
    done: [] as RecordedEffect[],
    /** Calls with an invalid signature. */
    problems: [] as string[],
    counts: {} as Record<string, number>,
    /** How often each call got a proper response within half of its timeout. Slow machines achieve that less often. */
    timelyResponses: new Map<string, number>(),
    /** Hooks for tests. */
    beforeEffect: undefined as ((call: Invocation) => Promise<void> | void) | undefined,
    afterEffect: undefined as ((call: Invocation) => Promise<void> | void) | undefined,
    behaviorOf: ((): Behavior => 'normal') as (call: Invocation) => Behavior,
    effectsOf: (action: string, orderId: string) =>
      stub.done.filter((one) => one.action === action && one.orderId === orderId),
    /** Random faults, at most two for each run and call type. */
    injectFaults: (random: Random, probability: number) => {
      stub.behaviorOf = ({ id, type }) => {
        const key = `${id} ${type}`;
        const faultCount = faultCounts.get(key) ?? 0;
        if (faultCount >= 2 || !random.chance(probability)) return 'normal';
        faultCounts.set(key, faultCount + 1);
        return random.pick<Behavior>(type === 'action.status' ? faultsBefore : faults);
      };
    },
  };
  const respondInTime = (response: ServerResponse, call: Invocation, status: number, body: object) => {
    if (Date.parse(call.deadline) - Date.now() > timeoutMs / 2)
      stub.timelyResponses.set(call.id, (stub.timelyResponses.get(call.id) ?? 0) + 1);
    return respond(response, status, body);
  };
  const count = (what: string) => (stub.counts[what] = (stub.counts[what] ?? 0) + 1);

  /** Carries out a call after a delay, and records it. */
  function start({ action, id, input }: Invocation, afterMs: number): StartedCall {
    const orderId = String(input['orderId']);
    const receipt = sleep(afterMs).then(() => {
      entry.status = 'succeeded';
      return stub.done.push({ action, orderId, key: id, receipt: stub.done.length + 1 });
    });
    const entry: StartedCall = { status: 'pending', receipt };
    started.set(id, entry);
    return entry;
  }

  async function invoke(call: Invocation, response: ServerResponse, request: IncomingMessage): Promise<unknown> {
    const { id, action, input } = call;
    const orderId = String(input['orderId']);
    const effect = effects[action];
    const behavior = stub.behaviorOf(call);
    count(`invoke ${behavior}`);
    await stub.beforeEffect?.(call);
    if (started.has(id)) count('repeats');
    if (behavior === 'busy') return respond(response, 429, {});
    if (behavior === 'broken') return respond(response, 503, {});
    if (behavior === 'resets' || behavior === 'resets, then runs') request.socket.destroy();
    if (behavior === 'resets') return undefined;
    if (behavior === 'resets, then runs') await sleep(timeoutMs * 0.8); // like a backend with a queue
    if (isRejectedOrder(orderId) && rejectingActions.has(action)) {
      started.set(id, { status: 'failed', receipt: Promise.resolve(0) });
      await stub.afterEffect?.(call);
      return respondInTime(response, call, 409, { error: rejection, display: rejectionText });
    }
    const existing = started.get(id);
    const isRepeat = existing !== undefined && effect === 'idempotent';
    if (!isRepeat && Date.now() > Date.parse(call.deadline)) {
      count('too late');
      return respond(response, 409, { error: { code: 'too_late', message: 'After the deadline.', retryable: true } });
    }
    const entry = isRepeat ? existing : start(call, behavior === 'late' ? timeoutMs * 2.5 : Math.random() * 100);
    const receipt = await entry.receipt;
    await stub.afterEffect?.(call);
    if (behavior === 'slow') await sleep(timeoutMs + 300);
    if (behavior === 'resets after') return request.socket.destroy();
    if (behavior === 'broken after') return respond(response, 500, {});
    return respondInTime(response, call, 200, { output: { receipt }, display: successText(action, orderId, receipt) });
  }

  async function reportStatus(call: Invocation, response: ServerResponse, request: IncomingMessage): Promise<unknown> {
    const behavior = stub.behaviorOf(call);
    const entry = started.get(call.id);
    count(`status ${behavior === 'normal' ? (entry?.status ?? 'not_found') : behavior}`);
    if (behavior === 'resets') return request.socket.destroy();
    if (behavior !== 'normal') return respond(response, behavior === 'busy' ? 429 : 503, {});
    if (!entry) return respond(response, 200, { status: 'not_found' });
    if (entry.status === 'failed')
      return respond(response, 200, { status: 'failed', error: rejection, display: rejectionText });
    if (entry.status === 'pending') return respond(response, 200, { status: 'pending' });
    const recorded = stub.done.find(({ key }) => key === call.id);
    const [receipt, orderId] = [recorded?.receipt ?? 0, recorded?.orderId ?? ''];
    return respond(response, 200, {
      status: 'succeeded',
      output: { receipt },
      display: successText(call.action, orderId, receipt),
    });
  }

  receiver.respond = ({ problem, body }: ReceivedCall, response, request) => {
    if (problem !== null) stub.problems.push(problem);
    const call = JSON.parse(body) as Invocation;
    const handle = call.type === 'action.invoke' ? invoke : reportStatus;
    void handle(call, response, request);
  };
  return stub;
}
export type TenantSystem = ReturnType<typeof aTenantSystem>;

const rejection = { code: 'shipped', message: 'SendResult already.', retryable: false };

/** One connection per call, so that a blocking proxy affects every call. */
const respond = (response: ServerResponse, status: number, body: object) =>
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(body));
