import { createServer as createHttps } from 'node:https';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { anAuthority } from '../../../../../../tools/receiver/certificates.ts';
import { httpClientFor, failureOf, listening } from '../../../../test/egress.ts';
import { aSite, page, type Site, type SitePage } from '../../../../test/knowledge-site.ts';
import { createSafeFetch } from '../../../platform/safe-fetch.ts';
import { isSameSite, startCrawl, type Crawl } from './crawl.ts';
import { createReader, type RunInThread } from './reader/reader.ts';
import { listSitemaps, startListing } from './sitemap.ts';

const reader = createReader();
const run: RunInThread = (task, input) => reader(task, input, 'tenant');
const open: Site[] = [];
afterEach(() => open.splice(0).forEach((site) => site.close()));

async function aCrawl(pages: Record<string, SitePage> = {}, maxMs?: number) {
  const site = await aSite(pages);
  open.push(site);
  const httpClient = createSafeFetch({ openHosts: [site.host], ownHosts: [] });
  return { site, crawl: startCrawl(httpClient, run, site.url, maxMs) };
}
const listSitemap = (crawl: Crawl, url: string) => listSitemaps(crawl, run, startListing([url]));
const reasonOf = async (work: Promise<unknown>) => (await failureOf(work)).failure;
const text = (body: string, status = 200) => ({ status, headers: { 'content-type': 'text/plain' }, body });
const to = (location: string, status = 302) => ({ status, headers: { location } });

describe('robots.txt', () => {
  test('is fetched once per crawl, and disallowed pages are not fetched', async () => {
    const { site, crawl } = await aCrawl({
      '/robots.txt': text('User-agent: *\nDisallow: /\n\nUser-agent: ParleyBot\nDisallow: /private'),
      '/a': page('A', 'First.'),
      '/b': page('B', 'Second.'),
      '/private/c': page('C', 'Third.'),
    });
    expect((await crawl.fetchPage(`${site.url}/a`)).bytes.toString()).toContain('First.');
    await crawl.fetchPage(`${site.url}/b`);
    expect(await reasonOf(crawl.fetchPage(`${site.url}/private/c`))).toBe('Unreadable blocked_by_robots');
    expect(site.requests).toEqual(['/robots.txt', '/a', '/b']);
  });

  test('allows everything if missing, and stops the crawl if it fails', async () => {
    const none = await aCrawl({ '/a': page('A', 'Text.') });
    expect((await none.crawl.fetchPage(`${none.site.url}/a`)).mediaType).toBe('text/html');
    for (const status of [500, 503, 429]) {
      const { site, crawl } = await aCrawl({ '/robots.txt': text('', status), '/a': page('A', 'Text.') });
      expect(await reasonOf(crawl.fetchPage(`${site.url}/a`))).toBe('Unreadable robots_unavailable');
      expect(site.requests).toEqual(['/robots.txt']);
    }
  });

  test('its crawl delay is respected, with one request at a time', async () => {
    const { site, crawl } = await aCrawl({
      '/robots.txt': text('User-agent: *\nCrawl-delay: 0.3'),
      '/a': page('A', 'Text.'),
    });
    const startedAt = performance.now();
    await Promise.all([1, 2, 3].map(() => crawl.fetchPage(`${site.url}/a`)));
    expect(performance.now() - startedAt).toBeGreaterThan(590);
    expect(site.state.max).toBe(1);
  });
});

