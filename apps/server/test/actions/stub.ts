import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReceivedCall, Receiver } from '../../../../tools/receiver/index.ts';
import type { Random } from '../faults/random.ts';
import type { Invocation } from './fixture.ts';

// A tenant's system that keeps its own ledger: what it has really done, whatever was heard of it elsewhere.

export type Effect = 'idempotent' | 'reconcile' | 'at_most_once';

/** How it behaves towards one call: says no, or does it, or will do it, and does not say so. */
const refusals = ['busy', 'broken', 'resets'] as const;
const troubles = [...refusals, 'resets, then begins', 'slow', 'late', 'broken after', 'resets after'] as const;
export type Manner = 'well' | (typeof troubles)[number];

export interface Done {
  action: string;
  orderId: string;
  key: string;
  receipt: number;
}

/** Nothing is done twice for one key where the mode promises it; elsewhere each call that is begun is done. */
interface Begun {
  status: 'pending' | 'succeeded' | 'failed';
  receipt: Promise<number>;
}

/** These are never done: the shop says no, and means it. */
export const isRefused = (orderId: string) => orderId.endsWith('0');
export const noWords = 'It has been sent already.';
export const words = (action: string, orderId: string, receipt: number) =>
  `${action} of ${orderId} is done, receipt ${receipt}.`;

interface Rules {
  effects: Readonly<Record<string, Effect>>;
  /** Actions that refuse the orders above. */
  refusing: ReadonlySet<string>;
  timeoutMs: number;
}

export function aTenantSystem(receiver: Receiver, { effects, refusing, timeoutMs }: Rules) {
  const begun = new Map<string, Begun>();
  const troubleOf = new Map<string, number>();
  const stub = {
    /** The ledger. */
    done: [] as Done[],
    /** Calls that were badly signed. */
    problems: [] as string[],
    counts: {} as Record<string, number>,
    /** How often each call was answered as it should be, and within half of its time: on a busy machine, less often. */
    answered: new Map<string, number>(),
    /** What a test does at these places. */
    beforeEffect: undefined as ((call: Invocation) => Promise<void> | void) | undefined,
    afterEffect: undefined as ((call: Invocation) => Promise<void> | void) | undefined,
    mannerOf: ((): Manner => 'well') as (call: Invocation) => Manner,
    effectsOf: (action: string, orderId: string) =>
      stub.done.filter((one) => one.action === action && one.orderId === orderId),
    /** Trouble as the dice will, at most twice for one run. */
    misbehave: (random: Random, probability: number) => {
      stub.mannerOf = ({ id, type }) => {
        const place = `${id} ${type}`;
        const had = troubleOf.get(place) ?? 0;
        if (had >= 2 || !random.chance(probability)) return 'well';
        troubleOf.set(place, had + 1);
        return random.pick<Manner>(type === 'action.status' ? refusals : troubles);
      };
    },
  };
  const answerInTime = (response: ServerResponse, call: Invocation, status: number, body: object) => {
    if (Date.parse(call.deadline) - Date.now() > timeoutMs / 2)
      stub.answered.set(call.id, (stub.answered.get(call.id) ?? 0) + 1);
    return answer(response, status, body);
  };
  const count = (what: string) => (stub.counts[what] = (stub.counts[what] ?? 0) + 1);

  /** Done after a while, and then in the ledger. */
  function begin({ action, id, input }: Invocation, afterMs: number): Begun {
    const orderId = String(input['orderId']);
    const receipt = sleep(afterMs).then(() => {
      entry.status = 'succeeded';
      return stub.done.push({ action, orderId, key: id, receipt: stub.done.length + 1 });
    });
    const entry: Begun = { status: 'pending', receipt };
    begun.set(id, entry);
    return entry;
  }

  async function invoke(call: Invocation, response: ServerResponse, request: IncomingMessage): Promise<unknown> {
    const { id, action, input } = call;
    const orderId = String(input['orderId']);
    const effect = effects[action];
    const manner = stub.mannerOf(call);
    count(`invoke ${manner}`);
    await stub.beforeEffect?.(call);
    if (begun.has(id)) count('repeats');
    if (manner === 'busy') return answer(response, 429, {});
    if (manner === 'broken') return answer(response, 503, {});
    if (manner === 'resets' || manner === 'resets, then begins') request.socket.destroy();
    if (manner === 'resets') return undefined;
    if (manner === 'resets, then begins') await sleep(timeoutMs * 0.8); // as one that has a queue does
    if (isRefused(orderId) && refusing.has(action)) {
      begun.set(id, { status: 'failed', receipt: Promise.resolve(0) });
      await stub.afterEffect?.(call);
      return answerInTime(response, call, 409, { error: no, display: noWords });
    }
    const known = begun.get(id);
    const isKept = known !== undefined && effect === 'idempotent';
    if (!isKept && Date.now() > Date.parse(call.deadline)) {
      count('too late');
      return answer(response, 409, { error: { code: 'too_late', message: 'After the deadline.', retryable: true } });
    }
    const entry = isKept ? known : begin(call, manner === 'late' ? timeoutMs * 2.5 : Math.random() * 100);
    const receipt = await entry.receipt;
    await stub.afterEffect?.(call);
    if (manner === 'slow') await sleep(timeoutMs + 300);
    if (manner === 'resets after') return request.socket.destroy();
    if (manner === 'broken after') return answer(response, 500, {});
    return answerInTime(response, call, 200, { output: { receipt }, display: words(action, orderId, receipt) });
  }

  async function reportStatus(call: Invocation, response: ServerResponse, request: IncomingMessage): Promise<unknown> {
    const manner = stub.mannerOf(call);
    const entry = begun.get(call.id);
    count(`status ${manner === 'well' ? (entry?.status ?? 'not_found') : manner}`);
    if (manner === 'resets') return request.socket.destroy();
    if (manner !== 'well') return answer(response, manner === 'busy' ? 429 : 503, {});
    if (!entry) return answer(response, 200, { status: 'not_found' });
    if (entry.status === 'failed') return answer(response, 200, { status: 'failed', error: no, display: noWords });
    if (entry.status === 'pending') return answer(response, 200, { status: 'pending' });
    const made = stub.done.find(({ key }) => key === call.id);
    const [receipt, orderId] = [made?.receipt ?? 0, made?.orderId ?? ''];
    return answer(response, 200, {
      status: 'succeeded',
      output: { receipt },
      display: words(call.action, orderId, receipt),
    });
  }

  receiver.answer = ({ problem, body }: ReceivedCall, response, request) => {
    if (problem !== null) stub.problems.push(problem);
    const call = JSON.parse(body) as Invocation;
    const answering = call.type === 'action.invoke' ? invoke : reportStatus;
    void answering(call, response, request);
  };
  return stub;
}
export type TenantSystem = ReturnType<typeof aTenantSystem>;

const no = { code: 'shipped', message: 'Sent already.', retryable: false };

/** One call, one connection: a test that closes the door has closed it for every call. */
const answer = (response: ServerResponse, status: number, body: object) =>
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(body));
