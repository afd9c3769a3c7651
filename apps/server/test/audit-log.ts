import { sql } from 'kysely';
import { expect } from 'vitest';
import { entriesAfter } from '../src/features/audit/audit-chain.store.ts';
import { readAuditKeys } from '../src/features/audit/audit-keys.store.ts';
import { signAuditHeads } from '../src/features/audit/audit-signing.ts';
import { verifyTenant } from '../src/features/audit/audit-verification.ts';
import { hashOf } from '../src/features/audit/chain.ts';
import type { Id } from '../src/platform/ids.contract.ts';
import { newId } from '../src/platform/ids.ts';
import { admin, aTenant, services, type TestTenant } from './harness.ts';

/** Errors that the worker logged. */
export const errors: object[] = [];
const log = { info: () => {}, error: (fields: object) => void errors.push(fields) };
export const sign = () => signAuditHeads(services, log);
export const verify = async (tenantId: Id<'tenant'>, options: { now?: Date; batch?: number } = {}) =>
  verifyTenant(services, await readAuditKeys(services), tenantId, options);
export const ids = async (tenantId: string) =>
  (
    await admin.selectFrom('auditEntries').select('id').where('tenantId', '=', tenantId).orderBy('sequence').execute()
  ).map(({ id }) => id);
export const headsOf = (tenantId: string) =>
  admin.selectFrom('auditHeads').selectAll().where('tenantId', '=', tenantId).orderBy('sequence').execute();
/** Simulates that a day has passed since the last head of every tenant. */
export const dayLater = () => sql`update directory.audit_chains set head_due_at = now()`.execute(admin);

export const rename = (tenant: TestTenant, name: string) =>
  tenant.patch(`/workspaces/${tenant.workspaceId}`, { name }).then(({ statusCode }) => expect(statusCode).toBe(200));

/** A tenant with at least ten entries, all covered by a signed head. */
export async function aSignedLog() {
  const tenant = await aTenant();
  for (let n = 0; n < 10; n++) await rename(tenant, `Name ${n}`);
  await sign();
  const all = await ids(tenant.tenantId);
  expect(await verify(tenant.tenantId)).toMatchObject({
    count: all.length,
    problem: undefined,
    lastHead: { sequence: all.length, entryId: all.at(-1) },
  });
  return { ...tenant, all };
}

/** Recomputes the chain from an entry on, like an attacker with write access to the database but without a key. */
export async function rewriteFrom(tenantId: string, sequence: number) {
  const rows = await admin.transaction().execute((tx) => entriesAfter(tx, undefined, 10_000));
  let last = rows.find((row) => row.tenantId === tenantId && row.sequence === sequence - 1);
  for (const row of rows.filter((one) => one.tenantId === tenantId && one.sequence >= sequence)) {
    const entry = { ...row, previousHash: last?.hash ?? Buffer.alloc(0) };
    last = { ...entry, hash: hashOf(entry) };
    await sql`update audit_entries set previous_hash = ${last.previousHash}, hash = ${last.hash}
      where tenant_id = ${tenantId} and id = ${row.id}`.execute(admin);
  }
  await sql`update directory.audit_chains set last_hash = ${last?.hash} where tenant_id = ${tenantId}`.execute(admin);
}

export type Log = Awaited<ReturnType<typeof aSignedLog>>;
export const at = ({ all }: Log, index: number) => all.at(index) ?? '';
export const change = (id: string, to: ReturnType<typeof sql>) =>
  sql`update audit_entries set ${to} where id = ${id}`.execute(admin);
export const removeEntry = (id: string) => sql`delete from audit_entries where id = ${id}`.execute(admin);

/** Inserts an entry into the chain with its own hash, bypassing the trigger. Returns its id. */
export async function forge({ tenantId, all }: Log, sequence: number): Promise<string> {
  const id = newId('auditEntry');
  const rows = await admin.transaction().execute((tx) => entriesAfter(tx, undefined, 10_000));
  const before = rows.find((row) => row.id === all[sequence - 2]);
  const model = rows.find((row) => row.id === all[0]);
  if (!model) throw new Error('a log without entries');
  const previousHash = before?.hash ?? Buffer.alloc(0);
  const forged = { ...model, id, sequence, previousId: before?.id ?? null, previousHash };
  await admin.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql`insert into audit_entries select tenant_id, ${id}, event_id, action, subject_id, actor_type, actor_id, request_id,
      data, created_at, ${sequence}, ${forged.previousId}, ${previousHash}, ${hashOf(forged)}
      from audit_entries where tenant_id = ${tenantId} and id = ${model.id}`.execute(tx);
  });
  return id;
}
