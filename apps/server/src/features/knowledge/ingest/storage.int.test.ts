import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import {
  admin,
  api,
  aTenant,
  services,
  inside,
  send,
  countLockWaits,
  type Response,
  type TestTenant,
} from '../../../../test/harness.ts';
import { aSite, page } from '../../../../test/knowledge-site.ts';
import { newId } from '../../../platform/ids.ts';
import { startMs } from '../../../platform/invocation-limits.ts';
import { createSafeFetch } from '../../../platform/safe-fetch.ts';
import type { Source } from '../knowledge.contract.ts';
import { createReader } from './reader/reader.ts';
import { search } from '../search/search.ts';
import { createSyncing } from './sync.ts';

const site = await aSite();
const egress = createSafeFetch({ openHosts: [site.host], ownHosts: [] });
const syncing = createSyncing({ services, fetch: egress, reader: createReader(), startMs });
afterAll(async () => {
  await egress.close();
  site.close();
});

/** A tenant with one megabyte of knowledge storage per bot. */
async function aSmallTenant() {
  const tenant = await aTenant();
  await limitTo(tenant, 1);
  return tenant;
}
const limitTo = ({ tenantId }: TestTenant, value: number) =>
  admin
    .insertInto('entitlementOverrides')
    .values({ tenantId, name: 'knowledge_megabytes.per_bot', value })
    .onConflict((same) => same.columns(['tenantId', 'name']).doUpdateSet({ value }))
    .execute();

const create = (tenant: TestTenant, body: object) =>
  tenant.post(`/bots/${tenant.botId}/knowledge-sources`, { name: 'Source', ...body });
async function createSource(tenant: TestTenant, body: object) {
  const response = await create(tenant, body);
  expect(response.statusCode, response.body).toBe(201);
  return response.json<{ source: Source }>().source.id;
}
const aFile = (tenant: TestTenant) => createSource(tenant, { kind: 'file', fileName: 'a.txt' });
const upload = (tenant: TestTenant, id: string, kilobytes: number) =>
  api.app.inject({
    method: 'PUT',
    url: `/knowledge-sources/${id}/file`,
    headers: { 'content-type': 'text/plain', ...tenant.headers },
    payload: Buffer.alloc(kilobytes * 1_000, 'word '),
  });
const aText = (kilobytes: number) => ({ kind: 'text', text: 'word '.repeat(kilobytes * 200).trim() });
const outcomeOf = (response: Response) =>
  response.statusCode < 400
    ? response.statusCode
    : [response.statusCode, response.json<{ error: { reason: string } }>().error.reason];
const full = [413, 'knowledge_storage_full'];
const storageOf = async (tenant: TestTenant) =>
  (await tenant.get(`/bots/${tenant.botId}/knowledge-sources`)).json<{ storage: unknown }>().storage;

/** Runs a sync as the worker does. */
async function sync({ tenantId, get }: TestTenant, sourceId: string): Promise<Source> {
  const row = await admin.selectFrom('knowledgeSources').select('syncId').where('id', '=', sourceId).executeTakeFirst();
  const call = { tenantId, sourceId, syncId: row?.syncId ?? '' };
  let listed = await syncing.list(call);
  while (listed?.isDone === false) listed = await syncing.list(call); // again on a busy machine
  expect(listed).toMatchObject({ problem: null });
  while (!(await syncing.fetchSome(call, Date.now() + startMs))?.isDone);
  await syncing.finish(call, null, newId('event'));
  return (await get(`/knowledge-sources/${sourceId}`)).json<{ source: Source }>().source;
}

