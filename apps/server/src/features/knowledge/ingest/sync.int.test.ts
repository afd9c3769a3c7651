import { rmSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { startRestate } from '../../../../../../tools/stack/index.ts';
import {
  admin,
  api,
  aTenant,
  eventsOf,
  services,
  inside,
  send,
  type TestTenant,
  ownDir,
} from '../../../../test/harness.ts';
import { aSite, page } from '../../../../test/knowledge-site.ts';
import { startRelay } from '../../../platform/relay.ts';
import { connectRestate } from '../../../platform/restate-client.ts';
import { openDeployments } from '../../../platform/deployments.ts';
import { keepRegistered } from '../../../platform/registration.ts';
import { serveDurable } from '../../../platform/restate.ts';
import { createSafeFetch } from '../../../platform/safe-fetch.ts';
import { startSweeper } from '../../../platform/sweeper.ts';
import { overdueKnowledge, syncKnowledge } from '../knowledge.reactions.ts';
import { knowledgeSource } from './knowledge.workflow.ts';
import { search } from '../search/search.ts';

// End to end: HTTP, event, relay, Restate, a website, rows.

const dir = ownDir('knowledge');
const restate = await startRestate(dir, { partitions: 4 });
const { log } = api.platform;
const site = await aSite();
const httpClient = createSafeFetch({ openHosts: [site.host], ownHosts: [] });
const durable = [knowledgeSource(services, httpClient)];
const server = await serveDurable({
  log,
  services: durable,
  host: '127.0.0.1',
  port: 0,
  identityKeys: [restate.identityKey],
});
const workerUrl = `http://127.0.0.1:${server.port}`;
const registered = keepRegistered({
  deployments: openDeployments(restate.adminUrl),
  workerUrl,
  services: durable,
  force: true,
  log,
});
const restateClient = connectRestate(restate.ingressUrl);
const relay = startRelay({ services, subscribers: [syncKnowledge(restateClient)], log, sweepMs: 50 });

afterAll(async () => {
  await relay.stop();
  await registered.stop();
  await server.stop(1);
  await restate.kill();
  await httpClient.close();
  site.close();
  rmSync(dir, { recursive: true, force: true });
});

interface SourceResponse {
  id: string;
  sync: {
    state: string;
    done: number;
    total: number;
    error: { reason: string; message: string } | null;
    nextSyncAt: string | null;
  };
  documents: { ready: number; failed: number };
  chunks: number;
  language: string | null;
}

async function add(tenant: TestTenant, body: object): Promise<string> {
  const response = await tenant.post(`/bots/${tenant.botId}/knowledge-sources`, { name: 'Source', ...body });
  expect(response.statusCode, response.body).toBe(201);
  return response.json<{ source: SourceResponse }>().source.id;
}
const readSource = async (tenant: TestTenant, id: string) =>
  (await tenant.get(`/knowledge-sources/${id}`)).json<{ source: SourceResponse }>().source;
async function waitForSync(tenant: TestTenant, id: string): Promise<SourceResponse> {
  const hasEnded = async () => ['ready', 'failed'].includes((await readSource(tenant, id)).sync.state);
  await expect.poll(hasEnded, { timeout: 15_000, interval: 50 }).toBe(true);
  return readSource(tenant, id);
}
async function syncAgain(tenant: TestTenant, id: string): Promise<SourceResponse> {
  expect((await tenant.post(`/knowledge-sources/${id}/sync`)).statusCode).toBe(202);
  return waitForSync(tenant, id);
}

/** Each chunk with the transaction that wrote it, which changes when it is rewritten. */
const chunksOf = async (id: string) =>
  (
    await sql<{ location: string; body: string; xmin: string }>`
      select location, body, knowledge_chunks.xmin::text from knowledge_chunks
      join knowledge_documents on id = document_id where knowledge_chunks.source_id = ${id} order by location, place`.execute(
      admin,
    )
  ).rows;
const documentsOf = (id: string) =>
  admin.selectFrom('knowledgeDocuments').selectAll().where('sourceId', '=', id).orderBy('location').execute();

describe('content in the request', () => {
  test('splits a text into chunks at its headings and makes it searchable', async () => {
    const tenant = await aTenant();
    const text = `# Shop\n\n## Delivery\n\nWe deliver to every country in the world, except to the moon, within three days.\n\n## Warranty\n\nEvery device has a warranty of two years from the day that you bought it.`;
    const id = await add(tenant, { kind: 'text', text });
    expect(await waitForSync(tenant, id)).toMatchObject({
      sync: { state: 'ready', done: 1, total: 1, error: null },
      documents: { ready: 1, failed: 0 },
    });
    expect(await documentsOf(id)).toMatchObject([{ title: 'Source', language: 'en', state: 'ready' }]);
    const found = await inside(tenant.tenantId, ({ tx }) => search(tx, [id], 'How long is the warranty?'));
    expect(found.chunks[0]?.body).toContain('two years');
    expect(await eventsOf(tenant.tenantId)).toContain('knowledge.synced');
  });

  test('splits a text that is too long for one document into several, and finds what is at its end', async () => {
    const tenant = await aTenant();
    const section = (n: number) => `## Shelf ${n}\n\n${'Row of books about sailing and knots. '.repeat(200)}\n\n`;
    const text = `${Array.from({ length: 30 }, (_, n) => section(n)).join('')}## Lost umbrellas\n\nUmbrellas are kept at the porter's desk.`;
    const id = await add(tenant, { kind: 'text', text });
    expect(await waitForSync(tenant, id)).toMatchObject({
      sync: { state: 'ready' },
      documents: { ready: 2, failed: 0 },
    });
    const found = await inside(tenant.tenantId, ({ tx }) => search(tx, [id], 'Where are lost umbrellas kept?'));
    expect(found.chunks[0]?.body).toContain('porter');
    await tenant.patch(`/knowledge-sources/${id}`, { text: section(0) });
    expect(await waitForSync(tenant, id)).toMatchObject({ documents: { ready: 1 } });
  });

  test('stores a document per question, deletes removed ones and rewrites only changed ones', async () => {
    const tenant = await aTenant();
    const pair = (n: number, answer = `Answer ${n}`) => ({ question: `Question ${n}?`, answer });
    const id = await add(tenant, { kind: 'qa', pairs: [pair(1), pair(2), pair(3)] });
    expect(await waitForSync(tenant, id)).toMatchObject({ documents: { ready: 3 }, chunks: 3 });
    const before = await chunksOf(id);
    await tenant.patch(`/knowledge-sources/${id}`, { pairs: [pair(1), pair(2, 'Another answer')] });
    await waitForSync(tenant, id);
    const after = await chunksOf(id);
    expect(after.map(({ body }) => body)).toEqual(['Answer 1', 'Another answer']);
    expect(after[0]).toEqual(before[0]);
  });

  test('syncs a file after the upload and reports its problems', async () => {
    const tenant = await aTenant();
    const id = await add(tenant, { kind: 'file', fileName: 'notes.md' });
    const put = (payload: string | Buffer) =>
      api.app.inject({ method: 'PUT', url: `/knowledge-sources/${id}/file`, headers: tenant.headers, payload });
    await put('# Notes\n\nThe office is closed on the first Monday of every month.');
    expect(await waitForSync(tenant, id)).toMatchObject({ sync: { state: 'ready' }, documents: { ready: 1 } });
    expect((await chunksOf(id)).map(({ body }) => body)).toEqual([
      'The office is closed on the first Monday of every month.',
    ]);
    await put(Buffer.from('%PDF-1.4 and then nothing'));
    expect(await waitForSync(tenant, id)).toMatchObject({
      sync: { state: 'failed', error: { reason: 'corrupted', message: expect.stringContaining('damaged') } },
    });
    expect(await chunksOf(id)).toEqual([]);
    expect(await eventsOf(tenant.tenantId)).toContain('knowledge.failed');
  });

  test('uses the configured language, and indexes again when it changes', async () => {
    const tenant = await aTenant();
    const id = await add(tenant, {
      kind: 'text',
      text: 'Lieferung in drei Tagen, Rückgabe in dreißig Tagen, ganz ohne Kosten.',
      language: 'en',
    });
    await waitForSync(tenant, id);
    expect(await documentsOf(id)).toMatchObject([{ language: 'en' }]);
    await tenant.patch(`/knowledge-sources/${id}`, { language: null });
    await waitForSync(tenant, id);
    expect(await documentsOf(id)).toMatchObject([{ language: 'de' }]);
  });
});

describe('fetched content', () => {
  test('stores the main content of a page', async () => {
    site.pages.set('/about', page('About us', 'We have made shoes since 1923.'));
    const tenant = await aTenant();
    const id = await add(tenant, { kind: 'url', url: `${site.url}/about` });
    expect(await waitForSync(tenant, id)).toMatchObject({ sync: { state: 'ready' }, chunks: 1 });
    const [chunk] = await chunksOf(id);
    expect(chunk?.body).toContain('since 1923');
    expect(chunk?.body).not.toContain('Menu');
  });

  test('fails with a reason for pages that are disallowed, missing or on a blocked host', async () => {
    const tenant = await aTenant();
    site.pages.set('/robots.txt', {
      headers: { 'content-type': 'text/plain' },
      body: 'User-agent: ParleyBot\nDisallow: /private',
    });
    site.pages.set('/private/page', page('Secret', 'Nobody reads this.'));
    const reasons: Record<string, string | undefined> = {};
    for (const url of [`${site.url}/private/page`, `${site.url}/missing`, 'http://127.0.0.1:9/', 'https://localhost/'])
      reasons[url.replace(site.url, '')] = (
        await waitForSync(tenant, await add(tenant, { kind: 'url', url }))
      ).sync.error?.reason;
    site.pages.delete('/robots.txt');
    expect(reasons).toEqual({
      '/private/page': 'blocked_by_robots',
      '/missing': 'page_not_found',
      'http://127.0.0.1:9/': 'https_only',
      'https://localhost/': 'url_not_allowed',
    });
    expect(site.requests).not.toContain('/private/page');
  });

  test('shows the progress of a sitemap, rewrites only changed pages and deletes removed ones', async () => {
    const tenant = await aTenant();
    const paths = Array.from({ length: 30 }, (_, n) => `/help/${n}`);
    for (const path of paths) site.pages.set(path, page(`Topic ${path}`, `The number of this page is ${path}.`));
    site.pages.set('/sitemap.xml', site.sitemapOf(['/blog/1', ...paths]));
    site.state.delayMs = 30;
    site.state.max = 0;
    const id = await add(tenant, { kind: 'sitemap', url: `${site.url}/sitemap.xml`, include: ['/help/'] });
    const progress = new Set<number>();
    await expect
      .poll(
        async () => {
          const { sync } = await readSource(tenant, id);
          if (sync.state === 'syncing' && sync.total === 30) progress.add(sync.done);
          return sync.state;
        },
        { timeout: 20_000, interval: 30 },
      )
      .toBe('ready');
    expect(progress.size).toBeGreaterThan(5);
    expect([...progress]).toEqual([...progress].toSorted((one, other) => one - other));
    expect(await readSource(tenant, id)).toMatchObject({
      sync: { done: 30, total: 30 },
      documents: { ready: 30 },
      chunks: 30,
    });
    expect(site.state.max, 'one request at a time').toBe(1);
    expect(site.requests.filter((path) => path === '/blog/1')).toEqual([]);

    const first = await chunksOf(id);
    expect(await syncAgain(tenant, id)).toMatchObject({ sync: { state: 'ready', done: 30, total: 30 } });
    expect(await chunksOf(id), 'unchanged chunks are not rewritten').toEqual(first);

    site.pages.set('/help/7', page('Topic seven', 'This page has been rewritten from scratch.'));
    site.pages.delete('/help/8');
    site.pages.set('/sitemap.xml', site.sitemapOf(paths.filter((path) => path !== '/help/9')));
    site.state.delayMs = 0;
    expect(await syncAgain(tenant, id)).toMatchObject({
      sync: { state: 'ready' },
      documents: { ready: 28, failed: 1 },
      chunks: 28,
    });
    const [before, after] = [first, await chunksOf(id)].map(
      (chunks) => new Map(chunks.map(({ location, xmin }) => [location.replace(site.url, ''), xmin])),
    ) as [Map<string, string>, Map<string, string>];
    const changed = [...before.keys()].filter((path) => before.get(path) !== after.get(path));
    expect(changed.toSorted()).toEqual(['/help/7', '/help/8', '/help/9']);
    expect([...after.keys()]).toContain('/help/7');
    expect((await documentsOf(id)).filter(({ location }) => location.endsWith('/help/9'))).toEqual([]);
    const documents = await tenant.get(`/knowledge-sources/${id}/documents?state=failed`);
    expect(documents.json()).toMatchObject({
      data: [{ location: `${site.url}/help/8`, error: { reason: 'page_not_found' } }],
    });
  }, 40_000);

  test('keeps the previous content when a page or the sitemap cannot be fetched', async () => {
    const tenant = await aTenant();
    site.pages.set('/one', page('One', 'The first page of all.'));
    site.pages.set('/down.xml', site.sitemapOf(['/one']));
    const id = await add(tenant, { kind: 'sitemap', url: `${site.url}/down.xml` });
    await waitForSync(tenant, id);
    const before = await chunksOf(id);
    expect(before).toHaveLength(1);
    site.pages.set('/one', { status: 503 });
    expect((await syncAgain(tenant, id)).sync.error?.reason).toBe('site_error');
    expect(await chunksOf(id)).toEqual(before);
    site.pages.set('/down.xml', '<html>Sorry</html>');
    expect((await syncAgain(tenant, id)).sync.error?.reason).toBe('invalid_sitemap');
    expect(await chunksOf(id)).toEqual(before);
  });
});

describe('concurrency and schedules', () => {
  test('ends a running sync when the content changes, and syncs the new content', async () => {
    const tenant = await aTenant();
    const paths = Array.from({ length: 10 }, (_, n) => `/slow/${n}`);
    for (const path of paths) site.pages.set(path, page(path, 'Slowly.'));
    site.pages.set('/slow.xml', site.sitemapOf(paths));
    site.pages.set('/fast.xml', site.sitemapOf(['/slow/3']));
    site.state.delayMs = 200;
    const id = await add(tenant, { kind: 'sitemap', url: `${site.url}/slow.xml` });
    await expect.poll(async () => (await readSource(tenant, id)).sync.done, { timeout: 10_000 }).toBeGreaterThan(0);
    await tenant.patch(`/knowledge-sources/${id}`, { url: `${site.url}/fast.xml` });
    expect(await waitForSync(tenant, id)).toMatchObject({
      sync: { state: 'ready', done: 1, total: 1 },
      documents: { ready: 1 },
    });
    site.state.delayMs = 0;
    expect(await documentsOf(id)).toHaveLength(1);
    expect(paths.filter((path) => site.requests.includes(path)).length, 'the first sync stopped early').toBeLessThan(
      10,
    );
    expect((await eventsOf(tenant.tenantId)).filter((type) => type === 'knowledge.synced')).toHaveLength(1);
  });

  test('leaves nothing behind when the source is deleted during a sync', async () => {
    const tenant = await aTenant();
    site.state.delayMs = 200;
    const id = await add(tenant, { kind: 'sitemap', url: `${site.url}/slow.xml` });
    await expect.poll(async () => (await readSource(tenant, id)).sync.done, { timeout: 10_000 }).toBeGreaterThan(0);
    expect((await send('DELETE', `/knowledge-sources/${id}`, tenant.headers)).statusCode).toBe(200);
    site.state.delayMs = 0;
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await documentsOf(id)).toEqual([]);
    expect(await chunksOf(id)).toEqual([]);
  });

  test('syncs on schedule, and the sweeper recovers syncs that Restate has lost', async () => {
    const tenant = await aTenant();
    const id = await add(tenant, { kind: 'url', url: `${site.url}/about`, schedule: 'daily' });
    const { sync } = await waitForSync(tenant, id);
    expect(new Date(String(sync.nextSyncAt)).getTime()).toBeGreaterThan(Date.now() + 86_000_000);
    const syncs = async () => (await eventsOf(tenant.tenantId)).filter((type) => type === 'knowledge.synced').length;
    expect(await syncs()).toBe(1);
    const past = new Date(Date.now() - 60_000);
    await admin.updateTable('knowledgeSources').set({ nextSyncAt: past }).where('id', '=', id).execute();
    await sql`update directory.timers set due_at = ${past} where subject_id = ${id}`.execute(admin);
    const sweeper = startSweeper({
      services,
      handlers: overdueKnowledge(services, restateClient),
      log,
      everyMs: 200,
      graceSeconds: 1,
    });
    await expect.poll(syncs, { timeout: 10_000 }).toBe(2);
    await sweeper.stop();
    await expect.poll(async () => (await readSource(tenant, id)).sync.nextSyncAt, { timeout: 5_000 }).not.toBeNull();
  });
});

test('does not write document content to the Restate journal', async () => {
  const tenant = await aTenant();
  const id = await add(tenant, {
    kind: 'text',
    text: 'The secret ingredient is cardamom, and nobody must know about it.',
  });
  await waitForSync(tenant, id);
  const response = await fetch(`${restate.adminUrl}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query: 'select entry_json, entry_lite_json, raw from sys_journal' }),
  });
  expect(response.status).toBe(200);
  const journal = await response.text();
  expect(journal).toContain('visit some');
  expect(journal.length).toBeGreaterThan(100);
  for (const word of ['cardamom', 'since 1923', 'rewritten'])
    for (const text of [word, Buffer.from(word).toString('hex')]) expect(journal).not.toContain(text);
});
