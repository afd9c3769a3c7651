import { request as plainRequest } from 'node:http';
import { createServer } from 'node:https';
import { afterAll } from 'vitest';
import { freePort } from '../../../../tools/stack/index.ts';
import { Permission } from '../../src/platform/access.contract.ts';
import { deploy, publish, until } from '../chat/helpers.ts';
import { aKey, as, aTenant, openApi } from '../harness.ts';
import { aWebhookStack } from '../webhooks/fixture.ts';
import { builtWidget } from '../widget/built.ts';

/** The permissions of a key if its page does not list any. */
const defaultPermissions = [
  'tenant.view',
  'bot.view',
  'bot.manage',
  'knowledge.manage',
  'conversation.view',
  'conversation.reply',
  'webhook.view',
  'webhook.manage',
  'integration.view',
  'integration.manage',
];

/** The knowledge of the readers' bots. */
const help = `# Delivery

Delivery takes two to four working days and costs 4.90 euros. Orders above 60 euros are delivered free of charge.

# Refunds

You can send anything back within 30 days. We refund the whole price within five working days after it has arrived.
`;

/** The whole service for readers of the documentation: each gets a tenant, a bot, a key and a port. */
export async function aDocsStack() {
  const [tunnelPort, apiPort] = [await freePort(), await freePort()];
  const stack = await aWebhookStack({ ports: [tunnelPort] });
  const apiUrl = `http://localhost:${apiPort}`;
  const built = await builtWidget();
  const api = await openApi({ ...stack.webhookSettings, PUBLIC_URL: apiUrl, WIDGET_DIR: built.dir });
  await api.app.listen({ host: '127.0.0.1', port: apiPort });

  /** A tunnel: HTTPS outside, plain HTTP to a port of the developer's machine, the first part of the path. */
  const { cert, key } = await stack.receiver.certify('localhost');
  const tunnel = createServer({ cert, key }, (incoming, outgoing) => {
    const { method, url = '', headers } = incoming;
    const [, port, path] = /^\/(\d+)(\/.*)?$/.exec(url) ?? [];
    const inner = plainRequest({ host: 'localhost', port, method, path: path ?? '/', headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    inner.once('error', () => outgoing.writeHead(502).end());
    incoming.pipe(inner);
  });
  await new Promise<void>((done) => tunnel.listen(tunnelPort, '127.0.0.1', done));
  afterAll(async () => {
    tunnel.closeAllConnections();
    await new Promise((done) => tunnel.close(done));
    await api.close();
  }, 60_000); // a long poll may still run

  /** With a key that has exactly the permissions that the page lists. */
  async function aReader(text: string) {
    const created = await aTenant();
    const tenant = { ...created, ...as(created.headers, api.app) };
    const { botId } = tenant;
    const { data } = (await tenant.get('/environments')).json<{ data: { id: string; name: string }[] }>();
    const environmentId = data.find(({ name }) => name === 'test')?.id ?? '';
    await tenant.post(`/bots/${botId}/knowledge-sources`, { kind: 'text', name: 'Help', text: help });
    await until(async () => {
      const sources = (await tenant.get(`/bots/${botId}/knowledge-sources`)).json<{
        data: { sync: { state: string } }[];
      }>();
      return sources.data[0]?.sync.state === 'ready';
    });
    const greeting = { title: 'Help', greeting: 'Hello! Ask me anything.' };
    const versionId = await publish(tenant, botId, greeting);
    await deploy(tenant, botId, versionId, environmentId);
    const page = { name: 'Page', keyType: 'public_widget', boundBotId: botId, environmentId };
    const { secret: publicKey } = (await tenant.post('/api-keys', page)).json<{ secret: string }>();
    const port = await freePort();
    await tenant.patch(`/bots/${botId}`, { allowedOrigins: [`http://localhost:${port}`] });
    const listed = Permission.options.filter((permission) => text.includes(`\`${permission}\``));
    const { id, secret } = await aKey(tenant, { permissions: listed.length > 0 ? listed : defaultPermissions });
    const env = {
      PARLEY_API_URL: apiUrl,
      PARLEY_KEY_ID: id,
      PARLEY_KEY: secret,
      PARLEY_BOT_ID: botId,
      PARLEY_ENVIRONMENT_ID: environmentId,
      PARLEY_PUBLIC_KEY: publicKey,
      /** The public URL of the reader's machine. */
      ENDPOINT_URL: `https://localhost:${tunnelPort}/${port}`,
      PORT: String(port),
    };
    return { tenant, env, pageUrl: `http://localhost:${port}` };
  }
  return { ...stack, apiUrl, aReader };
}
export type DocsStack = Awaited<ReturnType<typeof aDocsStack>>;
