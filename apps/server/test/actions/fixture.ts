import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReceivedCall } from '../../../../tools/receiver/index.ts';
import { aSessionKey, as, aTenant, type TestTenant } from '../harness.ts';
import { aBot, aVisitor, page } from '../chat/fixture.ts';
import { orderSchema } from './order-schema.ts';
import type { aWebhookStack, CreatedWebhook } from '../webhooks/fixture.ts';

export { orderSchema };

type Stack = Awaited<ReturnType<typeof aWebhookStack>>;
type App = Stack['api']['app'];

/** The body of a request to the tenant's backend. */
export interface Invocation {
  id: string;
  type: 'action.invoke' | 'action.status';
  action: string;
  actionId: string;
  conversationId: string | null;
  step: string | null;
  deadline: string;
  attempt: number;
  test: boolean;
  actor: { type: string; id: string; externalUserId?: string };
  argsHash: string;
  input: Record<string, unknown>;
}

export const reply = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

export type Handler = (call: Invocation, response: ServerResponse, received: ReceivedCall) => unknown;

/** The tenants' backends, one handler per path. */
export function handleCalls(receiver: Stack['receiver'], handlers: Map<string, Handler>) {
  receiver.respond = (call, response) => {
    const handler = handlers.get(call.path);
    const body = JSON.parse(call.body) as Invocation;
    if (handler && body.type.startsWith('action.') && /^action\.(invoke|status)$/.test(body.type))
      return handler(body, response, call);
    return response.writeHead(200).end('ok');
  };
}

const json = <T>(response: { statusCode: number; body: string }): T => {
  if (response.statusCode >= 300) throw new Error(`${response.statusCode} ${response.body}`);
  return JSON.parse(response.body) as T;
};

/** The actions of most tests: look up an order, and cancel one. */
export const lookUp = {
  name: 'order_status',
  title: 'Order status',
  description: 'Looks up where an order is.',
  inputSchema: orderSchema,
  triggers: ['where is my order', 'order status', 'track my parcel'],
};
export const cancel = {
  name: 'cancel_order',
  title: 'Cancel an order',
  description: 'Cancels an order.',
  inputSchema: orderSchema,
  risk: 'write',
  triggers: ['cancel my order', 'I want to cancel an order'],
};

interface CreatedAction {
  action: { id: string; name: string };
}

/** A tenant with its own endpoint at the receiver, and a published bot with these actions. */
export async function aShop(
  { receiver, api }: Pick<Stack, 'receiver' | 'api'>,
  handlers: Map<string, Handler>,
  handler: Handler,
  actions: readonly object[],
  { answers = {}, plan = 'team' }: { answers?: object; plan?: 'team' | 'enterprise' } = {},
) {
  const person = await aTenant({ plan });
  const tenant: TestTenant = { ...person, ...as(person.headers, api.app) };
  const path = `/actions/${tenant.tenantId}`;
  const created = json<CreatedWebhook>(
    await tenant.post('/webhooks', { url: `${receiver.url}${path}`, eventTypes: ['ping'] }),
  );
  receiver.secrets.push(created.secret);
  handlers.set(path, handler);
  const ids = new Map<string, string>();
  for (const action of actions) {
    const body = JSON.stringify({ webhookId: created.webhook.id, ...action });
    const resolved = JSON.parse(body, (key, value: unknown) =>
      key === 'actionId' && typeof value === 'string' ? (ids.get(value) ?? value) : value,
    ) as object;
    const { action: createdAction } = json<CreatedAction>(await tenant.post(`/bots/${tenant.botId}/actions`, resolved));
    ids.set(createdAction.name, createdAction.id);
  }
  const bot = await aBot(tenant, { answers });
  const app = api.app;
  return {
    tenant,
    bot,
    ids,
    webhookId: created.webhook.id,
    secret: created.secret,
    path,
    visitor: () => aVisitor(app, bot),
    contact: (externalUserId: string) => aContact(app, tenant, bot.botId, externalUserId),
    run: async (id: string) => json<{ run: TestRun }>(await tenant.get(`/action-runs/${id}`)).run,
    runs: async (query = '') => json<{ data: TestRun[] }>(await tenant.get(`/action-runs${query}`)).data,
  };
}
export type Shop = Awaited<ReturnType<typeof aShop>>;

