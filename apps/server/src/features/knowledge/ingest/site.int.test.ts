import { sql } from 'kysely';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { admin, as, aTenant, openApi, services, type TestTenant } from '../../../../test/harness.ts';
import { aSite, page, type SitePage } from '../../../../test/knowledge-site.ts';
import { newId } from '../../../platform/ids.ts';
import { createSafeFetch } from '../../../platform/safe-fetch.ts';
import type { CrawlPlan, Source } from '../knowledge.contract.ts';
import { createReader } from './reader/reader.ts';
import { createSyncing } from './sync.ts';

const site = await aSite();
const fetch = createSafeFetch({ openHosts: [site.host], ownHosts: [] });
const syncing = createSyncing({ services, fetch, reader: createReader(), startMs: 10_000 });
const planningApi = await openApi({ EGRESS_TENANT_OPEN_HOSTS: site.host });
afterEach(() => {
  site.pages.clear();
  site.requests.length = 0;
});
afterAll(async () => {
  await planningApi.close();
  await fetch.close();
  site.close();
});

const linked = (title: string, ...paths: string[]): string =>
  page(title, `All about ${title}.`).replace(
    '</main>',
    `${paths.map((to) => `<a href="${to}">x</a>`).join('')}</main>`,
  );
const text = (body: string): SitePage => ({ headers: { 'content-type': 'text/plain' }, body });

/** A page that shows its content with JavaScript. */
const app = '<html><body><noscript>You need to enable JavaScript.</noscript><div id="root"></div><script src="/x.js">';

async function addSite(tenant: TestTenant, config: object = {}): Promise<string> {
  const body = { kind: 'site', name: 'Site', url: `${site.url}/`, ...config };
  const response = await tenant.post(`/bots/${tenant.botId}/knowledge-sources`, body);
  expect(response.statusCode, response.body).toBe(201);
  return response.json<{ source: Source }>().source.id;
}

/** Runs the sync that was requested last, as the workflow does. */
async function sync(tenant: TestTenant, sourceId: string): Promise<Source> {
  const { syncId } = await admin
    .selectFrom('knowledgeSources')
    .select('syncId')
    .where('id', '=', sourceId)
    .executeTakeFirstOrThrow();
  const call = { tenantId: tenant.tenantId, sourceId, syncId: syncId ?? '' };
  for (let listed = await syncing.list(call); listed; listed = await syncing.list(call)) {
    if (!listed.isDone) continue;
    if (listed.problem === null) while (!(await syncing.fetchSome(call, Date.now() + 10_000))?.isDone);
    await syncing.finish(call, listed.problem, newId('event'));
    break;
  }
  return (await tenant.get(`/knowledge-sources/${sourceId}`)).json<{ source: Source }>().source;
}
async function syncAgain(tenant: TestTenant, sourceId: string): Promise<Source> {
  site.requests.length = 0;
  expect((await tenant.post(`/knowledge-sources/${sourceId}/sync`)).statusCode).toBe(202);
  return sync(tenant, sourceId);
}

const documentsOf = async (id: string) =>
  Object.fromEntries(
    (await admin.selectFrom('knowledgeDocuments').selectAll().where('sourceId', '=', id).execute()).map((row) => [
      row.location.replace(site.url, ''),
      row,
    ]),
  );
const pagesOf = async (id: string) => Object.keys(await documentsOf(id)).toSorted();
const chunksOf = async (documentId: string | undefined) =>
  (
    await admin
      .selectFrom('knowledgeChunks')
      .select('body')
      .where('documentId', '=', documentId ?? '')
      .execute()
  ).length;

test('follows links on the same host as deep as configured, each page once', async () => {
  const tenant = await aTenant();
  site.pages.set('/', linked('Home', '/a', '/a#part', '/a?utm_source=x', 'b', 'https://example.com/c', 'mailto:x@y.z'));
  site.pages.set('/a', linked('A', '/', '/a/deep', '/logo.png', '/private'));
  site.pages.set('/b', `<base href="/sub/">${linked('B', 'c')}`);
  site.pages.set('/sub/c', linked('C', '/sub/d'));
  site.pages.set('/a/deep', linked('Deep'));
  const id = await addSite(tenant, { depth: 2 });
  const { sync: result, documents } = await sync(tenant, id);
  expect(result).toMatchObject({ state: 'ready', done: 6, total: 6, isLimited: false, error: null });
  expect(documents).toEqual({ ready: 5, failed: 1 });
  expect(await pagesOf(id)).toEqual(['/', '/a', '/a/deep', '/b', '/private', '/sub/c']);
  const fetched = site.requests.filter((path) => !['/robots.txt', '/sitemap.xml'].includes(path));
  expect(fetched).toEqual([...new Set(fetched)]);
});

