/** The input of an action: an order, by its number. */
export const orderSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['orderId'],
  properties: { orderId: { type: 'string', title: 'Order number', pattern: '^[A-Z]-\\d{3,6}$' } },
};
