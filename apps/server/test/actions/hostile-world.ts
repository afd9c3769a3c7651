import { randomBytes, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { indexChunks } from '../../src/features/knowledge/chunk/chunk-index.ts';
import { countTokens, saveChunks } from '../../src/features/knowledge/chunk/chunks.store.ts';
import type { aWebhookStack } from '../webhooks/fixture.ts';
import { aBot, aVisitor, page } from '../chat/fixture.ts';
import { allow, anIp } from '../chat/helpers.ts';
import { randomFrom } from '../faults/random.ts';
import { admin, aSessionKey, inside, settings } from '../harness.ts';
import { aShop, cancel, lookUp, orderSchema, reply, type Handler, type Invocation, type Shop } from './fixture.ts';
import { injection, type Others } from './hostile-tool-calls.ts';

// Tenants whose bots have read, write and workflow actions, and whose pages and backends contain prompt injections.

type Stack = Awaited<ReturnType<typeof aWebhookStack>>;

const address = {
  type: 'object',
  additionalProperties: false,
  required: ['street', 'zip'],
  properties: { street: { type: 'string', minLength: 1, maxLength: 80 }, zip: { type: 'string', pattern: '^\\d{5}$' } },
};
const step = (name: string) => ({ ...cancel, name, title: `Step ${name}`, triggers: [], isOffered: false });
const input = { orderId: { from: '/input/orderId' } };

export const actions = [
  { ...lookUp, triggers: [] },
  {
    ...lookUp,
    name: 'my_orders',
    title: 'My orders',
    requiresContact: true,
    triggers: [],
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      properties: { max: { type: 'integer', minimum: 1, maximum: 10 }, state: { enum: ['open', 'sent'] } },
    },
  },
  { ...cancel, triggers: [], effect: 'at_most_once' },
  {
    ...cancel,
    name: 'change_address',
    title: 'Change the address',
    requiresContact: true,
    triggers: [],
    inputSchema: {
      ...orderSchema,
      required: ['orderId', 'address'],
      properties: { ...orderSchema.properties, address },
    },
  },
  step('refund_step'),
  step('close_step'),
  step('reopen_step'),
  {
    ...cancel,
    name: 'send_back',
    title: 'Send an order back',
    triggers: [],
    webhookId: null,
    confirm: 'never',
    steps: [
      { name: 'find', actionId: 'order_status', input },
      { name: 'refund', actionId: 'refund_step', input },
    ],
  },
  {
    ...cancel,
    name: 'refund_and_close',
    title: 'Refund and close',
    triggers: [],
    webhookId: null,
    requiresContact: true,
    steps: [
      { name: 'close', actionId: 'close_step', input, compensation: { actionId: 'reopen_step', input } },
      { name: 'refund', actionId: 'refund_step', input },
    ],
  },
];

export interface World {
  shops: Shop[];
  /** Values that must never reach the model. */
  canaries: Map<string, string>;
  /** The limit for spent plus reserved. */
  maxMicros(tenantId: string, budget: string): number;
  openContact(shop: Shop, externalUserId: string): Promise<Person>;
  openVisitor(shop: Shop): Promise<Person>;
}
export interface Person {
  externalUserId: string | null;
  /** Idempotent by client message id. */
  say(message: string, clientMessageId?: string): ReturnType<Awaited<ReturnType<typeof aVisitor>>['say']>;
  get: Awaited<ReturnType<typeof aVisitor>>['get'];
  post: Awaited<ReturnType<typeof aVisitor>>['post'];
}

const canary = (what: string) => `CANARY${what}${randomBytes(9).toString('hex')}`;

/** A compromised backend: random valid and invalid responses, all with prompt injections. */
export const hostileHandler =
  (others: Others): Handler =>
  (call: Invocation, response: ServerResponse) => {
    const random = randomFrom(Number.parseInt(call.argsHash.slice(0, 7), 16) + call.attempt);
    const text = injection(random, others);
    const kind = random.between(1, 10);
    if (kind <= 6) return reply(response, 200, { output: { state: 'packed', note: text }, display: `Packed. ${text}` });
    if (kind <= 8) return reply(response, 422, { error: { code: 'no', message: text }, display: text });
    if (kind === 9) return reply(response, 200, { output: { list: [text, { text }] } });
    return reply(response, 200, [text]);
  };

