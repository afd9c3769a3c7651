import { randomBytes } from 'node:crypto';
import type { Services } from '../../platform/context.ts';
import { newId } from '../../platform/ids.ts';
import { inPool, recordPoolAudit } from '../../platform/pool.ts';
import { insertAccount } from './accounts.store.ts';
import { consumeTotpStep } from './two-factor/two-factor.store.ts';
import { hashPassword } from './password/passwords.ts';
import { createTotp, newRecoveryCodes } from './two-factor/totp.ts';

/**
 * Creates the first operator from a shell with access to the master key. It gets a TOTP secret as well, because operators
 * can't sign in without two-factor authentication.
 */
export async function createOperator(
  services: Services,
  input: { email: string; name: string; roles: string[]; password?: string },
) {
  const password = input.password ?? randomBytes(18).toString('base64url');
  const passwordHash = await hashPassword('admin', password);
  const userId = newId('user');
  return inPool(services.db, 'admin', async (tx) => {
    const { email, name, roles: platformRoles } = input;
    await insertAccount(tx, { userId, email, name, locale: 'en', passwordHash, platformRoles });
    const { secret, uri } = await createTotp(tx, services.keyring, 'admin', userId, email);
    await consumeTotpStep(tx, userId, 1); // marks the secret as confirmed
    const recoveryCodes = await newRecoveryCodes(tx, userId);
    const actor = { type: 'system' as const, id: 'operator-shell' };
    await recordPoolAudit(tx, { action: 'operator.created', userId, actor, data: { roles: platformRoles } });
    return { userId, email, password, totpSecret: secret, totpUri: uri, recoveryCodes };
  });
}
