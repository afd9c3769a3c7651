/** The demo bot's actions in the shop's own system, `tools/receiver/orders.ts`. */
const inputSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['orderId'],
  properties: { orderId: { type: 'string', title: 'Order number', pattern: '^[A-Z]-\\d{4}$' } },
};
const questions = { orderId: 'What’s your order number? It looks like A-1001.' };

export const orderStatus = {
  name: 'order_status',
  title: 'Order status',
  description: 'Looks up the status of an order by its number.',
  inputSchema,
  questions,
  triggers: [
    'where is my order',
    'order status',
    'when will my order arrive',
    'track my package',
    'has my bike shipped',
  ],
};

const cancelOrder = {
  name: 'cancel_order',
  title: 'Cancel an order',
  description: 'Cancels an order that hasn’t shipped yet, by its number.',
  inputSchema,
  questions,
  risk: 'write',
  effect: 'reconcile',
  triggers: ['cancel my order', 'cancel an order', 'I no longer want my order', 'I want to cancel my bike'],
};

export const demoActions: readonly object[] = [orderStatus, cancelOrder];