test('finds the sitemaps that robots.txt names, and respects robots.txt, filters and nofollow', async () => {
  const tenant = await aTenant();
  site.pages.set('/robots.txt', text(`User-agent: *\nDisallow: /help/secret\nSitemap: ${site.url}/maps/index.xml`));
  site.pages.set(
    '/maps/index.xml',
    `<sitemapindex><sitemap><loc>${site.url}/maps/1.xml</loc></sitemap></sitemapindex>`,
  );
  site.pages.set('/maps/1.xml', site.sitemapOf(['/help/a', '/help/secret', '/blog/1', '/help/old/z']));
  site.pages.set('/', linked('Home', '/blog/2').replace('<main>', '<main><a rel="nofollow" href="/help/login">x</a>'));
  for (const path of ['/help/a', '/help/secret', '/blog/1', '/blog/2', '/help/old/z', '/help/login'])
    site.pages.set(path, linked(path));
  const id = await addSite(tenant, { include: ['/help/'], exclude: ['/help/old'] });
  await sync(tenant, id);
  const documents = await documentsOf(id);
  expect(Object.keys(documents).toSorted()).toEqual(['/', '/help/a', '/help/secret']);
  expect(documents['/help/secret']).toMatchObject({ state: 'failed', error: 'blocked_by_robots' });
  expect(site.requests).not.toContain('/help/secret');
});

test('fetches only changed pages again, and follows the known links of unchanged ones', async () => {
  const tenant = await aTenant();
  const versions: Record<string, string> = { '/': 'v1', '/a': 'v1', '/b': 'v1' };
  const statuses: Record<string, number> = {};
  const serve = (path: string, html: () => string) =>
    site.pages.set(path, (request, response) => {
      const etag = `"${versions[path]}"`;
      const isCurrent = request.headers['if-none-match'] === etag;
      statuses[path] = isCurrent ? 304 : 200;
      response.writeHead(isCurrent ? 304 : 200, { 'content-type': 'text/html', etag }).end(isCurrent ? '' : html());
    });
  serve('/', () => linked('Home', '/a'));
  serve('/a', () => linked(`A ${versions['/a']}`, '/b'));
  serve('/b', () => linked('B'));
  const id = await addSite(tenant);
  await sync(tenant, id);
  expect(statuses).toEqual({ '/': 200, '/a': 200, '/b': 200 });
  const { id: before } = (await documentsOf(id))['/b'] ?? {};

  versions['/a'] = 'v2';
  expect(await syncAgain(tenant, id)).toMatchObject({ sync: { state: 'ready', total: 3 }, documents: { ready: 3 } });
  expect(statuses).toEqual({ '/': 304, '/a': 200, '/b': 304 });
  const documents = await documentsOf(id);
  expect(documents['/a']?.title).toBe('A v2');
  expect(documents['/b']?.id).toBe(before);
  expect(await chunksOf(before)).toBe(1);

  expect((await tenant.patch(`/knowledge-sources/${id}`, { language: 'de' })).statusCode).toBe(200);
  await sync(tenant, id);
  expect(statuses, 'another language changes what is stored').toEqual({ '/': 200, '/a': 200, '/b': 200 });
});

