import type { Services } from '../../platform/context.ts';
import { asSystem, inTenant } from '../../platform/context.ts';
import type { Id } from '../../platform/ids.contract.ts';
import * as store from './audit-chain.store.ts';
import { signHead } from './audit-heads.ts';
import { ensureAuditKeys } from './audit-keys.store.ts';
import { verifyTenant } from './audit-verification.ts';

interface Log {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
const batchSize = 500;

/** Signs the newest entry of each tenant whose last head is a day old and that has new entries. */
export async function signAuditHeads(services: Services, log: Log): Promise<void> {
  for (;;) {
    const tenants = await store.tenantsDueForHead(services.db, batchSize);
    for (const tenantId of tenants) await signHeadOf(services, tenantId, log);
    if (tenants.length < batchSize) return; // claimed tenants are not due again for minutes
  }
}

async function signHeadOf(services: Services, tenantId: Id<'tenant'>, log: Log): Promise<void> {
  const caller = asSystem(tenantId, 'audit-heads');
  // A separate transaction, because requests of the tenant need the row that it locks.
  if (!(await inTenant(services, caller, ({ tx }) => store.claimHead(tx)))) return;
  const keys = await ensureAuditKeys(services);
  const [signer] = keys;
  if (!signer) throw new Error('no key to sign audit heads with');
  // A log that fails verification is not signed: a signature would hide the problem.
  const { lastEntry, problem } = await verifyTenant(services, keys, tenantId, { sinceHead: true });
  if (problem) {
    log.error({ tenantId, ...problem }, 'audit log failed verification; head not signed');
    return;
  }
  if (!lastEntry) return;
  const { sequence, id: entryId } = lastEntry;
  const hash = lastEntry.hash.toString('hex');
  const jws = await signHead(signer, { tenantId, sequence, entryId, hash, signedAt: new Date() });
  await inTenant(services, caller, ({ tx }) => store.saveHead(tx, sequence, jws));
  // Logged so that a copy exists outside of this database.
  log.info({ tenantId, sequence, entryId, hash }, 'audit head signed');
}
