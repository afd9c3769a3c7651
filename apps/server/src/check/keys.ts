import { sql } from 'kysely';
import { readAuditKeys } from '../features/audit/audit-keys.store.ts';
import { readSigningKeys } from '../features/pools/signing-keys.store.ts';
import { asSystem, inTenant, type Services } from '../platform/context.ts';
import { newestVersion, openKeyring } from '../platform/crypto.ts';
import { dataKey } from '../platform/data-keys.ts';
import type { Id } from '../platform/ids.contract.ts';
import { openRemoteKeys } from '../platform/platform-keys.ts';
import { defineFindings, reasonOf, type CheckContext, type Finding } from './finding.ts';

const { types, report } = defineFindings({
  'keys.wrong': {
    level: 'error',
    cause:
      'Secrets in the database were encrypted with another master key: MASTER_KEYS lacks its id, or has other bytes for it. Only a few secrets of each kind are tested.',
    fix: 'Add the key that encrypted them to MASTER_KEYS, with its id, after the current one. Without it, these secrets are lost: docs/operators/keys.md.',
  },
  'keys.service': {
    level: 'error',
    cause: 'A key service in MASTER_KEYS cannot be used. The server does not start without it.',
    fix: 'Check that the key service is reachable, and that its credentials allow encrypting and decrypting with this key.',
  },
});
export const keyFindings = types;

/** Tenants whose data keys are tested: the first ones, which exist for longest. */
const sampleSize = 5;

/** Needs a migrated database. */
export async function checkKeys({ config, db, fetch }: CheckContext): Promise<Finding[]> {
  try {
    const remote = await openRemoteKeys(db, config, fetch, { isReadOnly: true });
    const services = { db, keyring: openKeyring(config.MASTER_KEYS, remote), wakeRelay: () => {}, notify: () => {} };
    return await decryptSamples(services);
  } catch (error) {
    return [report('keys.service', ['MASTER_KEYS'], (error as Error).message)];
  }
}

async function decryptSamples(services: Services): Promise<Finding[]> {
  const samples: [string, () => Promise<unknown>][] = [
    ['signing keys of customers', () => readSigningKeys(services, 'customer')],
    ['signing keys of platform admins', () => readSigningKeys(services, 'admin')],
    ['keys of audit logs', () => readAuditKeys(services)],
    ['data keys of tenants', () => readDataKeys(services)],
  ];
  const failed: string[] = [];
  let reason = '';
  for (const [name, read] of samples)
    await read().catch((error: unknown) => {
      failed.push(name);
      reason ||= reasonOf(error);
    });
  if (failed.length === 0) return [];
  return [report('keys.wrong', ['MASTER_KEYS'], `MASTER_KEYS cannot decrypt the ${failed.join(', ')}: ${reason}`)];
}

async function readDataKeys(services: Services): Promise<void> {
  const { rows } = await sql<{ id: Id<'tenant'> }>`select directory.tenants_after('', ${sampleSize}) as id`.execute(
    services.db,
  );
  for (const { id } of rows)
    await inTenant(services, asSystem(id, 'check'), async (ctx) => {
      const version = await newestVersion(ctx);
      if (version > 0) await dataKey(ctx, version);
    });
}
