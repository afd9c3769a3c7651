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

// A rotation goes over all tenants three times: it counts, encrypts anew, and removes what encrypts nothing any more. Each step is
// a second or two of work, begins at what the row says, and may be done again from there.

const stepMs = 2_000;
const pools = ['customer', 'admin'] as const;
/** So many rows are held at a time, for milliseconds. */
const rowsAtOnce = 100;

type Went = 'on' | 'wait' | 'over';

/** One step. `wait`: look again in a moment. */
export async function stepRotation(services: Services, id: string): Promise<Went> {
  const row = await store.find(services.db, id);
  if (!row || row.finishedAt) return 'over';
  const encrypter = services.keyring.current.id;
  if (encrypter !== row.masterKeyId) {
    const problem = `A worker encrypts with '${encrypter}' instead of '${row.masterKeyId}'. Start every worker with '${row.masterKeyId}' first in MASTER_KEYS, or cancel this rotation and start again.`;
    await store.standStill(services.db, id, problem);
    return 'wait';
  }
  if (row.status === 'counting') return eachTenant(services, row, countTenant, () => beginEncrypting(services, row));
  if (row.status === 'encrypting') {
    if (row.cursor === '' && (await rewrapPlatform(services, row)) > 0) return 'on';
    return eachTenant(services, row, encryptTenant, () => store.enter(services.db, id, 'waiting'));
  }
  if (row.status === 'waiting') {
    if (row.encryptedAt && (await store.isReadBefore(services.db, row.encryptedAt))) {
      await store.advance(services.db, id, {});
      return 'wait';
    }
    await store.enter(services.db, id, 'removing');
    return 'on';
  }
  return eachTenant(services, row, removeOld, () => store.enter(services.db, id, 'finished'));
}

/** Says whether to go on with the next tenant: not when the rotation was cancelled, or the time of the step is over. */
type Work = (services: Services, row: Row, tenantId: Id<'tenant'>, until: number) => Promise<boolean>;

/** Goes on after the cursor, for the time of a step. */
async function eachTenant(services: Services, row: Row, work: Work, then: () => Promise<unknown>): Promise<Went> {
  const until = Date.now() + stepMs;
  const { startedAt, masterKeyId } = row;
  const wanted = { after: row.cursor, startedAt, masterKeyId, max: 200 };
  const tenants = await tenantsWithOldKeys(services.db, wanted);
  for (const tenantId of tenants) if (!(await work(services, row, tenantId, until)) || Date.now() > until) return 'on';
  if (tenants.length < wanted.max) await then();
  return 'on';
}

const within = <T>(services: Services, tenantId: Id<'tenant'>, work: (ctx: Context) => Promise<T>) =>
  inTenant(services, asSystem(tenantId, 'key-rotation'), work);

/** One after the other: they share a transaction. */
async function sumOver(count: (column: EncryptedColumn) => Promise<number>): Promise<number> {
  let all = 0;
  for (const column of encryptedColumns) all += await count(column);
  return all;
}

const countTenant: Work = (services, { id }, tenantId) =>
  within(services, tenantId, async ({ tx }) => {
    const secretsTotal = await sumOver((column) => countEncrypted(tx, column));
    return store.advance(tx, id, { tenantsTotal: 1, secretsTotal, cursor: tenantId });
  });

async function beginEncrypting(services: Services, { id }: Row) {
  await store.advance(services.db, id, { secretsTotal: await countStalePlatform(services) });
  await store.enter(services.db, id, 'encrypting');
}

async function countStalePlatform(services: Services): Promise<number> {
  const former = formerKeys(services.keyring);
  const signing = [...(await listAssertionKeys(services)), ...(await listAuditKeys(services))];
  let stale = signing.filter(({ masterKeyId }) => former.includes(masterKeyId)).length;
  for (const pool of pools) for (const { n } of await countEncryptedInPool(services, pool, former)) stale += n;
  return stale;
}

/** Signing keys, second factors, what vouches for people, and what signs audit logs. Says how many: 0 when there are no more. */
async function rewrapPlatform(services: Services, { id }: Row): Promise<number> {
  let done = (await rewrapAssertionKeys(services)) + (await rewrapAuditKeys(services));
  for (const pool of pools) done += await rewrapPool(services, pool);
  await store.advance(services.db, id, { secretsDone: done });
  return done;
}

/** A new data key first, with which everybody encrypts from then on; then what there is. */
const encryptTenant: Work = async (services, row, tenantId, until) => {
  await within(services, tenantId, (ctx) => rotateDataKey(ctx, row.startedAt));
  const { isDone, failures } = await reencryptTenant(services, row, tenantId, until);
  return isDone && store.advance(services.db, row.id, { tenantsDone: 1, failures, cursor: tenantId });
};

/**
 * Some rows at a time, until all that opens is encrypted by the newest data key. Rows that others held are met in the next
 * round. A tenant with more than fits into a step is gone on with in the next.
 */
async function reencryptTenant(services: Services, row: Row, tenantId: Id<'tenant'>, until: number) {
  for (let encrypted = 0; ;) {
    const round = await reencryptRound(services, row, tenantId, until);
    encrypted += round.encrypted;
    if (!round.isWhole) return { isDone: false, failures: 0, encrypted };
    const left = await within(services, tenantId, countLeft);
    if (left <= round.failed) return { isDone: true, failures: left, encrypted };
    await sleep(100);
  }
}

async function reencryptRound(services: Services, { id }: Row, tenantId: Id<'tenant'>, until: number) {
  let [encrypted, failed] = [0, 0];
  for (const column of encryptedColumns) {
    for (let after: RowKey | undefined, isLast = false; !isLast;) {
      const some = await within(services, tenantId, async (ctx) => {
        const did = await reencryptSome(ctx, column, { after, max: rowsAtOnce });
        return { ...did, isRunning: await store.advance(ctx.tx, id, { secretsDone: did.encrypted }) };
      });
      encrypted += some.encrypted;
      failed += some.failed;
      if (!some.isRunning || Date.now() > until) return { isWhole: false, encrypted, failed };
      after = some.after;
      isLast = after === undefined;
    }
  }
  return { isWhole: true, encrypted, failed };
}

async function countLeft(ctx: Context): Promise<number> {
  const newest = await newestVersion(ctx);
  return sumOver((column) => countStale(ctx.tx, column, newest));
}

/**
 * Somebody who had begun before the new data key was there may have encrypted with the old one until now. That is re-encrypted
 * as well, and then everybody who may have read it is waited for again.
 */
const removeOld: Work = async (services, row, tenantId, until) => {
  const { hasRemaining } = await within(services, tenantId, (ctx) =>
    removeDataKeys(ctx, async (version) => (await sumOver((column) => countEncryptedBy(ctx.tx, column, version))) > 0),
  );
  if (hasRemaining) {
    const { isDone, encrypted } = await reencryptTenant(services, row, tenantId, until);
    if (encrypted > 0) await store.enter(services.db, row.id, 'waiting');
    if (encrypted > 0 || !isDone) return false;
  }
  return store.advance(services.db, row.id, { cursor: tenantId });
};
