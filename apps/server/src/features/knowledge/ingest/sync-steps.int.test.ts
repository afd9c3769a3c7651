import { afterAll, expect, test } from 'vitest';
import { admin, aTenant, services } from '../../../../test/harness.ts';
import { aSite, page } from '../../../../test/knowledge-site.ts';
import { createSafeFetch } from '../../../platform/safe-fetch.ts';
import { createReader } from './reader/reader.ts';
import { createSyncing } from './sync.ts';

const site = await aSite();
const fetch = createSafeFetch({ openHosts: [site.host], ownHosts: [] });
afterAll(async () => {
  await fetch.close();
  site.close();
});

/** A sync as one worker runs it, with this much time per invocation. */
const aWorker = (startMs: number) => createSyncing({ services, fetch, reader: createReader(), startMs });

test('returns how long the crawl delay of the site lasts, so that the next invocation waits on any worker', async () => {
  const tenant = await aTenant();
  const paths = ['/a', '/b'];
  for (const path of paths) site.pages.set(path, page(path, 'Text.'));
  site.pages.set('/sitemap.xml', site.sitemapOf(paths));
  site.pages.set('/robots.txt', {
    headers: { 'content-type': 'text/plain' },
    body: 'User-agent: *\nCrawl-delay: 5',
  });
  const source = { kind: 'sitemap', name: 'Site', url: `${site.url}/sitemap.xml` };
  const created = await tenant.post(`/bots/${tenant.botId}/knowledge-sources`, source);
  const { id: sourceId } = created.json<{ source: { id: string } }>().source;
  const stored = admin.selectFrom('knowledgeSources').select('syncId').where('id', '=', sourceId);
  const call = { tenantId: tenant.tenantId, sourceId, syncId: (await stored.executeTakeFirstOrThrow()).syncId ?? '' };
  const delay = { isDone: false, afterMs: expect.toSatisfy((ms: number) => ms > 0 && ms <= 5_000) };
  const pages = () => site.requests.filter((path) => paths.includes(path));

  const first = aWorker(1_000);
  expect(await first.list(call)).toMatchObject({ problem: null, afterMs: delay.afterMs });
  expect(await first.fetchSome(call, Date.now()), 'not before the delay is over').toEqual(delay);
  expect(pages()).toEqual([]);
  expect(await aWorker(1_000).fetchSome(call, Date.now())).toEqual(delay);
  expect(pages()).toHaveLength(1);
});
