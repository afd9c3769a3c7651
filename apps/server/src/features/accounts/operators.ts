import { randomBytes } from 'node:crypto';
import type { Services } from '../../platform/context.ts';
import { newId } from '../../platform/ids.ts';
import { inPool, recordPoolAudit } from '../../platform/pool.ts';
import { insertAccount } from './accounts.store.ts';
import { useStep } from './two-factor/two-factor.store.ts';
import { hashPassword } from './password/passwords.ts';
import { beginTotp, newRecoveryCodes } from './two-factor/totp.ts';

/**
 * The first operator, made from a shell by whoever may read the master key: there is no account before this one. The
 * second factor comes with it, since an operator without one could not sign in.
 */
export async function createOperator(
  services: Services,
  who: { email: string; name: string; roles: string[]; password?: string },
) {
  const password = who.password ?? randomBytes(18).toString('base64url');
  const passwordHash = await hashPassword('admin', password);
  const userId = newId('user');
  return inPool(services.db, 'admin', async (tx) => {
    const { email, name, roles: platformRoles } = who;
    await insertAccount(tx, { userId, email, name, locale: 'en', passwordHash, platformRoles });
    const { secret, uri } = await beginTotp(tx, services.keyring, 'admin', userId, email);
    await useStep(tx, userId, 1); // confirmed by being handed over
    const recoveryCodes = await newRecoveryCodes(tx, userId);
    const actor = { type: 'system' as const, id: 'operator-shell' };
    await recordPoolAudit(tx, { action: 'operator.created', userId, actor, data: { roles: platformRoles } });
    return { userId, email, password, totpSecret: secret, totpUri: uri, recoveryCodes };
  });
}