test('returns 413 knowledge_storage_full for a file, text or source that does not fit, and accepts a smaller one or after a deletion', async () => {
  const tenant = await aSmallTenant();
  const file = await aFile(tenant);
  expect(outcomeOf(await upload(tenant, file, 1_001))).toEqual(full);
  expect(outcomeOf(await upload(tenant, file, 900))).toBe(202);
  expect(await storageOf(tenant)).toEqual({ usedBytes: 900_000, limitBytes: 1_000_000 });

  expect(outcomeOf(await create(tenant, aText(150)))).toEqual(full);
  const text = await createSource(tenant, aText(50));
  const more = await tenant.patch(`/knowledge-sources/${text}`, { text: aText(150).text });
  expect([outcomeOf(more), more.json().error.message]).toEqual([
    full,
    "Your plan 'team' allows 1.0 MB of knowledge for each bot ('knowledge_megabytes.per_bot'), and 0.9 MB are used. Delete a source, or ask for more.",
  ]);

  expect(outcomeOf(await upload(tenant, file, 950))).toBe(202);
  expect(outcomeOf(await upload(tenant, file, 951))).toEqual(full);

  await limitTo(tenant, 0);
  expect(outcomeOf(await create(tenant, { kind: 'url', url: 'https://example.com/' }))).toEqual(full);
  expect(outcomeOf(await upload(tenant, file, 940)), 'less than before').toBe(202);

  await limitTo(tenant, 1);
  await send('DELETE', `/knowledge-sources/${file}`, tenant.headers);
  expect(outcomeOf(await create(tenant, aText(150)))).toBe(201);
});

test('returns 413 for the second of two concurrent uploads that exceed the limit together', async () => {
  const tenant = await aSmallTenant();
  const [one, two] = [await aFile(tenant), await aFile(tenant)];
  // A lock on the event stream blocks the first upload after it has stored its file, before it commits.
  const { responses } = await admin.transaction().execute(async (tx) => {
    await sql`select from directory.event_streams where tenant_id = ${tenant.tenantId} for update`.execute(tx);
    const first = upload(tenant, one, 600);
    await expect.poll(countLockWaits).toBe(1);
    const second = upload(tenant, two, 600);
    await expect.poll(countLockWaits).toBe(2);
    return { responses: Promise.all([first, second]) }; // wrapped, so that it is not awaited before the lock is released
  });
  expect((await responses).map(outcomeOf)).toEqual([202, full]);
  expect(await storageOf(tenant)).toEqual({ usedBytes: 600_000, limitBytes: 1_000_000 });
});

test('keeps the previous content and fails with storage_full when a sync exceeds the limit, and recovers once there is room', async () => {
  const tenant = await aSmallTenant();
  const sentence = (what: string, kilobytes: number) => `Delivery ${what}. ${'More about it. '.repeat(kilobytes * 67)}`;
  site.pages.set('/a', page('First page', sentence('takes three days', 1)));
  site.pages.set('/b', page('Second page', sentence('is free', 1)));
  site.pages.set('/sitemap.xml', site.sitemapOf(['/a', '/b']));
  const id = await createSource(tenant, { kind: 'sitemap', url: `${site.url}/sitemap.xml` });
  const before = await sync(tenant, id);
  expect(before.sync).toMatchObject({ state: 'ready', error: null });
  expect(before.bytes).toBeGreaterThan(2_000);

  const file = await aFile(tenant);
  expect(outcomeOf(await upload(tenant, file, 950))).toBe(202);
  site.pages.set('/a', page('First page', sentence('takes four days', 150)));
  site.pages.set('/b', page('Second page', sentence('costs nothing', 1)));
  await tenant.post(`/knowledge-sources/${id}/sync`);
  const exceeded = await sync(tenant, id);
  expect(exceeded.sync).toMatchObject({ state: 'failed', error: { reason: 'storage_full' } });
  expect(exceeded.documents).toEqual({ ready: 1, failed: 1 });
  const found = await inside(tenant.tenantId, ({ tx }) => search(tx, [id], 'How many days does delivery take?'));
  const texts = found.chunks.map(({ body }) => body).join(' ');
  expect(texts).toContain('three days');
  expect(texts).toContain('costs nothing');
  expect(texts).not.toContain('four days');

  await send('DELETE', `/knowledge-sources/${file}`, tenant.headers);
  await tenant.post(`/knowledge-sources/${id}/sync`);
  const after = await sync(tenant, id);
  expect(after.sync).toMatchObject({ state: 'ready', error: null });
  expect(after.bytes).toBeGreaterThan(150_000);
  expect(await storageOf(tenant)).toMatchObject({ usedBytes: after.bytes });

  site.pages.set('/sitemap.xml', site.sitemapOf(['/b']));
  await tenant.post(`/knowledge-sources/${id}/sync`);
  expect((await sync(tenant, id)).bytes, 'a deleted page uses no storage').toBeLessThan(3_000);
});
