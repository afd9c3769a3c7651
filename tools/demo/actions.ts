/** What the demo's bot can do in the shop's own system, which is `tools/receiver/orders.ts`. */
const inputSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['orderId'],
  properties: { orderId: { type: 'string', title: 'Order number', pattern: '^[A-Z]-\\d{4}$' } },
};
const questions = { orderId: 'Which order is it? Its number looks like A-1001.' };

export const orderStatus = {
  name: 'order_status',
  title: 'Order status',
  description: 'Looks up where an order is, by its number.',
  inputSchema,
  questions,
  triggers: [
    'where is my order',
    'order status',
    'when does my order arrive',
    'track my parcel',
    'has my bike been sent',
  ],
};

const cancelOrder = {
  name: 'cancel_order',
  title: 'Cancel an order',
  description: 'Cancels an order that has not been sent yet, by its number.',
  inputSchema,
  questions,
  risk: 'write',
  effect: 'reconcile',
  triggers: ['cancel my order', 'cancel an order', 'I do not want my order any more', 'I want to cancel my bike'],
};

export const demoActions: readonly object[] = [orderStatus, cancelOrder];