export interface TestRun {
  id: string;
  name: string;
  state: string;
  outcome: string | null;
  reason: string | null;
  argsHash: string;
  args: Record<string, unknown>;
  output: unknown;
  attempts: { n: number; kind: string; end: string | null; status: number | null; error: string | null }[];
  steps: TestRun[];
  step: string | null;
  isCompensation: boolean;
  conversationId: string | null;
}

/** A visitor authenticated by the tenant's backend. */
async function aContact(app: App, tenant: TestTenant, botId: string, externalUserId: string) {
  const key = await aSessionKey(tenant, { environmentId: tenant.environmentId });
  const { tenantId, workspaceId, environmentId } = tenant;
  const session = json<{ sessionToken: string }>(
    await app.inject({
      method: 'POST',
      url: '/widget/sessions/authenticated',
      headers: { authorization: `Bearer ${key.secret}`, 'x-service-api-key-id': key.id },
      payload: { tenantId, workspaceId, environmentId, botId, externalUserId, email: `${externalUserId}@example.com` },
    }),
  );
  const headers = { authorization: `Bearer ${session.sessionToken}`, origin: page };
  return {
    sessionToken: session.sessionToken,
    say: (message: string) =>
      app.inject({
        method: 'POST',
        url: `/widget/chatbots/${botId}/message`,
        headers: { origin: page },
        payload: { sessionToken: session.sessionToken, message },
      }),
    get: (url: string) => app.inject({ method: 'GET', url, headers }),
    post: (url: string, body: object = {}) => app.inject({ method: 'POST', url, headers, payload: body }),
  };
}

export interface SendResult {
  conversationId: string;
  reply: { text: string; isAnswer: boolean } | null;
  turn: { id: string; status: string; mode: string; reason: string | null } | null;
}
export interface Entry {
  seq: number;
  type: string;
  data: Record<string, unknown> & { message?: { text: string; role: string } };
}
interface VisitorClient {
  get(url: string): Promise<{ statusCode: number; body: string }>;
  post(url: string, body?: object): Promise<{ statusCode: number; body: string }>;
}

export const logOf = async (client: VisitorClient, conversationId: string) =>
  json<{ data: Entry[] }>(await client.get(`/widget/conversations/${conversationId}/events`)).data;

/** Waits for a matching entry in the conversation's log. Polls less often the longer it takes. */
export async function awaitEntry(
  client: VisitorClient,
  conversationId: string,
  matches: (entry: Entry) => boolean,
  timeoutMs = 30_000,
): Promise<Entry> {
  const deadline = Date.now() + timeoutMs;
  for (let pauseMs = 25; ; pauseMs = Math.min(1.5 * pauseMs, 500)) {
    const log = await logOf(client, conversationId);
    const found = log.findLast(matches);
    if (found) return found;
    if (Date.now() > deadline)
      throw new Error(`no matching entry: ${JSON.stringify(log.map(({ type, data }) => [type, data]))}`);
    await sleep(pauseMs);
  }
}

export const isCard = ({ type }: Entry) => type === 'confirmation.required';
export const isFinished = ({ type, data }: Entry) => type === 'action.finished' && data['parentId'] === null;
export const isBotMessage = (pattern: RegExp) => (entry: Entry) =>
  entry.data.message?.role === 'bot' && pattern.test(entry.data.message.text);

export const confirm = (client: VisitorClient, conversationId: string, card: Entry, isConfirmed = true) =>
  client.post(`/widget/conversations/${conversationId}/confirm`, {
    runId: card.data['runId'],
    argsHash: card.data['argsHash'],
    isConfirmed,
  });
