import { randomBytes } from 'node:crypto';
import { insertAccount } from '../apps/server/src/features/accounts/accounts.store.ts';
import { hashPassword } from '../apps/server/src/features/accounts/password/passwords.ts';
import { createApiKey } from '../apps/server/src/features/api-keys/api-keys.service.ts';
import { addMember } from '../apps/server/src/features/members/index.ts';
import { createTenant } from '../apps/server/src/features/tenants/tenants.service.ts';
import { createWebhook } from '../apps/server/src/features/webhooks/endpoints/webhooks.service.ts';
import { Permission } from '../apps/server/src/platform/access.contract.ts';
import type { Config } from '../apps/server/src/platform/config.ts';
import { asSystem, inTenant, type Caller, type Context, type Services } from '../apps/server/src/platform/context.ts';
import { openKeyring } from '../apps/server/src/platform/crypto.ts';
import { connect } from '../apps/server/src/platform/db.ts';
import { newId } from '../apps/server/src/platform/ids.ts';
import { enterPool } from '../apps/server/src/platform/pool.ts';
import { demoChunks } from '../tools/demo/chunks.ts';
import { seedBot } from '../tools/demo/seed-bot.ts';
import { embedSource, openLocalEmbedder } from '../tools/model/embed-source.ts';
import type { Tenant } from './target.ts';

interface SeedOptions {
  count: number;
  siteUrl: string;
  /** Without one, the tenants have no endpoint. */
  receiverUrl?: string;
  emailPrefix?: string;
}

/** Tenants with a bot that quotes its knowledge, an endpoint for all events, a server key and an owner. */
export async function seedTenants(settings: Record<string, string>, options: SeedOptions): Promise<Tenant[]> {
  await using db = connect(settings['DATABASE_URL'] ?? '', { max: 2 });
  const keyring = openKeyring(settings['MASTER_KEYS'] ?? '');
  const services: Services = { db, keyring, wakeRelay: () => {}, notify: () => {} };
  const password = randomBytes(15).toString('base64url');
  const passwordHash = await hashPassword('customer', password);
  const tenants: Tenant[] = [];
  for (let n = 0; n < options.count; n++) {
    const tenantId = newId('tenant');
    const caller: Caller = { ...asSystem(tenantId, 'load'), permissions: new Set(Permission.options) };
    const seeded = await inTenant(services, caller, (ctx) => seedTenant(ctx, { ...options, n, passwordHash }));
    const embeddings = JSON.parse(settings['EMBEDDINGS'] ?? 'null') as Config['EMBEDDINGS'];
    if (embeddings?.provider === 'local')
      await embedSource(
        (work) => inTenant(services, caller, ({ tx }) => work(tx)),
        seeded.sourceId,
        openLocalEmbedder(embeddings),
      );
    tenants.push({ tenantId, ...seeded, customer: { email: seeded.email, password } });
  }
  return tenants;
}

async function seedTenant(
  ctx: Context,
  { n, siteUrl, receiverUrl, emailPrefix = 'load', passwordHash }: SeedOptions & { n: number; passwordHash: string },
) {
  const { workspace, environments } = await createTenant(ctx, { name: `Load ${n}`, plan: 'enterprise' });
  const environmentId = environments.find(({ name }) => name === 'live')?.id;
  if (!environmentId) throw new Error('the new tenant has no live environment');
  const webhookSecret = receiverUrl === undefined ? undefined : await seedEndpoint(ctx, receiverUrl);
  const draft = { title: 'Help', greeting: 'Hello!' };
  const scope = { workspaceId: workspace.id, environmentId, allowedOrigins: [siteUrl], chunks: demoChunks, draft };
  const { botId, publicKey } = await seedBot(ctx, scope);
  const source = await ctx.tx.selectFrom('knowledgeSources').select('id').executeTakeFirstOrThrow();
  const email = `${emailPrefix}-${n}@parley.example`;
  const userId = newId('user');
  await enterPool(ctx.tx, 'customer', (tx) =>
    insertAccount(tx, { userId, email, name: 'Lola Load', locale: 'en', passwordHash }),
  );
  await addMember(ctx, userId, ['owner'], () => {});
  const key = await createApiKey(ctx, {
    workspaceId: null,
    environmentId: null,
    expiresAt: null,
    name: 'Load',
    keyType: 'secret_server',
    boundBotId: null,
    permissions: ['conversation.view', 'webhook.view'],
  });
  return {
    botId,
    publicKey,
    webhookSecret,
    sourceId: source.id,
    email,
    serverKey: key.secret,
    serverKeyId: key.apiKey.id,
  };
}

async function seedEndpoint(ctx: Context, receiverUrl: string): Promise<string> {
  const { secret } = await createWebhook(
    ctx,
    {
      url: `${receiverUrl}/events`,
      eventTypes: ['*'],
      description: 'Load',
      environmentId: null,
      botIds: [],
      headers: {},
      rateLimit: 1_000,
      ordering: 'none',
      autoRecover: true,
    },
    () => {},
  );
  return secret;
}
