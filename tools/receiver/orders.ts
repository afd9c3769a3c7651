// The orders of a made-up shop, behind its actions: a small example of a tenant's own system.

interface ActionCall {
  id: string;
  type: 'action.invoke' | 'action.status';
  action: string;
  deadline: string;
  /** A test run: nothing is changed. */
  test: boolean;
  input?: { orderId?: string };
}
interface ActionResponse {
  status: number;
  body: object;
}

/** An action call, as opposed to an event. */
export function actionCallIn(body: string): ActionCall | undefined {
  if (!/"action\.(invoke|status)"/.test(body)) return undefined;
  const call = JSON.parse(body) as ActionCall;
  return call.type === 'action.invoke' || call.type === 'action.status' ? call : undefined;
}

const refused = (code: string, display: string, status = 409): ActionResponse => ({
  status,
  body: { error: { code, message: display, retryable: false }, display },
});
const done = (output: object, display: string): ActionResponse => ({ status: 200, body: { output, display } });

type State = 'packed' | 'sent' | 'cancelled';
const stateLabels: Record<State, string> = {
  packed: 'is being packed, and leaves tomorrow',
  sent: 'is on its way, and arrives on Thursday',
  cancelled: 'is cancelled, and your money is on its way back',
};

export function openOrders() {
  const orders = new Map<string, { item: string; state: State }>([
    ['A-1001', { item: 'a Fjord 3', state: 'sent' }],
    ['A-1002', { item: 'a Little Auk', state: 'packed' }],
    ['A-1003', { item: 'a pair of mudguards', state: 'packed' }],
  ]);
  /** The response to each call id: a retry gets the same one, and nothing is done twice. */
  const responses = new Map<string, ActionResponse>();

  function execute({ action, input, deadline, test }: ActionCall): ActionResponse {
    if (Date.parse(deadline) < Date.now()) return refused('too_late', 'That came too late, so nothing was done.');
    const orderId = input?.orderId ?? '';
    const order = orders.get(orderId);
    if (action !== 'order_status' && action !== 'cancel_order')
      return refused('unknown_action', 'This shop cannot do that.', 404);
    if (!order) return refused('unknown_order', `There is no order ${orderId}. Try A-1001, A-1002 or A-1003.`, 404);
    if (action === 'order_status')
      return done(
        { orderId, status: order.state },
        `Your order ${orderId}, ${order.item}, ${stateLabels[order.state]}.`,
      );
    if (order.state === 'sent')
      return refused('already_sent', `Order ${orderId} has left already. Send it back within 30 days instead.`);
    if (order.state === 'cancelled') return refused('already_cancelled', `Order ${orderId} was cancelled before.`);
    if (!test) order.state = 'cancelled';
    return done({ orderId, status: 'cancelled' }, `Order ${orderId} is cancelled. You get your money back by Friday.`);
  }

  return (call: ActionCall): ActionResponse => {
    const stored = responses.get(call.id);
    if (call.type === 'action.status') return { status: 200, body: statusOf(stored) };
    const response = stored ?? execute(call);
    responses.set(call.id, response);
    return response;
  };
}

const statusOf = (response: ActionResponse | undefined) =>
  response ? { status: response.status === 200 ? 'succeeded' : 'failed', ...response.body } : { status: 'not_found' };
