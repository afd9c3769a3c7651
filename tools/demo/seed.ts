import { randomBytes } from 'node:crypto';
import { findByEmail, insertAccount, setPassword } from '../../apps/server/src/features/accounts/accounts.store.ts';
import { createOperator } from '../../apps/server/src/features/accounts/operators.ts';
import { hashPassword } from '../../apps/server/src/features/accounts/passwords.ts';
import { createApiKey } from '../../apps/server/src/features/api-keys/api-keys.service.ts';
import { addMember } from '../../apps/server/src/features/members/index.ts';
import { createTenant } from '../../apps/server/src/features/tenants/tenants.service.ts';
import { Permission } from '../../apps/server/src/platform/access.contract.ts';
import { inTenant, type Caller, type Context, type Ground } from '../../apps/server/src/platform/context.ts';
import { openKeyring } from '../../apps/server/src/platform/crypto.ts';
import { connect } from '../../apps/server/src/platform/db.ts';
import { newId } from '../../apps/server/src/platform/ids.ts';
import { enterPool } from '../../apps/server/src/platform/pool.ts';

const newPassword = () => randomBytes(15).toString('base64url');

/**
 * A tenant to try things with, and people to sign in as. A new tenant at each start: a server key's secret is shown once,
 * here too. The customer stays the same person and gets a new password.
 */
export async function seedDemo(settings: Record<string, string>) {
  await using db = connect(settings['DATABASE_URL'] ?? '', { max: 1 });
  const ground: Ground = {
    db,
    keyring: openKeyring(settings['MASTER_KEYS'] ?? ''),
    wakeRelay: () => {},
    tell: () => {},
  };
  const tenantId = newId('tenant');
  const demo: Caller = { tenantId, actor: { type: 'system', id: 'demo' }, permissions: new Set(Permission.options) };
  const password = newPassword();
  const passwordHash = await hashPassword('customer', password);
  const tenant = await inTenant(ground, demo, async (ctx) => {
    const made = await seedTenant(ctx);
    const customer = await seedCustomer(ctx, passwordHash);
    return { ...made, customer: { ...customer, password } };
  });
  const operator = await createOperator(ground, {
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
    const made = newId('user');
    await insertAccount(tx, { userId: made, email, name: 'Ada Demo', locale: 'en', passwordHash });
    return made;
  });
  await addMember(ctx, userId, ['owner'], () => {});
  return { email };
}

async function seedTenant(ctx: Context) {
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
    tenantId: ctx.tenantId,
    workspaceId: workspace.id,
    environmentId,
    botId,
    publicKey: widget.secret,
    serverKey: server.secret,
    serverKeyId: server.apiKey.id,
  };
}
