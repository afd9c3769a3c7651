import type { ActionCall, ActionInvoke, Actor } from './events.ts';

export interface ActionArguments<Values = Record<string, unknown>> {
  input: Values;
  actor: Actor;
  call: ActionInvoke<Values>;
}

/** Done. `display` is Markdown for the visitor. Or taken on: say later how it ended (`createInbound`). */
export type ActionResult = { output: Record<string, unknown>; display?: string } | { accepted: true };

/** What is sent back. Kept as it is, so that the same call gets the same answer. */
export interface ActionAnswer {
  status: number;
  body: object;
}

// Declared as a method, which lets a handler name the fields of its input: they were checked against the action's schema.
interface Handling<Values> {
  handle(args: ActionArguments<Values>): Promise<ActionResult> | ActionResult;
}
export type ActionHandler<Values = Record<string, unknown>> = Handling<Values>['handle'] & { store?: AnswerStore };

/** Where answers are kept, by the id of the call. In a database, `claim` is an insert that does nothing on a conflict. */
export interface AnswerStore {
  /** Takes the id, if nobody has it or whoever had it let the lease pass. Of two at once only one gets true. */
  claim(id: string, leaseMs: number): Promise<boolean>;
  get(id: string): Promise<ActionAnswer | 'pending' | undefined>;
  save(id: string, answer: ActionAnswer): Promise<void>;
  /** Nothing was done: the next call may try. */
  release(id: string): Promise<void>;
}

/**
 * Thrown by a handler: it was not done, for certain. The visitor reads `display`; `message` is for your developers.
 *
 * @example
 * throw new ActionRefused('no_order', 'This user has no open order', { display: 'You have no open order.' });
 */
export class ActionRefused extends Error {
  override readonly name = 'ActionRefused';
  readonly code: string;
  /** The same call may succeed if it is made again. */
  readonly retryable: boolean;
  readonly display: string | undefined;

  constructor(
    code: string,
    message = '',
    { retryable = false, display }: { retryable?: boolean; display?: string } = {},
  ) {
    super(message);
    this.code = code;
    this.retryable = retryable;
    this.display = display;
  }
}

export type Actions = (call: ActionCall) => Promise<ActionAnswer>;

/** Longer than any call may take. */
const leaseMs = 60_000;

/**
 * Answers the calls of your bot's actions, by the name of each.
 *
 * @example
 * const actions = actionHandler({
 *   my_order: withIdempotency(store)(async ({ actor }) => ({ output: await orderOf(actor.externalUserId) })),
 * });
 */
export const actionHandler =
  (handlers: Record<string, ActionHandler>): Actions =>
  async (call) => {
    const handler = Object.hasOwn(handlers, call.action) ? handlers[call.action] : undefined;
    if (!handler) return refusal(404, new ActionRefused('unknown_action', `No handler for action ${call.action}.`));
    const kept = await handler.store?.get(call.id);
    if (call.type === 'action.status') return handler.store ? statusOf(kept) : noStore;
    if (kept && kept !== 'pending') return kept;
    // Whoever asks later relies on it that nothing begins after this. One that was begun may have been done.
    if (Date.parse(call.deadline) < Date.now())
      return kept ? busy : refusal(409, new ActionRefused('too_late', 'The deadline has passed.', { retryable: true }));
    if (handler.store && !(await handler.store.claim(call.id, leaseMs))) return busy;
    return run(handler, call);
  };

/**
 * Does the work of a call once, and gives the same answer again when the call comes again. A handler that throws
 * something else than `ActionRefused` is run again with the next call: hand `call.id` on as the key to whatever it calls.
 */
export const withIdempotency =
  (store: AnswerStore) =>
  <Values = Record<string, unknown>>(handler: ActionHandler<Values>): ActionHandler<Values> =>
    Object.assign((args: ActionArguments<Values>) => handler(args), { store });

/** For trying, and for one process: what it knows is gone when that ends. */
export function memoryStore(): AnswerStore {
  const kept = new Map<string, { answer: ActionAnswer | undefined; until: number }>();
  return {
    async claim(id, lease) {
      const known = kept.get(id);
      if (known && (known.answer || known.until > Date.now())) return false;
      kept.set(id, { answer: undefined, until: Date.now() + lease });
      return true;
    },
    async get(id) {
      const known = kept.get(id);
      return known && (known.answer ?? 'pending');
    },
    async save(id, answer) {
      kept.set(id, { answer, until: Infinity });
    },
    async release(id) {
      kept.delete(id);
    },
  };
}

async function run(handler: ActionHandler, call: ActionInvoke): Promise<ActionAnswer> {
  const { store } = handler;
  try {
    const result = await handler({ input: call.input, actor: call.actor, call });
    const response = 'accepted' in result ? { status: 202, body: {} } : { status: 200, body: result };
    await store?.save(call.id, response);
    return response;
  } catch (thrown) {
    const answer = thrown instanceof ActionRefused ? refusal(thrown.retryable ? 503 : 422, thrown) : undefined;
    if (answer && !(thrown as ActionRefused).retryable) await store?.save(call.id, answer);
    else await store?.release(call.id);
    if (answer) return answer;
    throw thrown;
  }
}

const refusal = (status: number, { code, message, retryable, display }: ActionRefused): ActionAnswer => ({
  status,
  body: { error: { code, message, retryable }, ...(display !== undefined && { display }) },
});

/** Without `error`, which would say that nothing was done: it may just be happening. */
const busy: ActionAnswer = { status: 503, body: { reason: 'in_progress' } };
const noStore: ActionAnswer = { status: 501, body: { reason: 'no_store' } };

function statusOf(kept: ActionAnswer | 'pending' | undefined): ActionAnswer {
  const status = (body: object) => ({ status: 200, body });
  if (kept === undefined) return status({ status: 'not_found' });
  if (kept === 'pending' || kept.status === 202) return status({ status: 'pending' });
  return status({ status: kept.status === 200 ? 'succeeded' : 'failed', ...kept.body });
}
