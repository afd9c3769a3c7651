import { setTimeout as sleep } from 'node:timers/promises';
import { asSystem, inTenant, type Context, type Services } from '../../platform/context.ts';
import { formerKeys, newestVersion, removeDataKeys, rotateDataKey } from '../../platform/crypto.ts';
import type { Id } from '../../platform/ids.contract.ts';
import {
  countEncrypted,
  countEncryptedBy,
  countStale,
  reencryptSome,
  type RowKey,
  type EncryptedColumn,
} from '../../platform/encrypted-columns.ts';
import { countEncryptedInPool, rewrapPool } from '../accounts/index.ts';
import { listAssertionKeys, rewrapAssertionKeys } from '../actions/index.ts';
import { listAuditKeys, rewrapAuditKeys } from '../audit/index.ts';
import { tenantsWithOldKeys } from './key-rotation.cross-tenant.ts';
import * as store from './key-rotation.store.ts';
import type { Row } from './key-rotation.store.ts';
import { encryptedColumns } from './encrypted-columns.ts';

// A rotation goes through all tenants three times: it counts secrets, re-encrypts them, and removes old keys. Each step takes a
// second or two, continues from the stored cursor, and can be repeated.

const stepMs = 2_000;
const pools = ['customer', 'admin'] as const;
/** Rows locked at a time, for milliseconds. */
const batchSize = 100;

type StepResult = 'on' | 'wait' | 'over';

/** Runs one step. `wait`: try again in a moment. */
export async function stepRotation(services: Services, id: string): Promise<StepResult> {
  const row = await store.find(services.db, id);
  if (!row || row.finishedAt) return 'over';
  const currentKeyId = services.keyring.current.id;
  if (currentKeyId !== row.masterKeyId) {
    const problem = `A worker encrypts with '${currentKeyId}' instead of '${row.masterKeyId}'. Start every worker with '${row.masterKeyId}' first in MASTER_KEYS, or cancel this rotation and start again.`;
    await store.setProblem(services.db, id, problem);
    return 'wait';
  }
  if (row.status === 'counting') return eachTenant(services, row, countTenant, () => startEncrypting(services, row));
  if (row.status === 'encrypting') {
    if (row.cursor === '' && (await rewrapPlatform(services, row)) > 0) return 'on';
    return eachTenant(services, row, encryptTenant, () => store.setStatus(services.db, id, 'waiting'));
  }
  if (row.status === 'waiting') {
    if (row.encryptedAt && (await store.hasOpenTransactionBefore(services.db, row.encryptedAt))) {
      await store.addProgress(services.db, id, {});
      return 'wait';
    }
    await store.setStatus(services.db, id, 'removing');
    return 'on';
  }
  return eachTenant(services, row, removeOldKeys, () => store.setStatus(services.db, id, 'finished'));
}

/** Returns whether to continue with the next tenant: false if the rotation was cancelled or the step's time is up. */
type TenantStep = (services: Services, row: Row, tenantId: Id<'tenant'>, until: number) => Promise<boolean>;

/** Continues after the cursor until the step's time is up. */
async function eachTenant(
  services: Services,
  row: Row,
  work: TenantStep,
  onDone: () => Promise<unknown>,
): Promise<StepResult> {
  const until = Date.now() + stepMs;
  const { startedAt, masterKeyId } = row;
  const filter = { after: row.cursor, startedAt, masterKeyId, max: 200 };
  const tenants = await tenantsWithOldKeys(services.db, filter);
  for (const tenantId of tenants) if (!(await work(services, row, tenantId, until)) || Date.now() > until) return 'on';
  if (tenants.length < filter.max) await onDone();
  return 'on';
}

const within = <T>(services: Services, tenantId: Id<'tenant'>, work: (ctx: Context) => Promise<T>) =>
  inTenant(services, asSystem(tenantId, 'key-rotation'), work);

/** Sequential, because the counts share a transaction. */
async function sumOver(count: (column: EncryptedColumn) => Promise<number>): Promise<number> {
  let all = 0;
  for (const column of encryptedColumns) all += await count(column);
  return all;
}

