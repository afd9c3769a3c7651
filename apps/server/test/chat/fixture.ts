import { rmSync } from 'node:fs';
import { afterAll } from 'vitest';
import { startModelServer } from '../../../../tools/model/index.ts';
import { freePort, startRestate } from '../../../../tools/stack/index.ts';
import { indexChunks } from '../../src/features/knowledge/chunk/chunk-index.ts';
import { saveChunks, countTokens } from '../../src/features/knowledge/chunk/chunks.store.ts';
import { startDelivery, subscribers, timerHandlers, workflows } from '../../src/features/durable.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { newId } from '../../src/platform/ids.ts';
import { openPlatform, relayChannel, type Platform } from '../../src/platform/platform.ts';
import { startRelay } from '../../src/platform/relay.ts';
import { openDeployments } from '../../src/platform/deployments.ts';
import { keepRegistered } from '../../src/platform/registration.ts';
import { serveDurable, type Durable } from '../../src/platform/restate.ts';
import { startSweeper } from '../../src/platform/sweeper.ts';
import { admin, afterOwnFile, aTenant, inside, openApi, ownDir, settings, type TestTenant } from '../harness.ts';
import { page } from './page.ts';

export { page };

/** Restate, and the port at which it reaches the worker of the running test file. */
async function startOwnRestate() {
  const dir = ownDir('restate');
  const restate = await startRestate(dir, { partitions: 4 });
  afterOwnFile(async () => {
    await restate.kill();
    rmSync(dir, { recursive: true, force: true });
  });
  return { dir, restate, workerPort: String(await freePort()) };
}
let starting: ReturnType<typeof startOwnRestate> | undefined;

/** Settings for an API and a worker with their own Restate and model server. */
export async function aChatStack(more: Record<string, string> = {}) {
  const { dir, restate, workerPort } = await (starting ??= startOwnRestate());
  const model = await startModelServer();
  const chatSettings = {
    RESTATE_INGRESS_URL: restate.ingressUrl,
    RESTATE_ADMIN_URL: restate.adminUrl,
    RESTATE_IDENTITY_KEYS: restate.identityKey,
    WORKER_PORT: workerPort,
    MODELS: JSON.stringify([
      {
        name: 'default',
        provider: 'openai-compatible',
        baseUrl: model.url,
        model: 'test',
        inputPrice: 1,
        outputPrice: 2,
      },
    ]),
    EGRESS_OPEN_HOSTS: `${settings()['EGRESS_OPEN_HOSTS']},${model.host}`,
    ...more,
  };
  afterAll(model.close);
  return { dir, restate, model, chatSettings };
}

/** Runs the worker inside this process: faster to start, and its model step can be observed. */
export async function startWorkerInProcess(
  chatSettings: Record<string, string>,
  durable: (platform: Platform) => Durable[] = workflows,
) {
  const { platform, stop } = await serveWorkflows(chatSettings, durable);
  const { services, log, restate, signals } = platform;
  const relay = startRelay({ services, subscribers: subscribers(services, restate), log });
  signals.listen(relayChannel, relay.wake);
  const lanes = startDelivery(platform);
  const sweeper = startSweeper({
    services,
    handlers: timerHandlers(services, restate, platform.externalStores),
    log,
    everyMs: 1_000,
    graceSeconds: 1,
  });
  return {
    platform,
    lanes,
    stop: async () => {
      await Promise.all([relay.stop(), sweeper.stop(), lanes.stop(2_000)]);
      await stop();
    },
  };
}

/** The same without the relay, the sweeper and the delivery of webhooks: only what Restate calls. */
export async function serveWorkflows(
  chatSettings: Record<string, string>,
  durable: (platform: Platform) => Durable[] = workflows,
) {
  const config = loadConfig(settings(chatSettings));
  const platform = await openPlatform('worker', config);
  const { log } = platform;
  const durableServices = durable(platform);
  const server = await serveDurable({
    log,
    services: durableServices,
    host: '127.0.0.1',
    port: config.WORKER_PORT,
    identityKeys: config.RESTATE_IDENTITY_KEYS,
  });
  const registered = keepRegistered({
    deployments: openDeployments(config.RESTATE_ADMIN_URL),
    workerUrl: `http://127.0.0.1:${server.port}`,
    services: durableServices,
    force: true,
    log,
  });
  const stop = async () => {
    await registered.stop();
    await server.stop(2);
    await platform.close();
  };
  await waitUntilRegistered(config.RESTATE_ADMIN_URL ?? '');
  return { platform, stop };
}

