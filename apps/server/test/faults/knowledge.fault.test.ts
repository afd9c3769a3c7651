import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { freePort, startRestate } from '../../../../tools/stack/index.ts';
import { countOf } from '../../../../tools/testing/size.ts';
import { admin, aTenant, eventsOf, settings, ownDir } from '../harness.ts';
import { aSite, page } from '../knowledge-site.ts';
import { startChild, type Child } from './child.ts';
import { randomFrom, seed } from './random.ts';

const dir = ownDir('faults-knowledge');
const restate = await startRestate(dir, { partitions: 4 });
const workerPort = await freePort();
const site = await aSite();
const random = randomFrom(seed);
let worker: Child | undefined;

afterAll(async () => {
  worker?.signal('SIGKILL');
  await restate.kill();
  site.close();
  rmSync(dir, { recursive: true, force: true });
});

async function aWorker(): Promise<Child> {
  worker = startChild(
    'src/worker.ts',
    settings({
      LOG_LEVEL: 'info',
      RESTATE_INGRESS_URL: restate.ingressUrl,
      RESTATE_ADMIN_URL: restate.adminUrl,
      RESTATE_IDENTITY_KEYS: restate.identityKey,
      WORKER_PORT: String(workerPort),
      EGRESS_TENANT_OPEN_HOSTS: site.host,
    }),
  );
  await worker.ready;
  return worker;
}

const pages = countOf('SYNC_PAGES', { sample: 12, full: 30 });
const kills = countOf('SYNC_KILLS', { sample: 1, full: 2 });

test(`a sync of ${pages} pages ends with every page exactly once after the worker was killed in the middle (${kills} times)`, async () => {
  console.log(`knowledge: FAULT_SEED=${seed}`);
  const tenant = await aTenant();
  const paths = Array.from({ length: pages }, (_, n) => `/help/${n}`);
  for (const path of paths) site.pages.set(path, page(`Topic ${path}`, `The number of this page is ${path}.`));
  site.pages.set('/sitemap.xml', site.sitemapOf(paths));
  site.state.delayMs = 60;
  let running = await aWorker();
  const body = { kind: 'sitemap', name: 'Site', url: `${site.url}/sitemap.xml` };
  const response = await tenant.post(`/bots/${tenant.botId}/knowledge-sources`, body);
  const { id } = response.json<{ source: { id: string } }>().source;
  const source = () =>
    admin.selectFrom('knowledgeSources').select(['state', 'done', 'total']).where('id', '=', id).executeTakeFirst();
  const doneIs = (min: number) =>
    expect.poll(async () => (await source())?.done ?? 0, { timeout: 20_000, interval: 20 }).toBeGreaterThanOrEqual(min);

  for (let kill = 0; kill < kills; kill++) {
    await doneIs(((await source())?.done ?? 0) + 3);
    await sleep(random.between(0, 200));
    running.signal('SIGKILL');
    await running.ended;
    const after = await source();
    expect(after?.state).toBe('syncing');
    expect(after?.done).toBeLessThan(pages);
    running = await aWorker();
  }
  await expect.poll(source, { timeout: 30_000, interval: 100 }).toEqual({ state: 'ready', done: pages, total: pages });
  const documents = await admin.selectFrom('knowledgeDocuments').selectAll().where('sourceId', '=', id).execute();
  expect(documents.map(({ location }) => location.replace(site.url, '')).toSorted()).toEqual(paths.toSorted());
  expect(documents.every(({ state }) => state === 'ready')).toBe(true);
  const chunks = await admin.selectFrom('knowledgeChunks').select('documentId').where('sourceId', '=', id).execute();
  expect(chunks.map(({ documentId }) => documentId).toSorted()).toEqual(documents.map((one) => one.id).toSorted());
  await sleep(500); // for a duplicate
  expect((await eventsOf(tenant.tenantId)).filter((type) => type === 'knowledge.synced')).toHaveLength(1);
  const fetches = paths.map((path) => site.requests.filter((fetched) => fetched === path).length);
  console.log(`knowledge: ${pages} pages, ${fetches.reduce((sum, n) => sum + n, 0)} fetches, ${kills} kills`);
  expect(Math.max(...fetches), 'a page is fetched again only after a kill').toBeLessThanOrEqual(1 + kills);
}, 90_000);
