import type { Services } from '../../platform/context.ts';
import { asSystem, inTenant } from '../../platform/context.ts';
import type { Id } from '../../platform/ids.contract.ts';
import * as store from './audit-chain.store.ts';
import { signHead } from './audit-heads.ts';
import { tendAuditKeys } from './audit-keys.store.ts';
import { verifyTenant } from './audit-verification.ts';

interface Log {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
const page = 500;

/** Signs the newest entry of each tenant that has written some since its last head, which is a day old. */
export async function signAuditHeads(services: Services, log: Log): Promise<void> {
  for (;;) {
    const tenants = await store.dueTenants(services.db, page);
    for (const tenantId of tenants) await signOne(services, tenantId, log);
    if (tenants.length < page) return; // those that were met are not due again for minutes
  }
}

async function signOne(services: Services, tenantId: Id<'tenant'>, log: Log): Promise<void> {
  const within = asSystem(tenantId, 'audit-heads');
  // A transaction of its own: the row that it locks is one that the tenant's requests want.
  if (!(await inTenant(services, within, ({ tx }) => store.claimHead(tx)))) return;
  const keys = await tendAuditKeys(services);
  const [signer] = keys;
  if (!signer) throw new Error('no key to sign audit heads with');
  // What does not follow from the last head is not signed: a signature would hide it.
  const { lastEntry, problem } = await verifyTenant(services, keys, tenantId, { sinceHead: true });
  if (problem) {
    log.error({ tenantId, ...problem }, 'audit log failed verification; head not signed');
    return;
  }
  if (!lastEntry) return;
  const { sequence, id: entryId } = lastEntry;
  const hash = lastEntry.hash.toString('hex');
  const jws = await signHead(signer, { tenantId, sequence, entryId, hash, signedAt: new Date() });
  await inTenant(services, within, ({ tx }) => store.keepHead(tx, sequence, jws));
  // A log that is shipped elsewhere keeps what nobody can take back in this database.
  log.info({ tenantId, sequence, entryId, hash }, 'audit head signed');
}
