import { insertAccount } from '../apps/server/src/features/accounts/accounts.store.ts';
import { hashPassword } from '../apps/server/src/features/accounts/password/passwords.ts';
import { addMember } from '../apps/server/src/features/members/index.ts';
import { asSystem, inTenant, type Services } from '../apps/server/src/platform/context.ts';
import { openKeyring } from '../apps/server/src/platform/crypto.ts';
import { connect } from '../apps/server/src/platform/db.ts';
import type { Id } from '../apps/server/src/platform/ids.contract.ts';
import { newId } from '../apps/server/src/platform/ids.ts';
import { enterPool } from '../apps/server/src/platform/pool.ts';
import { anIp, call } from './chat-client.ts';

export interface Agent {
  userId: string;
  email: string;
  password: string;
  headers: Record<string, string>;
}

/** Members with the role `agent`, each with their own session. */
export async function signInAgents(settings: Record<string, string>, tenantId: Id<'tenant'>, count: number) {
  await using db = connect(settings['DATABASE_URL'] ?? '', { max: 1 });
  const keyring = openKeyring(settings['MASTER_KEYS'] ?? '');
  const services: Services = { db, keyring, wakeRelay: () => {}, notify: () => {} };
  const password = newId('request');
  const passwordHash = await hashPassword('customer', password);
  const agents: Agent[] = [];
  for (let n = 0; n < count; n++) {
    const userId = newId('user');
    const email = `${userId}@bench.example`;
    await inTenant(services, asSystem(tenantId, 'bench'), async (ctx) => {
      await enterPool(ctx.tx, 'customer', (tx) =>
        insertAccount(tx, { userId, email, name: `Agent ${n + 1}`, locale: 'en', passwordHash }),
      );
      await addMember(ctx, userId, ['agent'], () => {});
    });
    const headers = { 'x-forwarded-for': anIp() };
    const body = { email, password };
    const response = await call('POST', `${settings['PUBLIC_URL']}/auth/login`, { headers, body });
    const { accessToken } = JSON.parse(response) as { accessToken: string };
    agents.push({ userId, email, password, headers: { authorization: `Bearer ${accessToken}` } });
  }
  return agents;
}
