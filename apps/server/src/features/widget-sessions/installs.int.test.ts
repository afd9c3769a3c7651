import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { aBot, page } from '../../../test/chat/fixture.ts';
import { open, until } from '../../../test/chat/helpers.ts';
import { admin, api, aTenant, services, countLockWaits, type TestTenant } from '../../../test/harness.ts';
import { createInstalls } from './installs.ts';
import type { Install } from './widget-sessions.contract.ts';

type Row = Record<keyof Install, string>;
const installRows = async (tenant: TestTenant, botId = tenant.botId) =>
  (await tenant.get(`/bots/${botId}/installs`)).json<{ data: Row[]; nextCursor: null }>();
const originsOf = async (tenant: TestTenant) => (await installRows(tenant)).data.map(({ origin }) => origin);
/** The transaction that last wrote each row. */
const writesOf = async ({ botId }: TestTenant) =>
  (await sql`select origin, xmin::text from widget_installs where bot_id = ${botId} order by 1`.execute(admin)).rows;

let tenant: TestTenant;
let installs: ReturnType<typeof createInstalls>;
const record = (origin: string) => installs.record({ ...tenant, origin });
beforeEach(async () => {
  tenant = await aTenant();
  installs = createInstalls(services, api.platform.log, 3_600_000);
});
afterEach(async () => {
  vi.useRealTimers();
  await installs.stop();
});

test('lists an origin seconds after its first view, once for all views, without visitor data', async () => {
  const bot = await aBot(tenant);
  expect(await installRows(tenant)).toEqual({ data: [], nextCursor: null });
  for (let n = 0; n < 5; n++) expect((await open(api.app, bot)).statusCode).toBe(200);
  await until(async () => (await originsOf(tenant)).length > 0);
  const { data } = await installRows(tenant);
  expect(data).toEqual([{ origin: page, firstSeenAt: expect.any(String), lastSeenAt: expect.any(String) }]);
  expect(Math.abs(Date.parse(data[0]?.firstSeenAt ?? '') - Date.now())).toBeLessThan(10_000);
});

test('lists neither rejected origins nor our own frame', async () => {
  const bot = await aBot(tenant);
  const ours = new URL(api.platform.config.PUBLIC_URL).origin;
  expect((await open(api.app, bot, { origin: 'https://evil.example' })).statusCode).toBe(403);
  expect((await open(api.app, bot, { origin: ours })).statusCode).toBe(200);
  expect((await open(api.app, bot)).statusCode).toBe(200);
  await until(async () => (await originsOf(tenant)).length > 0);
  expect(await originsOf(tenant)).toEqual([page]);
});

test('writes an origin again after ten minutes, and not before', async () => {
  record('https://a.example');
  await installs.flush();
  const [first, firstRow] = [await writesOf(tenant), (await installRows(tenant)).data[0]];
  expect(first).toHaveLength(1);
  record('https://a.example');
  await installs.flush();
  expect(await writesOf(tenant)).toEqual(first);

  await sleep(10); // the cache reads its clock once a millisecond
  const later = performance.now() + 601_000;
  vi.spyOn(performance, 'now').mockReturnValue(later);
  record('https://a.example');
  vi.restoreAllMocks();
  await installs.flush();
  expect(await writesOf(tenant)).not.toEqual(first);
  const [row] = (await installRows(tenant)).data;
  expect(row?.firstSeenAt).toBe(firstRow?.firstSeenAt);
  expect(Date.parse(row?.lastSeenAt ?? '')).toBeGreaterThan(Date.parse(firstRow?.lastSeenAt ?? ''));
});

test('stores the first fifty origins of a bot, also with two concurrent writers', async () => {
  const other = createInstalls(services, api.platform.log, 3_600_000);
  record('https://first.example');
  await installs.flush();
  for (let n = 0; n < 49; n++) {
    record(`https://a${n}.example`);
    other.record({ ...tenant, origin: `https://b${n}.example` });
  }
  // Both wait for the row lock: this proves that they take it.
  const holding = admin.transaction().execute(async (tx) => {
    await sql`select from bots where id = ${tenant.botId} for no key update`.execute(tx);
    const writing = [installs.flush(), other.stop()];
    await until(async () => (await countLockWaits()) === 2);
    return writing;
  });
  await Promise.all(await holding);
  const stored = await originsOf(tenant);
  expect(stored).toHaveLength(50);
  expect(stored[0]).toBe('https://first.example');
  record('https://late.example');
  await installs.flush();
  expect(await originsOf(tenant)).toEqual(stored);
});

test('skips an overlong origin without blocking others', async () => {
  record(`https://${'a'.repeat(300)}.example`);
  record('https://a.example');
  await installs.flush();
  expect(await originsOf(tenant)).toEqual(['https://a.example']);
});

test('retries a failed write with the next view', async () => {
  const nowhere = { ...services, db: null as unknown as typeof services.db };
  const failing = createInstalls(nowhere, { ...api.platform.log, warn: () => {} }, 3_600_000);
  failing.record({ ...tenant, origin: 'https://a.example' });
  await failing.flush();
  expect(await originsOf(tenant)).toEqual([]);
  nowhere.db = services.db;
  failing.record({ ...tenant, origin: 'https://a.example' });
  await failing.stop();
  expect(await originsOf(tenant)).toEqual(['https://a.example']);
});

test("returns 404 for another tenant's bot", async () => {
  const theirs = await aTenant();
  record('https://a.example');
  await installs.flush();
  expect((await theirs.get(`/bots/${tenant.botId}/installs`)).statusCode).toBe(404);
  expect(await originsOf(theirs)).toEqual([]);
});