test('deletes pages that are gone or no longer linked, and keeps all while the site is down', async () => {
  const tenant = await aTenant();
  site.pages.set('/', linked('Home', '/a', '/b', '/c'));
  for (const path of ['/a', '/b', '/c']) site.pages.set(path, linked(path));
  const id = await addSite(tenant);
  await sync(tenant, id);
  expect(await pagesOf(id)).toEqual(['/', '/a', '/b', '/c']);

  const home = site.pages.get('/') ?? '';
  for (const status of [503, 403]) {
    site.pages.set('/', { status });
    expect(await syncAgain(tenant, id)).toMatchObject({ sync: { state: 'ready' }, documents: { failed: 1 } });
    expect(await pagesOf(id), String(status)).toEqual(['/', '/a', '/b', '/c']);
    expect(await chunksOf((await documentsOf(id))['/c']?.id)).toBe(1);
  }
  site.pages.set('/', { status: 404 });
  expect(await syncAgain(tenant, id)).toMatchObject({ sync: { state: 'failed', error: { reason: 'page_not_found' } } });
  expect(await pagesOf(id), 'no one knows which are gone').toEqual(['/', '/a', '/b', '/c']);
  site.pages.set('/', home);
  await syncAgain(tenant, id);

  site.pages.set('/', linked('Home', '/a', '/b'));
  site.pages.set('/b', { status: 410 });
  await syncAgain(tenant, id);
  expect(await pagesOf(id)).toEqual(['/', '/a', '/b']);
  const gone = (await documentsOf(id))['/b'];
  expect(gone).toMatchObject({ state: 'failed', error: 'page_not_found' });
  expect(await chunksOf(gone?.id)).toBe(0);
});

test('stores the same content once, and the other page if the first is gone', async () => {
  const tenant = await aTenant();
  site.pages.set('/', linked('Home', '/a', '/a?sort=up'));
  for (const path of ['/a', '/a?sort=up']) site.pages.set(path, linked('Same'));
  const id = await addSite(tenant);
  expect(await sync(tenant, id)).toMatchObject({ chunks: 2, documents: { ready: 3, failed: 0 } });
  expect((await documentsOf(id))['/a?sort=up']).toMatchObject({ state: 'ready', error: 'duplicate_content' });

  site.pages.set('/', linked('Home', '/a?sort=up'));
  expect(await syncAgain(tenant, id)).toMatchObject({ chunks: 2, documents: { ready: 2 } });
  expect((await documentsOf(id))['/a?sort=up']).toMatchObject({ state: 'ready', error: null });
});

test('stores the same content once even if the other page is visited first and the stored one is unchanged', async () => {
  const tenant = await aTenant();
  const same = { headers: { etag: '"1"' }, body: linked('Same') };
  site.pages.set('/', linked('Home', '/a', '/b'));
  site.pages.set('/b', linked('B', '/other/path'));
  site.pages.set('/a', (request, response) => {
    const isCurrent = request.headers['if-none-match'] === '"1"';
    response.writeHead(isCurrent ? 304 : 200, { 'content-type': 'text/html', etag: '"1"' });
    response.end(isCurrent ? '' : same.body);
  });
  site.pages.set('/other/path', same);
  const id = await addSite(tenant);
  expect(await sync(tenant, id)).toMatchObject({ chunks: 3, documents: { ready: 4 } });
  expect((await documentsOf(id))['/other/path']?.error).toBe('duplicate_content');

  site.pages.set('/', linked('Home', '/other/path', '/b'));
  site.pages.set('/b', linked('B', '/a'));
  expect(await syncAgain(tenant, id)).toMatchObject({ chunks: 3, documents: { ready: 4 } });
  expect((await documentsOf(id))['/a']?.error).toBe('duplicate_content');
});

test('says which pages need JavaScript, and which have no text but links', async () => {
  const tenant = await aTenant();
  site.pages.set(
    '/',
    '<html><body><a href="/app"><img src="/1.png"></a> <a href="/b"><img src="/2.png"></a></body></html>',
  );
  site.pages.set('/app', app);
  site.pages.set('/b', linked('B'));
  const id = await addSite(tenant);
  await sync(tenant, id);
  const documents = await documentsOf(id);
  expect(documents['/']).toMatchObject({ state: 'failed', error: 'no_text' });
  expect(documents['/app']).toMatchObject({ state: 'failed', error: 'needs_javascript' });
  expect(documents['/b']).toMatchObject({ state: 'ready' });
});