describe('redirects', () => {
  test('are followed up to three times within the site, each checked against robots.txt', async () => {
    const { site, crawl } = await aCrawl({
      '/robots.txt': text('User-agent: *\nDisallow: /private'),
      '/1': to('/2', 301),
      '/2': to('3#part', 308),
      '/3': to('/4', 307),
      '/4': page('Four', 'At last.'),
      '/0': to('/1'),
      '/sly': to('/private/x'),
      '/loop': to('/loop'),
      '/nowhere': { status: 302 },
    });
    expect((await crawl.fetchPage(`${site.url}/1`)).url).toBe(`${site.url}/4`);
    expect(await reasonOf(crawl.fetchPage(`${site.url}/0`))).toBe('Unreadable too_many_redirects');
    expect(await reasonOf(crawl.fetchPage(`${site.url}/loop`))).toBe('Unreadable too_many_redirects');
    expect(await reasonOf(crawl.fetchPage(`${site.url}/sly`))).toBe('Unreadable blocked_by_robots');
    expect(await reasonOf(crawl.fetchPage(`${site.url}/nowhere`))).toBe('Unreadable page_forbidden');
    expect(site.requests).not.toContain('/private/x');
  });

  test('fail with site_timeout if they take longer than a page may take in total', async () => {
    const { site, crawl } = await aCrawl({ '/1': to('/2'), '/2': to('/3'), '/3': page('Three', 'Too late.') }, 1_000);
    site.state.delayMs = 400;
    expect(await reasonOf(crawl.fetchPage(`${site.url}/1`))).toBe('Unreadable site_timeout');
    expect((await crawl.fetchPage(`${site.url}/3`)).url, 'the next page has its own time').toBe(`${site.url}/3`);
  });

  test('to another site or a blocked address are not followed', async () => {
    const other = await aSite({ '/': page('Other', 'Text.') });
    open.push(other);
    const { site, crawl } = await aCrawl({
      '/away': to('https://example.com/'),
      '/inward': to(other.url), // same IP, but another port that is not allowed
      '/metadata': to('http://169.254.169.254/latest/meta-data/'),
      '/scheme': to('file:///etc/passwd'),
    });
    const reasons = [];
    for (const path of ['/away', '/inward', '/metadata', '/scheme'])
      reasons.push(await reasonOf(crawl.fetchPage(site.url + path)));
    expect(reasons).toEqual([
      'Unreadable redirected_to_other_site',
      'Unreadable https_only',
      'Unreadable redirected_to_other_site',
      'Unreadable redirected_to_other_site',
    ]);
    expect(other.requests).toEqual([]);
  });

  test('treats subdomains and `www.` as the same site', () => {
    const same = (one: string, other: string) => isSameSite(`https://${one}/`, `https://${other}/`);
    expect(same('example.com', 'www.example.com')).toBe(true);
    expect(same('www.example.com', 'example.com')).toBe(true);
    expect(same('example.com', 'docs.example.com')).toBe(true);
    expect(same('docs.example.com', 'example.com')).toBe(false);
    expect(same('example.com', 'badexample.com')).toBe(false);
    expect(same('example.com', 'example.com.evil.test')).toBe(false);
  });
});