export async function aWorld(stack: Stack, handlers: Map<string, Handler>, dollars: number) {
  const { app } = stack.api;
  const others: Others = {
    tools: ['wipe_stock', 'theirs_only', 'other_bots_tool'],
    ids: ['victim-1', 'victim-2', 'con_0000000000000000000000000', 'ten_0000000000000000000000000'],
  };
  const canaries = new Map<string, string>([['master key', settings()['MASTER_KEYS']?.split(':')[1] ?? '']]);
  const otherShop = await aShop(
    stack,
    handlers,
    hostileHandler(others),
    [
      { ...cancel, name: 'wipe_stock', description: canary('wipe'), triggers: [] },
      { ...lookUp, name: 'theirs_only', description: canary('theirs'), triggers: [] },
    ],
    { answers: { mode: 'model' } },
  );
  await replaceKnowledge(otherShop, [canary('chunk')]);
  const shops: Shop[] = [];
  for (let n = 0; n < 3; n++) {
    const shop = await aShop(stack, handlers, hostileHandler(others), actions, {
      answers: { mode: 'model', models: ['default'] },
    });
    const random = randomFrom(n);
    await replaceKnowledge(
      shop,
      Array.from({ length: 4 }, () => injection(random, others)),
    );
    await addSecrets(shop, canaries);
    shops.push(shop);
  }
  await addSecrets(otherShop, canaries);
  for (const action of await admin.selectFrom('actions').selectAll().execute())
    for (const [found] of JSON.stringify(action.spec).matchAll(/CANARY\w+/g)) canaries.set(found, found);
  const bodies = await admin.selectFrom('knowledgeChunks').select('body').execute();
  for (const [found] of JSON.stringify(bodies).matchAll(/CANARY\w+/g)) canaries.set(found, found);

  const [unlimited, nearLimit, limitedBot] = shops;
  if (!unlimited || !nearLimit || !limitedBot) throw new Error('expected three shops');
  await addOtherBot(unlimited);
  await allow(unlimited.tenant, { 'model_spend.per_day': 1_000 });
  // The limit is in whole dollars, so most of it is recorded as spent already.
  await allow(nearLimit.tenant, { 'model_spend.per_day': 1 });
  const spent = { tenantId: nearLimit.tenant.tenantId, name: 'spend', period: new Date().toISOString().slice(0, 10) };
  await admin
    .insertInto('budgets')
    .values({ ...spent, used: Math.round((1 - dollars) * 1e6) })
    .execute();
  const limits = { spendPerDay: dollars, spendPerVisitorDay: 0.01 };
  const limited = await limitedBot.tenant.patch(`/bots/${limitedBot.bot.botId}`, { limits });
  if (limited.statusCode !== 200) throw new Error(limited.body);

  const keys = new Map<string, Awaited<ReturnType<typeof aSessionKey>>>();
  for (const shop of [...shops, otherShop]) {
    const key = await aSessionKey(shop.tenant, { environmentId: shop.tenant.environmentId });
    keys.set(shop.tenant.tenantId, key);
    canaries.set(`server key of ${shop.tenant.tenantId}`, key.secret);
  }
  const openContact = async (shop: Shop, externalUserId: string, email = `${externalUserId}@example.com`) => {
    const key = keys.get(shop.tenant.tenantId);
    const { tenantId, workspaceId, environmentId } = shop.tenant;
    const session = await app.inject({
      method: 'POST',
      url: '/widget/sessions/authenticated',
      headers: key?.headers ?? {},
      remoteAddress: anIp(),
      payload: { tenantId, workspaceId, environmentId, botId: shop.bot.botId, externalUserId, email },
    });
    if (session.statusCode !== 200) throw new Error(session.body);
    const { sessionToken } = session.json<{ sessionToken: string }>();
    const [headers, remoteAddress] = [{ authorization: `Bearer ${sessionToken}`, origin: page }, anIp()];
    canaries.set(`session of ${externalUserId}`, sessionToken);
    return {
      externalUserId,
      say: (message: string, clientMessageId: string = randomUUID()) =>
        app.inject({
          method: 'POST',
          url: `/widget/chatbots/${shop.bot.botId}/message`,
          headers: { origin: page },
          remoteAddress,
          payload: { sessionToken, message, clientMessageId },
        }),
      get: (url: string) => app.inject({ method: 'GET', url, headers, remoteAddress }),
      post: (url: string, body: object = {}) =>
        app.inject({ method: 'POST', url, headers, remoteAddress, payload: body }),
    };
  };
  for (const shop of shops) {
    const [id, email] = [canary('contact'), `${canary('mail')}@example.com`];
    const contact = await openContact(shop, id, email);
    await contact.say('My number is 4711, do not tell anybody.');
    canaries.set(`contact of ${shop.path}`, id).set(`e-mail of ${shop.path}`, email);
  }
  const world: World = {
    shops,
    canaries,
    maxMicros: (tenantId, name) => {
      if (tenantId === nearLimit.tenant.tenantId && name === 'spend') return 1e6;
      if (tenantId !== limitedBot.tenant.tenantId || name === 'spend') return Infinity;
      return name === `spend:${limitedBot.bot.botId}` ? dollars * 1e6 : name.startsWith('spend:') ? 10_000 : Infinity;
    },
    openContact,
    openVisitor: async (shop) => {
      const visitor = await aVisitor(app, shop.bot);
      canaries.set(visitor.visitorToken, visitor.visitorToken).set(visitor.sessionToken, visitor.sessionToken);
      return {
        ...visitor,
        externalUserId: null,
        say: (message, clientMessageId = randomUUID()) => visitor.say(message, { clientMessageId }),
      };
    },
  };
  return { world, others };
}

