import { exportJWK, generateKeyPair } from 'jose';
import { sql, type Kysely } from 'kysely';
import { expect, test } from 'vitest';
import {
  aSignedLog,
  at,
  change,
  dayLater,
  forge,
  headsOf,
  ids,
  removeEntry,
  rename,
  rewriteFrom,
  sign,
  verify,
  type Log,
} from '../../../test/audit-log.ts';
import { admin, aTenant, services, countLockWaits } from '../../../test/harness.ts';
import type { DB } from '../../platform/db-types.ts';
import { newId } from '../../platform/ids.ts';
import { verifyHead, signHead } from './audit-heads.ts';
import { readAuditKeys } from './audit-keys.store.ts';
import { verifyAuditLogs } from './audit-report.ts';

test('verifies a log that many concurrent requests wrote, in batches, without a gap', async () => {
  const [one, two] = [await aTenant({ plan: 'enterprise' }), await aTenant()];
  const requests = Array.from({ length: 60 }, (_, n) => rename(n % 3 === 0 ? two : one, `Name ${n}`));
  await Promise.all([...requests, sign(), sign()]);
  await dayLater();
  await sign();
  for (const { tenantId } of [one, two]) {
    const { rows } = await sql<{ n: number; last: number }>`select count(*)::int as n, max(sequence)::int as last
      from audit_entries where tenant_id = ${tenantId}`.execute(admin);
    expect(rows[0]?.last).toBe(rows[0]?.n);
    expect(rows[0]?.n).toBeGreaterThan(20);
    expect(await verify(tenantId, { batch: 7 })).toMatchObject({ count: rows[0]?.n, problem: undefined, warnings: [] });
  }
});

test('leaves no gap when two transactions write entries concurrently', async () => {
  const { tenantId } = await aTenant();
  const insert = (tx: Kysely<DB>) =>
    sql`insert into audit_entries (tenant_id, id, event_id, action, subject_id, actor_type, actor_id, data, created_at)
      values (${tenantId}, ${newId('auditEntry')}, 'e', 'a', 's', 'system', 'x', '{}', now())`.execute(tx);
  let second: Promise<unknown> | undefined;
  await admin.transaction().execute(async (tx) => {
    await insert(tx);
    second = insert(admin);
    await expect.poll(countLockWaits).toBe(1);
  });
  await second;
  expect(await verify(tenantId)).toMatchObject({ count: (await ids(tenantId)).length, problem: undefined });
});

test('hashes entries like the database does, for any data', async () => {
  const { tenantId } = await aTenant();
  const data = {
    umlaut: 'äöü €',
    'emoji 🦜': ['\u0001', '"\\', null, 1e21, 0.1, -0, true],
    nested: { b: 1, a: { c: [] } },
  };
  for (const value of [data, [], 'text', null]) {
    await admin
      .insertInto('auditEntries')
      .values({
        tenantId,
        id: newId('auditEntry'),
        eventId: 'evt:1,2',
        action: 'x',
        subjectId: '-',
        actorType: 'system',
        actorId: '',
        requestId: null,
        data: JSON.stringify(value),
        createdAt: new Date(),
      })
      .execute();
  }
  const all = await ids(tenantId);
  expect(await verify(tenantId)).toMatchObject({ count: all.length, problem: undefined });
});

