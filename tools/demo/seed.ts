import { createApiKey } from '../../apps/server/src/features/api-keys/api-keys.service.ts';
import { createTenant } from '../../apps/server/src/features/tenants/tenants.service.ts';
import { Permission } from '../../apps/server/src/platform/access.contract.ts';
import { inTenant, type Caller } from '../../apps/server/src/platform/context.ts';
import { openKeyring } from '../../apps/server/src/platform/crypto.ts';
import { connect } from '../../apps/server/src/platform/db.ts';
import { newId } from '../../apps/server/src/platform/ids.ts';

/** A tenant to try things with. A new one at each start: a server key's secret is shown once, here too. */
export async function seedDemoTenant(settings: Record<string, string>) {
  await using db = connect(settings['DATABASE_URL'] ?? '', { max: 1 });
  const ground = { db, keyring: openKeyring(settings['MASTER_KEYS'] ?? ''), wakeRelay: () => {} };
  const tenantId = newId('tenant');
  const demo: Caller = { tenantId, actor: { type: 'system', id: 'demo' }, permissions: new Set(Permission.options) };
  return await inTenant(ground, demo, async (ctx) => {
    const { workspace, environments } = await createTenant(ctx, { name: 'Demo', plan: 'team' });
    const environmentId = environments.find(({ name }) => name === 'live')?.id ?? null;
    const botId = newId('bot');
    await ctx.tx.insertInto('bots').values({ id: botId, workspaceId: workspace.id, name: 'Demo bot' }).execute();
    const common = { workspaceId: workspace.id, environmentId, expiresAt: null };
    const widget = await createApiKey(ctx, {
      ...common,
      name: 'Demo site',
      keyType: 'public_widget',
      boundBotId: botId,
      permissions: [],
    });
    const server = await createApiKey(ctx, {
      ...common,
      name: 'Demo backend',
      keyType: 'secret_server',
      boundBotId: null,
      permissions: ['tenant.view', 'tenant.manage', 'bot.view', 'conversation.view', 'webhook.view', 'webhook.manage'],
    });
    return {
      tenantId,
      workspaceId: workspace.id,
      environmentId,
      botId,
      publicKey: widget.secret,
      serverKey: server.secret,
      serverKeyId: server.apiKey.id,
    };
  });
}