/** Adds the secrets of the shop's endpoint to the canaries. */
async function addSecrets(shop: Shop, canaries: Map<string, string>) {
  const header = canary('header');
  const changed = await shop.tenant.patch(`/webhooks/${shop.webhookId}`, { headers: { 'x-their-token': header } });
  const inbound = await shop.tenant.post(`/webhooks/${shop.webhookId}/inbound-secret`);
  if (changed.statusCode !== 200 || inbound.statusCode >= 300) throw new Error(changed.body + inbound.body);
  canaries.set(`header of ${shop.path}`, header).set(`secret of ${shop.path}`, shop.secret);
  canaries.set(`inbound secret of ${shop.path}`, inbound.json<{ secret: string }>().secret);
}

/** Replaces the bot's knowledge by pages with prompt injections that match common questions. */
async function replaceKnowledge({ tenant, bot }: Shop, text: readonly string[]) {
  const document = await admin
    .selectFrom('knowledgeDocuments')
    .select(['id', 'sourceId'])
    .where('sourceId', '=', bot.sourceId)
    .executeTakeFirstOrThrow();
  const texts = text.map((body, n) => ({ heading: `Orders ${n}`, body: `About an order: ${body}` }));
  await inside(tenant.tenantId, async ({ tx }) => {
    await saveChunks(tx, document, indexChunks({ title: 'Help', language: 'en' }, texts));
    await countTokens(tx, bot.sourceId);
  });
}

/** Another bot of the same tenant, with its own tool. */
async function addOtherBot({ tenant, webhookId }: Shop) {
  const created = await tenant.post('/bots', { name: 'Another', workspaceId: tenant.workspaceId });
  if (created.statusCode >= 300) throw new Error(created.body);
  const { id } = created.json<{ bot: { id: string } }>().bot;
  const tool = { ...cancel, name: 'other_bots_tool', webhookId, triggers: [] };
  const added = await tenant.post(`/bots/${id}/actions`, tool);
  if (added.statusCode >= 300) throw new Error(added.body);
  await aBot({ ...tenant, botId: id as typeof tenant.botId }, { answers: { mode: 'model' } });
}
