import { createAction } from '../../src/features/actions/actions.service.ts';
import { CreateAction } from '../../src/features/actions/actions.contract.ts';
import { createApiKey } from '../../src/features/api-keys/api-keys.service.ts';
import { CreateBot } from '../../src/features/bots/bots.contract.ts';
import { createBot } from '../../src/features/bots/bots.service.ts';
import { deployBot, publishBot } from '../../src/features/bots/versions.service.ts';
import { createTenant } from '../../src/features/tenants/tenants.service.ts';
import { createWebhook } from '../../src/features/webhooks/endpoints/webhooks.service.ts';
import { Permission } from '../../src/platform/access.contract.ts';
import { inTenant, type Context, type Services } from '../../src/platform/context.ts';
import type { Id } from '../../src/platform/ids.contract.ts';
import { newId } from '../../src/platform/ids.ts';
import { page } from '../chat/page.ts';
import { orderSchema } from './order-schema.ts';
import type { Effect } from './stub.ts';

/** The kinds of runs, each with its action and trigger phrase. */
export const kinds = {
  idempotent: { action: 'cancel_order', title: 'Cancel an order', says: 'please cancel my order' },
  reconcile: { action: 'book_courier', title: 'Book a courier', says: 'book a courier' },
  at_most_once: { action: 'send_voucher', title: 'Send a voucher', says: 'send me a voucher' },
  read: { action: 'find_shipment', title: 'Find a parcel', says: 'where is the parcel' },
  workflow: { action: 'swap_goods', title: 'Swap goods', says: 'swap these goods' },
} as const;
export type Kind = keyof typeof kinds;

/** The effect mode of each action. The last three are steps of the workflow. */
export const effects: Record<string, Effect> = {
  cancel_order: 'idempotent',
  book_courier: 'reconcile',
  send_voucher: 'at_most_once',
  find_shipment: 'idempotent',
  reserve: 'reconcile',
  charge: 'reconcile',
  release: 'idempotent',
};
export const rejectingActions = new Set(['cancel_order', 'book_courier', 'send_voucher', 'charge']);

const orderId = { orderId: { from: '/input/orderId' } };

async function createActions(ctx: Context, botId: string, webhookId: string, timeoutMs: number) {
  const ids = new Map<string, string>();
  const create = async (input: { name: string; [field: string]: unknown }) => {
    const parsed = CreateAction.parse({ inputSchema: orderSchema, risk: 'write', timeoutMs, ...input });
    ids.set(input.name, (await createAction(ctx, botId, parsed)).action.id);
  };
  for (const kind of ['idempotent', 'reconcile', 'at_most_once'] as const) {
    const { action: name, title, says } = kinds[kind];
    await create({ name, title, webhookId, effect: kind, triggers: [says] });
  }
  const { read, workflow } = kinds;
  await create({ name: read.action, title: read.title, webhookId, risk: 'read', triggers: [read.says] });
  for (const name of ['reserve', 'charge', 'release'])
    await create({ name, title: name, webhookId, effect: effects[name], isOffered: false });
  const steps = [
    {
      name: 'reserve',
      actionId: ids.get('reserve'),
      input: orderId,
      compensation: { actionId: ids.get('release'), input: orderId },
    },
    { name: 'charge', actionId: ids.get('charge'), input: orderId },
  ];
  await create({ name: workflow.action, title: workflow.title, triggers: [workflow.says], steps });
}

export interface Caller {
  tenantId: Id<'tenant'>;
  actor: { type: 'system'; id: string };
  permissions: ReadonlySet<Permission>;
}
export type CreateEndpoint = (
  caller: Caller,
  url: string,
  eventTypes: string[],
) => Promise<{ webhook: { id: string }; secret: string }>;

const createEndpointIn =
  (services: Services): CreateEndpoint =>
  (caller, url, eventTypes) => {
    const endpoint = { url, description: '', eventTypes, environmentId: null, botIds: [], headers: {} };
    const more = { rateLimit: 1_000, ordering: 'none', autoRecover: true } as const;
    return inTenant(services, caller, (ctx) => createWebhook(ctx, { ...endpoint, ...more }, () => {}));
  };

/** A published bot without a model, and the endpoint that its actions call. */
export async function aBotThatActs(
  services: Services,
  url: string,
  timeoutMs: number,
  createEndpoint = createEndpointIn(services),
) {
  const tenantId = newId('tenant');
  const caller: Caller = {
    tenantId,
    actor: { type: 'system', id: 'test' },
    permissions: new Set(Permission.options),
  };
  const created = await inTenant(services, caller, (ctx) => createTenant(ctx, { name: 'Test', plan: 'enterprise' }));
  const [environment] = created.environments;
  if (!environment) throw new Error('a new tenant has no environments');
  const { webhook, secret } = await createEndpoint(caller, url, ['ping']);
  return inTenant(services, caller, async (ctx) => {
    const [workspaceId, environmentId, invalidate] = [created.workspace.id, environment.id, () => {}];
    const draft = { answers: { mode: 'extractive' } };
    const botInput = CreateBot.parse({ name: 'Helper', workspaceId, allowedOrigins: [page], draft });
    const { bot } = await createBot(ctx, botInput, invalidate);
    await createActions(ctx, bot.id, webhook.id, timeoutMs);
    const { version } = await publishBot(ctx, bot.id, '', invalidate);
    await deployBot(ctx, bot.id, { environmentId, versionId: version.id }, invalidate);
    const key = { name: 'Page', keyType: 'public_widget' as const, boundBotId: bot.id, workspaceId, environmentId };
    const { secret: publicKey } = await createApiKey(ctx, { ...key, expiresAt: null, permissions: [] });
    return { tenantId, botId: bot.id, publicKey, secret };
  });
}
export type ActingBot = Awaited<ReturnType<typeof aBotThatActs>>;
