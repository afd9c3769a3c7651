import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  aSignedLog,
  at,
  change,
  dayLater,
  errors,
  headsOf,
  ids,
  removeEntry,
  rename,
  sign,
  verify,
} from '../../../test/audit-log.ts';
import { age, erase, remove, restore } from '../../../test/deleted-tenant.ts';
import { admin, aTenant, services, inside } from '../../../test/harness.ts';
import { openKeyring } from '../../platform/crypto.ts';
import { maintainPartitions } from '../../platform/partitions.ts';
import { readAuditKeys, rewrapAuditKeys, ensureAuditKeys } from './audit-keys.store.ts';
import { verifyAuditLogs } from './audit-report.ts';
import { verifyTenant } from './audit-verification.ts';
import { retentionDays } from './chain.ts';

test('signs a head once a day, only for tenants with new entries', async () => {
  const [busy, idle] = [await aSignedLog(), await aSignedLog()];
  const count = async () => [(await headsOf(busy.tenantId)).length, (await headsOf(idle.tenantId)).length];
  await rename(busy, 'Renamed');
  await sign();
  expect(await count()).toEqual([1, 1]); // the day is not over
  await dayLater();
  const { rows } = await sql<{ id: string }>`select directory.audit_heads_due(1000) as id`.execute(services.db);
  expect(rows.map(({ id }) => id)).not.toContain(idle.tenantId);
  await Promise.all([sign(), sign()]);
  expect(await count()).toEqual([2, 1]);
  expect(await verify(busy.tenantId)).toMatchObject({
    problem: undefined,
    lastHead: { sequence: busy.all.length + 1 },
  });
});

test('does not sign a log that was tampered with since the last head', async () => {
  const { tenantId, ...tenant } = await aSignedLog();
  await rename({ tenantId, ...tenant }, 'Two');
  await rename({ tenantId, ...tenant }, 'Three');
  const added = (await ids(tenantId)).at(-2) ?? '';
  await change(added, sql`actor_id = 'usr_other'`);
  await dayLater();
  await sign();
  expect(await headsOf(tenantId)).toHaveLength(1);
  expect(errors).toContainEqual(expect.objectContaining({ tenantId, entryId: added }));
});

test('verifies heads of an older key after a rotation', async () => {
  const log = await aSignedLog();
  await ensureAuditKeys(services, { rotate: true });
  await rename(log, 'Newer');
  await dayLater();
  await sign();
  expect(await headsOf(log.tenantId)).toHaveLength(2);
  expect(await verify(log.tenantId)).toMatchObject({ count: log.all.length + 1, problem: undefined });
});

test('verifies heads after the master key was changed and the old one removed', async () => {
  const { tenantId, all } = await aSignedLog();
  const { current } = services.keyring;
  const [older, newer] = [
    `${current.id}:${current.key.toString('base64')}`,
    `next:${randomBytes(32).toString('base64')}`,
  ];
  const after = { ...services, keyring: openKeyring(newer) };
  await expect(readAuditKeys(after)).rejects.toThrow('is not configured');
  const rewrapped = await rewrapAuditKeys({ ...services, keyring: openKeyring(`${newer},${older}`) });
  expect(rewrapped).toBe((await readAuditKeys(after)).length);
  expect(await verifyTenant(after, await readAuditKeys(after), tenantId)).toMatchObject({
    count: all.length,
    problem: undefined,
    lastHead: { sequence: all.length },
  });
  await rewrapAuditKeys({ ...services, keyring: openKeyring(`${older},${newer}`) });
});

test('does not report entries dropped by retention as missing', async () => {
  const tenant = await aTenant();
  const { tenantId } = tenant;
  // Simulates an old tenant whose chain starts in a month that is dropped next.
  await sql`delete from audit_entries where tenant_id = ${tenantId}`.execute(admin);
  await sql`delete from directory.audit_chains where tenant_id = ${tenantId}`.execute(admin);
  await sql`create table audit_entries_p20200101 partition of audit_entries
    for values from ('aud_0') to (directory.first_id('aud', '2020-02-01Z'))`.execute(admin);
  await sql`alter table audit_entries_p20200101 owner to parley_owner`.execute(admin);
  await sql`insert into audit_entries (tenant_id, id, event_id, action, subject_id, actor_type, actor_id, data, created_at)
    select ${tenantId}, directory.first_id('aud', '2020-01-05Z') || lpad(n::text, 16, '0'), 'e', 'a', 's', 'user', 'u', '{}',
      '2020-01-05Z' from generate_series(1, 5) as n`.execute(admin);
  for (let n = 0; n < 3; n++) await rename(tenant, `Name ${n}`);
  await sign();
  expect(await verify(tenantId)).toMatchObject({ count: 8, problem: undefined });
  expect((await verify(tenantId)).warnings[0]).toContain('entries 1 to 8 were signed');

  await maintainPartitions(services.db);
  expect(await ids(tenantId)).toHaveLength(3);
  expect(await verify(tenantId)).toMatchObject({ count: 3, problem: undefined });
  const [first, second] = await ids(tenantId);
  await removeEntry(first ?? '');
  expect((await verify(tenantId)).problem).toMatchObject({
    entryId: second,
    reason: expect.stringContaining('1 to 6'),
  });
});

test('has the same retention as the database', async () => {
  const { rows } = await sql`select keep::text, every::text from directory.partitioned_tables
    where name = 'audit_entries'`.execute(admin);
  expect(rows).toEqual([{ keep: `${retentionDays} days`, every: '1 mon' }]);
});

test('verifies a restored tenant, skips one that is being erased, and does not find an erased one', async () => {
  const [restored, erased] = [await aSignedLog(), await aSignedLog()];
  for (const tenant of [restored, erased]) expect((await remove(tenant)).statusCode).toBe(200);
  await dayLater();
  await sign();
  expect(await headsOf(restored.tenantId)).toHaveLength(1); // nothing is written for a deleted tenant
  expect((await restore(restored.tenantId)).statusCode).toBe(200);
  expect((await verify(restored.tenantId)).problem).toBeUndefined();
  await dayLater();
  await sign();
  expect(await headsOf(restored.tenantId)).toHaveLength(2);
  await age(erased.tenantId, '721 hours');
  await removeEntry(at(erased, 3));
  const printed: string[] = [];
  await verifyAuditLogs(services, { tenantId: erased.tenantId, print: (line) => void printed.push(line) });
  expect(printed[0]).toContain('skipped, being erased');
  expect(await erase(erased.tenantId)).toBe(true);
  await expect(verifyAuditLogs(services, { tenantId: erased.tenantId, print: () => {} })).rejects.toThrow('not found');
});

test('the server cannot write a head, or change or delete an entry', async () => {
  const { tenantId } = await aSignedLog();
  for (const statement of [
    sql`insert into audit_heads (sequence, jws) values (1, 'x')`,
    sql`delete from audit_heads`,
    sql`update audit_entries set actor_id = 'x'`,
    sql`delete from audit_entries`,
    sql`update directory.audit_chains set last_sequence = 0`,
  ])
    await expect(inside(tenantId, ({ tx }) => statement.execute(tx))).rejects.toThrow('permission denied');
});