test.each<[string, (log: Log) => Promise<unknown>, number | 'forged', string]>([
  ['one changed row', (log) => change(at(log, 4), sql`actor_id = 'usr_other'`), 4, 'does not match its hash'],
  ['changed data', (log) => change(at(log, 4), sql`data = '{}'`), 4, 'does not match its hash'],
  ['a changed time', (log) => change(at(log, 4), sql`created_at = created_at + interval '1 us'`), 4, 'does not match'],
  ['a deleted row in the middle', (log) => removeEntry(at(log, 4)), 5, 'entries 5 to 5 are missing before it'],
  ['a deleted first row', (log) => removeEntry(at(log, 0)), 1, 'entries 1 to 1 are missing before it'],
  [
    'two swapped rows',
    async (log) => {
      await change(at(log, 4), sql`sequence = 6`);
      await change(at(log, 5), sql`sequence = 5`);
    },
    5,
    'does not match its hash',
  ],
  [
    'two rows with swapped content and new hashes',
    async (log) => {
      await change(at(log, 4), sql`data = (select data from audit_entries where id = ${at(log, 5)})`);
      await rewriteFrom(log.tenantId, 5);
    },
    -1,
    'differs from the signed head',
  ],
  [
    'a chain rewritten without the key',
    async (log) => {
      await change(at(log, 2), sql`actor_id = 'usr_other'`);
      await rewriteFrom(log.tenantId, 3);
    },
    -1,
    'differs from the signed head',
  ],
  ['the last row deleted after a head', (log) => removeEntry(at(log, -1)), -1, 'it is missing: the log ends at'],
  [
    'the last row deleted after a head, and the end of the chain moved back',
    async (log) => {
      await removeEntry(at(log, -1));
      await sql`update directory.audit_chains set last_sequence = last_sequence - 1 where tenant_id = ${log.tenantId}`.execute(
        admin,
      );
    },
    -1,
    'it is missing: the log ends at',
  ],
  ['a row added before the first', (log) => forge(log, 0), 'forged', 'it is not part of the chain'],
  ['a row added after the last', (log) => forge(log, log.all.length + 1), 'forged', 'after the end of the chain'],
  ['a row added with an existing sequence', (log) => forge(log, 5), 'forged', 'has the same position in the chain'],
  [
    'all rows deleted',
    (log) => sql`delete from audit_entries where tenant_id = ${log.tenantId}`.execute(admin),
    -1,
    'is missing',
  ],
])('fails after %s and names the entry', async (_name, tamper, index, what) => {
  const log = await aSignedLog();
  const forged = await tamper(log);
  const bad = index === 'forged' ? forged : at(log, index);
  const { problem } = await verify(log.tenantId);
  expect(problem?.reason).toContain(what);
  expect(problem?.entryId).toBe(bad);
  const printed: string[] = [];
  const report = verifyAuditLogs(services, { tenantId: log.tenantId, print: (line) => void printed.push(line) });
  await expect(report).rejects.toThrow(`First bad entry: ${String(bad)} of ${log.tenantId}`);
  expect(printed.join()).toContain(`FAILED at entry`);
});

test('fails when a rewritten chain is signed with a key of another deployment', async () => {
  const log = await aSignedLog();
  await change(at(log, 2), sql`actor_id = 'usr_other'`);
  await rewriteFrom(log.tenantId, 3);
  const [own] = await readAuditKeys(services);
  const forged = {
    ...(await exportJWK((await generateKeyPair('ES256', { extractable: true })).privateKey)),
    kid: own?.kid ?? '',
  };
  const [row] = await headsOf(log.tenantId);
  const head = await verifyHead(await readAuditKeys(services), log.tenantId, {
    sequence: log.all.length,
    jws: row?.jws ?? '',
  });
  const { rows } = await sql<{ hash: string }>`select encode(hash, 'hex') as hash from audit_entries
    where id = ${at(log, -1)}`.execute(admin);
  if (!head) throw new Error('the head does not open');
  const jws = await signHead(forged, { ...head, hash: rows[0]?.hash ?? '', tenantId: log.tenantId });
  await sql`update audit_heads set jws = ${jws} where tenant_id = ${log.tenantId}`.execute(admin);
  expect((await verify(log.tenantId)).problem).toEqual({
    sequence: log.all.length,
    entryId: at(log, -1),
    reason: 'the signature of its head is invalid',
  });
});

test('fails when a head is moved to another sequence or copied from another tenant', async () => {
  const [one, two] = [await aSignedLog(), await aSignedLog()];
  const { tenantId } = one;
  await sql`update audit_heads set sequence = sequence - 1 where tenant_id = ${tenantId}`.execute(admin);
  expect((await verify(tenantId)).problem?.reason).toBe('the signature of its head is invalid');
  const [head] = await headsOf(two.tenantId);
  await sql`update audit_heads set sequence = ${head?.sequence}, jws = ${head?.jws} where tenant_id = ${tenantId}`.execute(
    admin,
  );
  expect((await verify(tenantId)).problem?.reason).toBe('the signature of its head is invalid');
});

test('fails when the heads were removed and the entries are older than two days', async () => {
  const { tenantId, all } = await aSignedLog();
  await sql`delete from audit_heads where tenant_id = ${tenantId}`.execute(admin);
  expect((await verify(tenantId)).problem).toBeUndefined();
  const { problem } = await verify(tenantId, { now: new Date(Date.now() + 49 * 3_600_000) });
  expect(problem).toMatchObject({ entryId: all[0], reason: expect.stringContaining('no signed head covers it') });
});
