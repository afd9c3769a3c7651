import { randomBytes } from 'node:crypto';
import { findByEmail, insertAccount, setPassword } from '../../apps/server/src/features/accounts/accounts.store.ts';
import { createOperator } from '../../apps/server/src/features/accounts/operators.ts';
import { hashPassword } from '../../apps/server/src/features/accounts/password/passwords.ts';
import { createApiKey } from '../../apps/server/src/features/api-keys/api-keys.service.ts';
import { addMember } from '../../apps/server/src/features/members/index.ts';
import { createTenant } from '../../apps/server/src/features/tenants/tenants.service.ts';
import { createWebhook } from '../../apps/server/src/features/webhooks/endpoints/webhooks.service.ts';
import { Permission } from '../../apps/server/src/platform/access.contract.ts';
import { inTenant, type Caller, type Context, type Services } from '../../apps/server/src/platform/context.ts';
import { openKeyring } from '../../apps/server/src/platform/crypto.ts';
import type { Config } from '../../apps/server/src/platform/config.ts';
import { connect, type Tx } from '../../apps/server/src/platform/db.ts';
import { newId } from '../../apps/server/src/platform/ids.ts';
import { enterPool } from '../../apps/server/src/platform/pool.ts';
import { demoActions } from './actions.ts';
import { embedSource, openLocalEmbedder } from '../model/embed-source.ts';
import { demoChunks } from './chunks.ts';
import { seedBot } from './seed-bot.ts';

const newPassword = () => randomBytes(15).toString('base64url');

/**
 * A tenant to try things with, and people to sign in as. A new tenant on each start, as a server key's secret is shown once.
 * The customer stays the same person and gets a new password.
 */
export async function seedDemo(
  settings: Record<string, string>,
  siteUrl = 'http://localhost',
  /** The tenant's own system. Without one its bot has no actions. */
  receiverUrl?: string,
  name = 'Demo',
) {
  await using db = connect(settings['DATABASE_URL'] ?? '', { max: 1 });
  const services: Services = {
    db,
    keyring: openKeyring(settings['MASTER_KEYS'] ?? ''),
    wakeRelay: () => {},
    notify: () => {},
  };
  const tenantId = newId('tenant');
  const demo: Caller = { tenantId, actor: { type: 'system', id: 'demo' }, permissions: new Set(Permission.options) };
  const password = newPassword();
  const passwordHash = await hashPassword('customer', password);
  const tenant = await inTenant(services, demo, async (ctx) => {
    const created = await seedTenant(ctx, { name, siteUrl, receiverUrl });
    const customer = await seedCustomer(ctx, passwordHash);
    return { ...created, customer: { email: customer.email, password }, customerId: customer.userId };
  });
  const embeddings = JSON.parse(settings['EMBEDDINGS'] ?? 'null') as Config['EMBEDDINGS'];
  if (embeddings?.provider === 'local') {
    const inside = <T>(work: (tx: Tx) => Promise<T>) => inTenant(services, demo, ({ tx }) => work(tx));
    const sources = await inside((tx) => tx.selectFrom('knowledgeSources').select('id').execute());
    for (const { id } of sources) await embedSource(inside, id, openLocalEmbedder(embeddings));
  }
  const operator = await createOperator(services, {
    email: `operator-${tenantId.slice(-6)}@parley.example`,
    name: 'Olga Operator',
    roles: ['platform_admin'],
  });
  const { email, totpSecret } = operator;
  return { ...tenant, admin: { email, password: operator.password, totpSecret } };
}

async function seedCustomer(ctx: Context, passwordHash: string) {
  const email = 'ada@demo.example';
  const userId = await enterPool(ctx.tx, 'customer', async (tx) => {
    const known = await findByEmail(tx, email);
    if (known) {
      await setPassword(tx, known.userId, passwordHash);
      await tx.updateTable('accounts').set({ lastTenantId: ctx.tenantId }).where('userId', '=', known.userId).execute();
      return known.userId;
    }
    const created = newId('user');
    await insertAccount(tx, { userId: created, email, name: 'Ada Demo', locale: 'en', passwordHash });
    return created;
  });
  await addMember(ctx, userId, ['owner'], () => {});
  return { userId, email };
}

async function seedTenant(
  ctx: Context,
  { name, siteUrl, receiverUrl }: { name: string; siteUrl: string; receiverUrl: string | undefined },
) {
  const { workspace, environments } = await createTenant(ctx, { name, plan: 'team' });
  const environmentId = environments.find(({ name }) => name === 'live')?.id;
  if (!environmentId) throw new Error('the new tenant has no live environment');
  const draft = {
    title: 'Northlight help',
    greeting: 'Hello! Ask me about delivery, returns, your battery or your order.',
  };
  const scope = { workspaceId: workspace.id, environmentId, allowedOrigins: [siteUrl], chunks: demoChunks };
  const { webhook, secret } = await createWebhook(
    ctx,
    {
      url: `${receiverUrl ?? 'https://hooks.example.com'}/events`,
      eventTypes: ['*'],
      description: 'Demo backend',
      environmentId: null,
      botIds: [],
      headers: {},
      rateLimit: 50,
      ordering: 'none',
      autoRecover: true,
    },
    () => {},
  );
  const actions = receiverUrl === undefined ? [] : demoActions.map((action) => ({ webhookId: webhook.id, ...action }));
  const { botId, publicKey } = await seedBot(ctx, { ...scope, draft, actions });
  const modelBot = await seedBot(ctx, {
    ...scope,
    name: 'Product advice',
    draft: { ...draft, title: 'Northlight advice', answers: { mode: 'model' } },
  });
  const server = await createApiKey(ctx, {
    workspaceId: null,
    environmentId: null,
    expiresAt: null,
    name: 'Demo backend',
    keyType: 'secret_server',
    boundBotId: null,
    permissions: [
      'tenant.view',
      'tenant.manage',
      'bot.view',
      'bot.manage',
      'knowledge.manage',
      'conversation.view',
      'conversation.reply',
      'contact.view',
      'contact.update',
      'session.create',
      'analytics.view',
      'webhook.view',
      'webhook.manage',
      'integration.view',
      'integration.manage',
    ],
  });
  return {
    webhookId: webhook.id,
    webhookSecret: secret,
    tenantId: ctx.tenantId,
    workspaceId: workspace.id,
    environmentId,
    botId,
    publicKey,
    modelBot: { botId: modelBot.botId, publicKey: modelBot.publicKey },
    serverKey: server.secret,
    serverKeyId: server.apiKey.id,
  };
}
