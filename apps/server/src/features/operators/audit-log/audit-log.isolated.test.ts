import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { admin, anOperator, aTenant, services } from '../../../../test/harness.ts';
import type { TenantAuditEntry } from './audit-log.contract.ts';
import { listTenantEntries } from './audit-log.service.ts';

interface Entries {
  data: TenantAuditEntry[];
  nextCursor: string | null;
}
const auditor = await anOperator('auditor');
const getEntries = async (query: string) => {
  const response = await auditor.get(`/admin/tenant-audit-log?${query}`);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<Entries>();
};

test('lists entries of all tenants, newest first, with actor and tenant but without data', async () => {
  const [one, two] = [await aTenant(), await aTenant()];
  await one.post('/workspaces', { name: 'Secret plans' });
  await two.post('/workspaces', { name: 'Other plans' });
  const { data } = await getEntries('limit=2');
  expect(data).toMatchObject([
    {
      tenantId: two.tenantId,
      tenantName: 'Test',
      action: 'workspace.created',
      actor: { type: 'user', id: two.userId, email: two.email },
    },
    { tenantId: one.tenantId, action: 'workspace.created', actor: { id: one.userId, email: one.email } },
  ]);
  expect(JSON.stringify(data)).not.toContain('plans');
  expect(data[0]).not.toHaveProperty('data');
});

test('applies each filter, and pages without gaps', async () => {
  const [one, two] = [await aTenant(), await aTenant()];
  for (let n = 0; n < 5; n++) await one.post('/workspaces', { name: `W${n}` });
  await two.post('/workspaces', { name: 'W' });
  const own = await getEntries(`tenantId=${one.tenantId}&action=workspace.created`);
  expect(own.data.filter(({ actor }) => actor.type === 'user')).toHaveLength(5);
  expect((await getEntries(`actorId=${two.userId}`)).data).toMatchObject([{ tenantId: two.tenantId }]);
  expect((await getEntries(`actorType=operator&tenantId=${one.tenantId}`)).data).toEqual([]);
  const [last] = own.data;
  expect((await getEntries(`subjectId=${last?.subjectId}`)).data).toEqual([last]);
  expect((await getEntries(`until=${new Date(Date.now() - 3_600_000).toISOString()}`)).data).toEqual([]);
  expect((await getEntries(`since=${new Date(Date.now() + 3_600_000).toISOString()}`)).data).toEqual([]);

  const found: string[] = [];
  let cursor = '';
  do {
    const page = await getEntries(`actorId=${one.userId}&limit=2${cursor && `&cursor=${cursor}`}`);
    found.push(...page.data.map(({ id }) => id));
    cursor = page.nextCursor ?? '';
  } while (cursor);
  expect(found).toEqual(own.data.filter(({ actor }) => actor.type === 'user').map(({ id }) => id));
});

test('returns a cursor with an empty page when the scan limit is reached before the end', async () => {
  const [old, busy] = [await aTenant(), await aTenant()];
  await old.post('/workspaces', { name: 'Long ago' });
  for (let n = 0; n < 10; n++) await busy.post('/workspaces', { name: `W${n}` });
  let [pages, cursor]: [number, string | undefined] = [0, undefined];
  const found: TenantAuditEntry[] = [];
  do {
    const page = await listTenantEntries({ services }, { actorId: old.userId, limit: 25, cursor }, 4);
    found.push(...page.data);
    cursor = page.nextCursor ?? undefined;
    pages++;
  } while (cursor !== undefined && pages < 100);
  expect(pages).toBeGreaterThan(2);
  expect(found).toMatchObject([{ action: 'workspace.created', actor: { id: old.userId } }]);
});

test('every partition of the log has an index on the id', async () => {
  const { rows } = await sql<{ part: string; hasIndex: boolean }>`
    select child.relname as part, exists (select from pg_indexes where tablename = child.relname and indexdef like '%(id)') as has_index
    from pg_inherits join pg_class child on child.oid = inhrelid where inhparent = 'audit_entries'::regclass`.execute(
    admin,
  );
  expect(rows.length).toBeGreaterThan(3);
  expect(rows.filter(({ hasIndex }) => !hasIndex)).toEqual([]);
});

test('exports all entries in pages, and records the export once in the operators’ audit log', async () => {
  const tenant = await aTenant();
  await tenant.post('/workspaces', { name: 'W' });
  const first = await auditor.get(`/admin/tenant-audit-log/export?tenantId=${tenant.tenantId}`);
  expect(first.json<Entries>().data.length).toBeGreaterThan(1);
  const cursor = Buffer.from(first.json<Entries>().data[0]?.id ?? '').toString('base64url');
  const second = await auditor.get(`/admin/tenant-audit-log/export?tenantId=${tenant.tenantId}&cursor=${cursor}`);
  expect(second.json<Entries>().data).toEqual(first.json<Entries>().data.slice(1));
  const pool = await auditor.get('/admin/audit-log/export?pool=customer');
  expect(pool.statusCode, pool.body).toBe(200);
  const { data } = (await auditor.get('/admin/audit-log?limit=5&action=audit_log.exported')).json<{ data: object[] }>();
  expect(data).toMatchObject([
    { actor: { id: auditor.userId }, data: { log: 'customer' } },
    { actor: { id: auditor.userId }, data: { log: 'tenants', filter: { tenantId: tenant.tenantId } } },
  ]);
});

test('returns 403 to operators with the support role', async () => {
  const support = await anOperator('support');
  for (const path of ['tenant-audit-log', 'tenant-audit-log/export', 'audit-log/export'])
    expect((await support.get(`/admin/${path}`)).statusCode, path).toBe(403);
});