test('stops at 2,000 pages and says so, and estimates the time that is left', async () => {
  const tenant = await aTenant();
  const paths = Array.from({ length: 1_990 }, (_, n) => `/p/${n}`);
  const excluded = Array.from({ length: 500 }, (_, n) => `/old/${n}`);
  site.pages.set('/sitemap.xml', site.sitemapOf([...excluded, ...paths, ...paths]));
  site.pages.set('/', linked('Home', ...Array.from({ length: 20 }, (_, n) => `/q/${n}`)));
  for (let n = 0; n < 1_990; n++) site.pages.set(`/p/${n}`, text(`Page ${n}.`));
  const id = await addSite(tenant, { exclude: ['/old/'] });
  const { syncId } = await admin
    .selectFrom('knowledgeSources')
    .select('syncId')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const call = { tenantId: tenant.tenantId, sourceId: id, syncId: syncId ?? '' };
  await syncing.list(call);
  const listed = (await tenant.get(`/knowledge-sources/${id}`)).json<{ source: Source }>().source.sync;
  expect(listed, 'neither excluded pages nor repeated ones count').toMatchObject({ total: 1_991, isLimited: false });
  const progress = async () => {
    await sql`update knowledge_sources set listed_at = now() - interval '100 seconds' where id = ${id}`.execute(admin);
    return (await tenant.get(`/knowledge-sources/${id}`)).json<{ source: Source }>().source.sync;
  };
  while ((await progress()).done < 5) await syncing.fetchSome(call, Date.now());
  const { done, total, secondsLeft, ...rest } = await progress();
  expect(rest).toMatchObject({ state: 'syncing', isLimited: true });
  expect(total).toBe(2_000);
  expect(Math.abs((secondsLeft ?? 0) / ((100 / done) * (total - done)) - 1)).toBeLessThan(0.1);
});

describe('the plan of a crawl', () => {
  const planFor = async (tenant: TestTenant, config: object = {}) => {
    const { post } = as(tenant.headers, planningApi.app);
    const response = await post(`/bots/${tenant.botId}/crawl-plan`, { url: `${site.url}/`, ...config });
    expect(response.statusCode, response.body).toBe(200);
    return response.json<{ plan: CrawlPlan }>().plan;
  };

  test('says how many pages are where, and how long they take, and stores nothing', async () => {
    const tenant = await aTenant();
    site.pages.set('/robots.txt', text('User-agent: *\nCrawl-delay: 0.2'));
    site.pages.set('/sitemap.xml', site.sitemapOf(['/help/a', '/help/b', '/blog/1']));
    site.pages.set('/', linked('Home', '/help/a', '/help/c', '/contact'));
    const plan = await planFor(tenant, { exclude: ['/blog/'] });
    expect(plan).toMatchObject({
      url: `${site.url}/`,
      crawlDelaySeconds: 0.2,
      sitemaps: [`${site.url}/sitemap.xml`],
      pages: { found: 5, isLimited: false },
      sections: [
        { path: '/help/', pages: 3, isIncluded: true },
        { path: '/blog/', pages: 1, isIncluded: false },
        { path: '/', pages: 1, isIncluded: true },
      ],
      examples: ['/', '/help/a', '/help/b', '/help/c', '/contact'].map((path) => site.url + path),
      problem: null,
    });
    expect(plan.secondsExpected).toBeGreaterThanOrEqual(1);
    expect((await tenant.get(`/bots/${tenant.botId}/knowledge-sources`)).json()).toMatchObject({ data: [] });
  });

  test('says what is wrong with the start page', async () => {
    const tenant = await aTenant();
    expect(await planFor(tenant)).toMatchObject({ pages: { found: 0 }, problem: { reason: 'page_not_found' } });
    site.pages.set('/robots.txt', text('User-agent: *\nDisallow: /'));
    expect(await planFor(tenant)).toMatchObject({ problem: { reason: 'blocked_by_robots' } });
    expect(site.requests).not.toContain('/sitemap.xml');
    site.pages.set('/robots.txt', text(''));
    site.pages.set('/', app);
    expect(await planFor(tenant)).toMatchObject({ problem: { reason: 'needs_javascript' } });
    expect(await planFor(tenant, { url: 'http://169.254.169.254/' })).toMatchObject({
      problem: { reason: 'https_only' },
    });
  });

  test('404 for the bot of another tenant, without a request to the site', async () => {
    const [tenant, other] = [await aTenant(), await aTenant()];
    const { post } = as(other.headers, planningApi.app);
    expect((await post(`/bots/${tenant.botId}/crawl-plan`, { url: site.url })).statusCode).toBe(404);
    expect(site.requests).toEqual([]);
  });
});
