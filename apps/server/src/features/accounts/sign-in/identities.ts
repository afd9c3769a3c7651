import type { RequestInfo, Session } from '../../../platform/context.ts';
import { conflict, forbidden, invalid, orNotFound } from '../../../platform/errors.ts';
import { queueEmail } from '../../../platform/emails.ts';
import { recordPoolAudit } from '../../../platform/pool.ts';
import type { Accounts } from '../accounts.ts';
import * as store from '../accounts.store.ts';

/**
 * Links an external identity to this account. The person must be signed in with two-factor authentication: an email
 * address claimed by the issuer would not be enough proof.
 */
export async function addIdentity(accounts: Accounts, session: Session, accessToken: string, requestInfo: RequestInfo) {
  const { services, pool, readExternalToken } = accounts;
  const { userId } = session;
  if (!session.isProtected)
    throw forbidden('two_factor_required', 'Set up two-factor authentication first, then link this identity.');
  const identity = await readExternalToken(accessToken).catch(() => undefined);
  if (!identity)
    throw invalid('invalid_identity_token', [
      { path: '/accessToken', message: 'Send a current access token from an issuer that this deployment trusts.' },
    ]);
  const { issuer, subject } = identity;
  const added = await store.addIdentity(services.db, issuer, subject, userId);
  if (added?.userId !== userId) throw conflict('identity_taken', 'This identity is linked to another account.');
  if (!added.isNew) return { identity: { issuer } };
  await pool.inPool(async (tx) => {
    const { email, locale } = orNotFound('account', await store.findById(tx, userId));
    const actor = { type: 'user' as const, id: userId };
    const { ip, requestId } = requestInfo;
    await recordPoolAudit(tx, { action: 'identity.added', userId, actor, ip, requestId, data: { issuer } });
    await queueEmail(tx, 'identity_added', email, { pool: pool.name, userId, locale });
  });
  accounts.wakeMailer();
  return { identity: { issuer } };
}