const countTenant: TenantStep = (services, { id }, tenantId) =>
  within(services, tenantId, async ({ tx }) => {
    const secretsTotal = await sumOver((column) => countEncrypted(tx, column));
    return store.addProgress(tx, id, { tenantsTotal: 1, secretsTotal, cursor: tenantId });
  });

async function startEncrypting(services: Services, { id }: Row) {
  await store.addProgress(services.db, id, { secretsTotal: await countStalePlatform(services) });
  await store.setStatus(services.db, id, 'encrypting');
}

async function countStalePlatform(services: Services): Promise<number> {
  const former = formerKeys(services.keyring);
  const signing = [...(await listAssertionKeys(services)), ...(await listAuditKeys(services))];
  let stale = signing.filter(({ masterKeyId }) => former.includes(masterKeyId)).length;
  for (const pool of pools) for (const { n } of await countEncryptedInPool(services, pool, former)) stale += n;
  return stale;
}

/** Re-encrypts platform secrets: signing keys, two-factor secrets, assertion and audit keys. Returns how many; 0 when done. */
async function rewrapPlatform(services: Services, { id }: Row): Promise<number> {
  let done = (await rewrapAssertionKeys(services)) + (await rewrapAuditKeys(services));
  for (const pool of pools) done += await rewrapPool(services, pool);
  await store.addProgress(services.db, id, { secretsDone: done });
  return done;
}

/** Creates a new data key, which encrypts all new secrets, and re-encrypts existing ones. */
const encryptTenant: TenantStep = async (services, row, tenantId, until) => {
  await within(services, tenantId, (ctx) => rotateDataKey(ctx, row.startedAt));
  const { isDone, failures } = await reencryptTenant(services, row, tenantId, until);
  return isDone && store.addProgress(services.db, row.id, { tenantsDone: 1, failures, cursor: tenantId });
};

/**
 * Re-encrypts in batches until every secret that can be decrypted uses the newest data key. Locked rows are retried in the
 * next round. A tenant that doesn't fit into one step is continued in the next.
 */
async function reencryptTenant(services: Services, row: Row, tenantId: Id<'tenant'>, until: number) {
  for (let encrypted = 0; ;) {
    const round = await reencryptRound(services, row, tenantId, until);
    encrypted += round.encrypted;
    if (!round.isComplete) return { isDone: false, failures: 0, encrypted };
    const remaining = await within(services, tenantId, countStaleSecrets);
    if (remaining <= round.failed) return { isDone: true, failures: remaining, encrypted };
    await sleep(100);
  }
}

async function reencryptRound(services: Services, { id }: Row, tenantId: Id<'tenant'>, until: number) {
  let [encrypted, failed] = [0, 0];
  for (const column of encryptedColumns) {
    for (let after: RowKey | undefined, isLast = false; !isLast;) {
      const result = await within(services, tenantId, async (ctx) => {
        const batch = await reencryptSome(ctx, column, { after, max: batchSize });
        return { ...batch, isRunning: await store.addProgress(ctx.tx, id, { secretsDone: batch.encrypted }) };
      });
      encrypted += result.encrypted;
      failed += result.failed;
      if (!result.isRunning || Date.now() > until) return { isComplete: false, encrypted, failed };
      after = result.after;
      isLast = after === undefined;
    }
  }
  return { isComplete: true, encrypted, failed };
}

async function countStaleSecrets(ctx: Context): Promise<number> {
  const newest = await newestVersion(ctx);
  return sumOver((column) => countStale(ctx.tx, column, newest));
}

/**
 * A transaction that started before the new data key existed may have encrypted with the old one until now. Such secrets are
 * re-encrypted as well, and the rotation waits for their readers again.
 */
const removeOldKeys: TenantStep = async (services, row, tenantId, until) => {
  const { hasRemaining } = await within(services, tenantId, (ctx) =>
    removeDataKeys(ctx, async (version) => (await sumOver((column) => countEncryptedBy(ctx.tx, column, version))) > 0),
  );
  if (hasRemaining) {
    const { isDone, encrypted } = await reencryptTenant(services, row, tenantId, until);
    if (encrypted > 0) await store.setStatus(services.db, row.id, 'waiting');
    if (encrypted > 0 || !isDone) return false;
  }
  return store.addProgress(services.db, row.id, { cursor: tenantId });
};
