import { actionCallIn } from '../../../../tools/receiver/orders.ts';
import { all, type Fault } from '../fault.ts';
import type { Product } from '../product.ts';
import { asBackend } from './backend.ts';

// Tenants' backends: webhooks and actions.

/** Every endpoint responds with this status to events, or every backend to calls of actions. */
const receiverFails =
  (fails: 'events' | 'actions', status: number): Fault['start'] =>
  ({ receiver }) => {
    receiver.respond = ({ body }, response) => {
      const isAction = actionCallIn(body) !== undefined;
      if ((fails === 'actions') === isAction) return response.writeHead(status).end();
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(isAction ? JSON.stringify({ output: { status: 'sent' } }) : '');
    };
    return () => (receiver.respond = undefined);
  };

/** Runs an action that is never repeated, as often. Returns the ids of the runs. */
async function callOnce(product: Product, times: number): Promise<string[]> {
  const { demo } = product;
  const definition = {
    name: 'pay_out',
    title: 'Pay out',
    risk: 'write',
    effect: 'at_most_once',
    webhookId: demo.webhookId,
  };
  const { action } = await asBackend<{ action: { id: string } }>(
    product,
    'POST',
    `/bots/${demo.botId}/actions`,
    definition,
  );
  const ids: string[] = [];
  for (let n = 0; n < times; n++) {
    const { run } = await asBackend<{ run: { id: string } }>(product, 'POST', `/actions/${action.id}/try`, {
      input: {},
      environmentId: demo.environmentId,
    });
    ids.push(run.id);
  }
  return ids;
}

export const backends: readonly Fault[] = [
  {
    name: 'endpoint-storm',
    cause: 'All four webhook endpoints respond with 500, and all of them have events',
    fires: ['ParleyWebhookEndpointStorm warning'],
    limitSeconds: 180,
    start: async (product, traffic) =>
      all(await receiverFails('events', 500)(product, traffic), traffic.add('visits', 0.5)),
  },
  {
    name: 'actions-failing',
    cause: 'Tenants’ backends refuse calls of actions with 403, and more visitors ask for them',
    fires: ['ParleyActionsFailing warning'],
    limitSeconds: 240,
    start: async (product, traffic) =>
      all(await receiverFails('actions', 403)(product, traffic), traffic.add('orders', 0.4)),
  },
  {
    name: 'actions-unknown',
    cause:
      'A tenant’s backend hangs up during six calls that must not be repeated; afterwards, the tenant resolves them',
    fires: ['ParleyActionRunsUnknown warning'],
    start: async (product) => {
      const { receiver } = product;
      receiver.respond = ({ body }, response, call) =>
        actionCallIn(body) ? call.socket.destroy() : response.writeHead(200).end();
      const runs = await callOnce(product, 6);
      receiver.respond = undefined;
      return () =>
        Promise.all(runs.map((id) => asBackend(product, 'POST', `/action-runs/${id}/resolve`, { outcome: 'failed' })));
    },
  },
];
