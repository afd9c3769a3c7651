import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { startModelServer, type Reply } from '../../../../../tools/model/index.ts';
import { startReceiver } from '../../../../../tools/receiver/index.ts';
import { openAssertions } from '../../../src/features/actions/index.ts';
import type { RunDeps } from '../../../src/features/actions/run/step.ts';
import { createTurnDeps, runChats } from '../../../src/features/conversations/index.ts';
import { createTenantState } from '../../../src/features/tenants/tenant-state.ts';
import type { Id } from '../../../src/platform/ids.contract.ts';
import type { Signals } from '../../../src/platform/valkey.ts';
import { aShop, cancel, handleCalls, lookUp, reply, type Handler, type Shop } from '../../actions/fixture.ts';
import { textOf } from '../helpers.ts';
import { admin, aUser, openApi, ownDir, settings } from '../../harness.ts';

// The functions of turns, agents and visitors on the real database, without Restate: the test decides which runs when.

const poolSize = 24;
const shopsPerMode = 3; // several, because all turns of a tenant update the same counters

/** What a conversation under test does to the model and to the tenant's system. */
export interface Script {
  /** The next reply of the model. It may stop after its first token until `release`. */
  nextReply(): Reply;
  /** Resolves when the tenant's system responds. */
  nextResponse(): Promise<'succeeded' | 'refused' | 'accepted'>;
}

export async function aStack() {
  const [model, receiver] = [await startModelServer(), await startReceiver({ keep: 100 })];
  const dir = ownDir('interleavings');
  mkdirSync(dir, { recursive: true });
  const caFile = join(dir, 'receiver-ca.pem');
  writeFileSync(caFile, receiver.caPem);
  const price = { inputPrice: 0, outputPrice: 0 }; // no budget ends early
  const api = await openApi({
    DATABASE_POOL_SIZE: String(poolSize),
    SMTP_URL: 'smtp://127.0.0.1:9', // visitors are asked for their email address; none is sent without a mailer
    MODELS: JSON.stringify([
      { name: 'default', provider: 'openai-compatible', baseUrl: model.url, model: 'test', ...price },
    ]),
    EGRESS_OPEN_HOSTS: `${settings()['EGRESS_OPEN_HOSTS']},${model.host}`,
    EGRESS_TENANT_OPEN_HOSTS: receiver.host,
    EGRESS_CA_FILE: caFile,
  });
  afterAll(async () => {
    await api.close();
    await model.close();
    await receiver.stop();
  });
  const { platform } = api;
  const { services, signals, config } = platform;
  const { of: tenantState } = createTenantState(services, signals);
  const turnDeps = { ...createTurnDeps(platform), signals: withLostStops(signals) };
  const assertions = openAssertions(services, config.PUBLIC_URL);
  const { log, tenantFetch: fetch } = platform;
  const runDeps: RunDeps = { services, fetch, chats: runChats, assertions, log };

  const handlers = new Map<string, Handler>();
  handleCalls(receiver, handlers);
  /** By the mark in the visitor's message, and by order number. */
  const scripts = new Map<string, Script>();
  model.script = ({ messages }) => {
    const question = textOf(messages.findLast(({ role }) => role === 'user'));
    return scripts.get(markIn(question))?.nextReply() ?? { tokens: ['Hello.'], everyMs: 0 };
  };
  const respond: Handler = async (call, response) => {
    const kind = (await scripts.get(markIn(String(call.input['orderId'])))?.nextResponse()) ?? 'succeeded';
    if (kind === 'refused') return reply(response, 422, { error: { code: 'too_late', message: 'Too late.' } });
    if (kind === 'accepted') return reply(response, 202, {});
    return reply(response, 200, { output: {}, display: 'It is done.' });
  };
  const place = async (mode: 'extractive' | 'model') => {
    const shop = await aShop({ receiver, api }, handlers, respond, [lookUp, cancel], {
      answers: { mode },
      plan: 'enterprise',
    });
    const agents = [];
    for (let n = 0; n < 2; n++) agents.push(await aUser([{ tenantId: shop.tenant.tenantId, roles: ['admin'] }]));
    const agentIds = agents.map(({ userId }) => userId);
    return { ...shop, mode, agentIds, teamId: await aTeam(shop, agentIds) };
  };
  const shops: (Shop & { mode: string; agentIds: string[]; teamId: Id<'team'> })[] = [];
  for (let n = 0; n < shopsPerMode; n++) shops.push(await place('extractive'), await place('model'));
  return { services, signals, config, tenantState, turnDeps, runDeps, scripts, shops, model };
}

/** New conversations are assigned to its members in turn, and escalated to it. They stay available. */
async function aTeam({ tenant }: Shop, agentIds: readonly string[]) {
  const created = await tenant.post('/teams', { name: 'Support', memberIds: agentIds });
  const teamId = created.json<{ team: { id: Id<'team'> } }>().team.id;
  const seenAt = new Date(Date.now() + 86_400_000);
  for (const userId of agentIds)
    await admin
      .insertInto('agents')
      .values({ tenantId: tenant.tenantId, userId, status: 'available', seenAt })
      .execute();
  const escalation = { afterMinutes: 10, to: { type: 'team', teamId } };
  const settled = await tenant.put(`/workspaces/${tenant.workspaceId}/assignment`, {
    mode: 'round_robin',
    maxOpen: 100,
    teamId: null,
    escalation,
  });
  if (settled.statusCode !== 200) throw new Error(settled.body);
  return teamId;
}
export type Stack = Awaited<ReturnType<typeof aStack>>;

/** Every second worker hears nothing of a claim until it polls, because Valkey may lose signals. */
function withLostStops(signals: Signals): Signals {
  let stops = 0;
  return {
    ...signals,
    watch: (channel, handler) =>
      channel.startsWith('stop:') && stops++ % 2 === 0
        ? { isListening: Promise.resolve(), stop: () => {} }
        : signals.watch(channel, handler),
  };
}

/** A number in each message and order identifies the conversation under test. */
const markIn = (text: string) => /\d{4,6}/.exec(text)?.[0] ?? '';