export async function waitUntilRegistered(adminUrl: string) {
  for (let attempts = 0; attempts < 500; attempts++) {
    const services = await fetch(`${adminUrl}/services`).then(
      (response) => response.text(),
      () => '',
    );
    if (services.includes('"Conversation"')) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the worker was not registered');
}

/** A published bot with some knowledge, and its widget key. */
export async function aBot(
  tenant: TestTenant,
  { answers = {}, ...draft }: { answers?: object; [field: string]: unknown } = {},
) {
  const { botId } = tenant;
  const sourceId = await addKnowledge(tenant, botId, chunks);
  const check = (response: { statusCode: number; body: string }) => {
    if (response.statusCode >= 300) throw new Error(`${response.statusCode} ${response.body}`);
  };
  check(await tenant.patch(`/bots/${botId}`, { allowedOrigins: [page] }));
  check(await tenant.patch(`/bots/${botId}/draft`, { revision: 1, draft: { ...draft, answers } }));
  const published = await tenant.post(`/bots/${botId}/versions`, {});
  check(published);
  const { version } = published.json<{ version: { id: string } }>();
  check(
    await tenant.post(`/bots/${botId}/deployments`, { environmentId: tenant.environmentId, versionId: version.id }),
  );
  const key = await tenant.post('/api-keys', {
    name: 'Page',
    keyType: 'public_widget',
    boundBotId: botId,
    environmentId: tenant.environmentId,
  });
  check(key);
  const { secret, apiKey } = key.json<{ secret: string; apiKey: { id: string } }>();
  return { botId, sourceId, versionId: version.id, publicKey: secret, keyId: apiKey.id };
}
export type TestBot = Awaited<ReturnType<typeof aBot>>;

const chunks = [
  {
    heading: 'Refunds',
    body: 'You can send anything back within 30 days. We refund the whole price within five working days after the parcel has arrived.',
  },
  {
    heading: 'Delivery',
    body: 'Delivery takes two to four working days and costs 4.90 euros. Orders above 60 euros are delivered free of charge.',
  },
  { heading: 'Opening hours', body: 'Our shop in Hamburg is open from Monday to Saturday, 10 am to 7 pm.' },
];

async function addKnowledge(tenant: TestTenant, botId: string, texts: readonly { heading: string; body: string }[]) {
  const [sourceId, documentId] = [newId('knowledgeSource'), newId('knowledgeDocument')];
  const { tenantId } = tenant;
  await admin
    .insertInto('knowledgeSources')
    .values({
      tenantId,
      id: sourceId,
      botId,
      kind: 'text',
      name: 'Help',
      config: '{}',
      state: 'ready',
      createdBy: 'test',
    })
    .execute();
  await admin
    .insertInto('knowledgeDocuments')
    .values({
      tenantId,
      id: documentId,
      sourceId,
      location: 'help',
      title: 'Help',
      language: 'en',
      state: 'ready',
      syncId: 's',
    })
    .execute();
  await inside(tenantId, async ({ tx }) => {
    await saveChunks(tx, { id: documentId, sourceId }, indexChunks({ title: 'Help', language: 'en' }, texts));
    await countTokens(tx, sourceId);
  });
  return sourceId;
}

export { aTenant, openApi };

type App = Awaited<ReturnType<typeof openApi>>['app'];
export interface SessionResponse {
  sessionToken: string;
  visitorToken: string;
  conversation: { id: string; lastSeq: number } | null;
}

/** A visitor on the page, with a session. */
export async function aVisitor(app: App, { publicKey, botId }: TestBot, visitorToken?: string) {
  const response = await app.inject({
    method: 'POST',
    url: '/widget/sessions/anonymous',
    headers: { origin: page },
    remoteAddress: `10.${Math.floor(Math.random() * 250)}.${Math.floor(Math.random() * 250)}.${Math.floor(Math.random() * 250)}`,
    payload: { publicKey, botId, visitorId: 'label', ...(visitorToken && { visitorToken }) },
  });
  if (response.statusCode !== 200) throw new Error(response.body);
  const opened = response.json<SessionResponse>();
  const headers = { authorization: `Bearer ${opened.sessionToken}`, origin: page };
  const remoteAddress = `10.1.${Math.floor(Math.random() * 250)}.${Math.floor(Math.random() * 250)}`;
  return {
    ...opened,
    headers,
    say: (message: string, more: object = {}) =>
      app.inject({
        method: 'POST',
        url: `/widget/chatbots/${botId}/message`,
        headers: { origin: page },
        remoteAddress,
        payload: { sessionToken: opened.sessionToken, message, ...more },
      }),
    get: (url: string) => app.inject({ method: 'GET', url, headers, remoteAddress }),
    post: (url: string, body: object = {}) =>
      app.inject({ method: 'POST', url, headers, remoteAddress, payload: body }),
    del: (url: string) => app.inject({ method: 'DELETE', url, headers, remoteAddress }),
  };
}