describe('responses', () => {
  test('are rejected if they are not a readable page', async () => {
    const { site, crawl } = await aCrawl({
      '/gone': { status: 410 },
      '/secret': { status: 403 },
      '/teapot': { status: 418 },
      '/busy': { status: 429 },
      '/bad': { status: 500 },
      '/picture': { headers: { 'content-type': 'image/png' }, body: 'x' },
      '/script': { headers: { 'content-type': 'application/json' }, body: '{}' },
      '/packed': { headers: { 'content-encoding': 'gzip' }, body: gzipSync('x'.repeat(1_000)) },
      '/huge': { body: Buffer.alloc(5 * 1024 * 1024 + 1, 'x') },
    });
    const reasons: Record<string, string> = {};
    for (const path of site.pages.keys()) reasons[path] = await reasonOf(crawl.fetchPage(site.url + path));
    expect(reasons).toEqual({
      '/gone': 'Unreadable page_not_found',
      '/secret': 'Unreadable page_forbidden',
      '/teapot': 'Unreadable page_forbidden',
      '/busy': 'Unreadable site_error',
      '/bad': 'Unreadable site_error',
      '/picture': 'Unreadable unsupported_type',
      '/script': 'Unreadable unsupported_type',
      '/packed': 'Unreadable unsupported_type',
      '/huge': 'Unreadable too_large',
    });
  });

  test('are requested with our user agent and without compression', async () => {
    const requestHeaders: Record<string, unknown>[] = [];
    const { site, crawl } = await aCrawl({
      '/a': (request, response) => {
        requestHeaders.push(request.headers);
        response.writeHead(200, { 'content-type': 'text/html' }).end('<p>x');
      },
    });
    await crawl.fetchPage(`${site.url}/a`);
    expect(requestHeaders).toMatchObject([{ 'user-agent': 'ParleyBot/1.0', 'accept-encoding': 'identity' }]);
  });

  test('retries once after a broken connection', async () => {
    let attempts = 0;
    const { site, crawl } = await aCrawl({
      '/a': (request, response) => {
        if (++attempts === 1) return void request.socket.destroy();
        response.writeHead(200, { 'content-type': 'text/html' }).end('<p>x');
      },
      '/never': (request) => void request.socket.destroy(),
    });
    expect((await crawl.fetchPage(`${site.url}/a`)).bytes.toString()).toBe('<p>x');
    expect(await reasonOf(crawl.fetchPage(`${site.url}/never`))).toBe('Unreadable site_unreachable');
  });

  test('are accepted over HTTPS only with a valid certificate', async () => {
    const authority = await anAuthority('Knowledge test');
    const serve = async (host: string) => {
      const server = createHttps(await authority.certify(host), (request, response) => {
        response.writeHead(request.url === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' }).end('<p>Safe');
      });
      return (await listening(server)).port;
    };
    const [port, badPort] = [await serve('help.example'), await serve('another.example')];
    const { httpClient } = await httpClientFor({ 'help.example': ['127.0.0.1'] }, { extraCa: authority.pem });
    const good = `https://help.example:${port}/`;
    expect((await startCrawl(httpClient, run, good).fetchPage(good)).bytes.toString()).toBe('<p>Safe');
    const bad = `https://help.example:${badPort}/`;
    expect(await reasonOf(startCrawl(httpClient, run, bad).fetchPage(bad))).toBe('Unreadable invalid_certificate');
  });
});

describe('sitemaps', () => {
  const map = (entries: string) =>
    `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries}</urlset>`;

  test('return the pages of their own host once each, with the modification date', async () => {
    const { site, crawl } = await aCrawl();
    const entry = (url: string, more = '') => `<url><loc>${url}</loc>${more}</url>`;
    site.pages.set(
      '/sitemap.xml',
      map(
        [
          entry(`${site.url}/a`, '<lastmod>2026-01-02</lastmod>'),
          entry(` ${site.url}/b?x=1&amp;y=2#part `),
          entry(`${site.url}/a`),
          entry('https://example.com/elsewhere'),
          entry('not a url'),
          entry('javascript:alert(1)'),
          '<url></url>',
        ].join(''),
      ),
    );
    expect((await listSitemap(crawl, `${site.url}/sitemap.xml`)).pages).toEqual([
      { url: `${site.url}/a`, lastModified: '2026-01-02' },
      { url: `${site.url}/b?x=1&y=2`, lastModified: null },
    ]);
  });

  test('follow an index one level deep, on its own host only', async () => {
    const { site, crawl } = await aCrawl();
    const index = (...urls: string[]) =>
      `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;
    site.pages.set('/index.xml', index(`${site.url}/1.xml`, `${site.url}/deep.xml`, 'https://example.com/2.xml'));
    site.pages.set('/1.xml', site.sitemapOf(['/a', '/b']));
    site.pages.set('/deep.xml', index(`${site.url}/1.xml`));
    expect((await listSitemap(crawl, `${site.url}/index.xml`)).pages.map(({ url }) => url)).toEqual([
      `${site.url}/a`,
      `${site.url}/b`,
    ]);
    expect(site.requests).toEqual(['/robots.txt', '/index.xml', '/1.xml', '/deep.xml']);
  });

  test('return at most 2,000 pages, the newest', async () => {
    const { site, crawl } = await aCrawl();
    const entries = Array.from({ length: 2_500 }, (_, n) => {
      const day = new Date(Date.UTC(2020, 0, 1 + n)).toISOString().slice(0, 10);
      return `<url><loc>${site.url}/${n}</loc><lastmod>${day}</lastmod></url>`;
    });
    site.pages.set('/sitemap.xml', map(entries.join('')));
    const { pages } = await listSitemap(crawl, `${site.url}/sitemap.xml`);
    expect(pages).toHaveLength(2_000);
    expect(pages[0]?.url).toBe(`${site.url}/2499`);
  });

  test('are rejected if they declare entities', async () => {
    const { site, crawl } = await aCrawl();
    const laughs = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>${map('<url><loc>&b;</loc></url>')}`;
    site.pages.set('/laughs.xml', laughs);
    site.pages.set('/page.xml', page('No map', 'At all.'));
    site.pages.set('/broken.xml', '<urlset><url>');
    for (const path of ['/laughs.xml', '/page.xml'])
      expect(await reasonOf(listSitemap(crawl, site.url + path)), path).toBe('Unreadable invalid_sitemap');
    expect((await listSitemap(crawl, `${site.url}/broken.xml`)).pages).toEqual([]);
  });
});
