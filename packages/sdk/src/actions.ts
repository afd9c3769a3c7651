import type { ActionCall, ActionInvoke, Actor } from './events.ts';

export interface ActionArguments<Values = Record<string, unknown>> {
  input: Values;
  actor: Actor;
  call: ActionInvoke<Values>;
}

/** The output of the action, with `display` as Markdown for the visitor. Or `accepted`: report the result later (`createInbound`). */
export type ActionResult = { output: Record<string, unknown>; display?: string } | { accepted: true };

/** The response to a call. Stored, so that a repeated call gets the same response. */
export interface ActionResponse {
  status: number;
  body: object;
}

// Declared as a method, so that a handler can narrow the type of its input, which was validated against the action's schema.
interface HandlerMethod<Values> {
  handle(args: ActionArguments<Values>): Promise<ActionResult> | ActionResult;
}
export type ActionHandler<Values = Record<string, unknown>> = HandlerMethod<Values>['handle'] & {
  store?: IdempotencyStore;
};

/** Stores responses by the id of the call. In a database, `claim` is an insert that does nothing on conflict. */
export interface IdempotencyStore {
  /** Claims the id, if it is new or its lease has expired. Returns true for only one of several concurrent calls. */
  claim(id: string, leaseMs: number): Promise<boolean>;
  get(id: string): Promise<ActionResponse | 'pending' | undefined>;
  save(id: string, response: ActionResponse): Promise<void>;
  /** Removes the claim, so that the next call runs the handler. */
  release(id: string): Promise<void>;
}

/**
 * Throw this in a handler if the action was definitely not done. The visitor sees `display`; `message` is for your developers.
 *
 * @example
 * throw new ActionRefused('no_order', 'This user has no open order', { display: 'You have no open order.' });
 */
export class ActionRefused extends Error {
  override readonly name = 'ActionRefused';
  readonly code: string;
  /** Whether the same call may succeed if it is retried. */
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

export type Actions = (call: ActionCall) => Promise<ActionResponse>;

/** Longer than any call can take. */
const leaseMs = 60_000;

/**
 * Handles the calls of your bot's actions, by name.
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
    const stored = await handler.store?.get(call.id);
    if (call.type === 'action.status') return handler.store ? statusOf(stored) : noStore;
    if (stored && stored !== 'pending') return stored;
    // Nothing may start after the deadline: the service relies on it. A call that was started may have been done.
    if (Date.parse(call.deadline) < Date.now())
      return stored
        ? busy
        : refusal(409, new ActionRefused('too_late', 'The deadline has passed.', { retryable: true }));
    if (handler.store && !(await handler.store.claim(call.id, leaseMs))) return busy;
    return run(handler, call);
  };

/**
 * Runs a handler once per call, and returns the same response when the call is repeated. A handler that throws anything but
 * `ActionRefused` runs again with the next call: pass `call.id` as idempotency key to the services it calls.
 */
export const withIdempotency =
  (store: IdempotencyStore) =>
  <Values = Record<string, unknown>>(handler: ActionHandler<Values>): ActionHandler<Values> =>
    Object.assign((args: ActionArguments<Values>) => handler(args), { store });

/** For development, and for a single process: its content is lost when the process ends. */
export function memoryStore(): IdempotencyStore {
  const stored = new Map<string, { response: ActionResponse | undefined; until: number }>();
  return {
    async claim(id, lease) {
      const entry = stored.get(id);
      if (entry && (entry.response || entry.until > Date.now())) return false;
      stored.set(id, { response: undefined, until: Date.now() + lease });
      return true;
    },
    async get(id) {
      const entry = stored.get(id);
      return entry && (entry.response ?? 'pending');
    },
    async save(id, response) {
      stored.set(id, { response, until: Infinity });
    },
    async release(id) {
      stored.delete(id);
    },
  };
}

async function run(handler: ActionHandler, call: ActionInvoke): Promise<ActionResponse> {
  const { store } = handler;
  try {
    const result = await handler({ input: call.input, actor: call.actor, call });
    const response = 'accepted' in result ? { status: 202, body: {} } : { status: 200, body: result };
    await store?.save(call.id, response);
    return response;
  } catch (thrown) {
    const response = thrown instanceof ActionRefused ? refusal(thrown.retryable ? 503 : 422, thrown) : undefined;
    if (response && !(thrown as ActionRefused).retryable) await store?.save(call.id, response);
    else await store?.release(call.id);
    if (response) return response;
    throw thrown;
  }
}

const refusal = (status: number, { code, message, retryable, display }: ActionRefused): ActionResponse => ({
  status,
  body: { error: { code, message, retryable }, ...(display !== undefined && { display }) },
});

/** Without `error`, which would mean that nothing was done: the call may still be running. */
const busy: ActionResponse = { status: 503, body: { reason: 'in_progress' } };
const noStore: ActionResponse = { status: 501, body: { reason: 'no_store' } };

function statusOf(stored: ActionResponse | 'pending' | undefined): ActionResponse {
  const status = (body: object) => ({ status: 200, body });
  if (stored === undefined) return status({ status: 'not_found' });
  if (stored === 'pending' || stored.status === 202) return status({ status: 'pending' });
  return status({ status: stored.status === 200 ? 'succeeded' : 'failed', ...stored.body });
}
