import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { productVersion } from '../apps/server/src/platform/product-version.ts';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import { freePort } from '../tools/stack/index.ts';
import { aBrowser, portalSettings, apiEntry, settings } from './browser.ts';
import { anOperator, signInAsOperator } from './operators.ts';
import { open } from './steps.ts';

/** Its own API, worker and admin portal, so that stopping the worker affects no other test. */
async function ownDeployment() {
  const [port, adminPort] = [await freePort(), await freePort()];
  const [apiUrl, adminUrl] = [`http://localhost:${port}`, `http://localhost:${adminPort}`];
  // Processes register under this prefix. Restate keeps its worker.
  const own = { ...settings, VALKEY_PREFIX: `story-${port}:`, STOP_GRACE_SECONDS: '1', STOP_NOTICE_SECONDS: '0' };
  const startWorker = (version = '') => {
    // From source, as a build has a fixed version.
    const worker = runEntry('apps/server/src/worker.ts', {
      ...own,
      RESTATE_ADMIN_URL: '',
      WORKER_PORT: '0',
      ...(version && { PARLEY_VERSION: version }),
    });
    onTestFinished(worker.stop); // also if the test fails
    return worker;
  };
  const api = runEntry(apiEntry, { ...own, PORT: String(port), PUBLIC_URL: apiUrl });
  const portal = runEntry('apps/admin/src/server.ts', {
    ...portalSettings,
    PORT: String(adminPort),
    PORTAL_URL: adminUrl,
    API_URL: apiUrl,
  });
  await Promise.all([waitFor(`${apiUrl}/health/ready`), waitFor(`${adminUrl}/health/live`)]);
  return { adminUrl, startWorker, stop: () => Promise.all([portal.stop(), api.stop()]) };
}

let adminUrl: string;
let startWorker: Awaited<ReturnType<typeof ownDeployment>>['startWorker'];
beforeAll(async () => {
  const deployment = await ownDeployment();
  ({ adminUrl, startWorker } = deployment);
  return async () => void (await deployment.stop());
});

test('reports a missing worker with the next step, and recovers without a reload when one runs', async () => {
  const { page, problems } = await aBrowser();
  await signInAsOperator(page, await anOperator('support'), adminUrl);
  await open(page, '/tenants', adminUrl);
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByText(/\d+ problems?$/)
    .waitFor();
  await page.getByRole('link', { name: 'Operations' }).click();
  const processes = page.getByRole('article', { name: 'Processes' });
  await processes.getByText('Down', { exact: true }).waitFor();
  expect(await processes.innerText()).toContain('No worker is running');
  expect(await processes.innerText()).toContain('worker-missing');
  expect(await page.getByRole('article', { name: 'PostgreSQL' }).innerText()).toContain('Healthy');

  const worker = startWorker();
  const slow = { timeout: 60_000 };
  await processes.getByText('Healthy', { exact: true }).waitFor(slow);
  await page.getByRole('region', { name: 'Running processes' }).getByText('Worker').waitFor();
  await worker.stop();
  await processes.getByText('Down', { exact: true }).waitFor(slow);

  await page.getByRole('link', { name: 'Invocations' }).click();
  await page
    .getByText(/No stuck invocations|Error and next step/)
    .first()
    .waitFor();
  expect(problems).toEqual([]);
});

test('shows the version of each process, and a roll-out while there is more than one', async () => {
  const { page, problems } = await aBrowser();
  await signInAsOperator(page, await anOperator('support'), adminUrl);
  await open(page, '/operations', adminUrl);
  const processes = page.getByRole('region', { name: 'Running processes' });
  await processes.getByText(productVersion, { exact: true }).waitFor();
  const rollOut = page.getByRole('status').filter({ hasText: 'Roll-out in progress' });
  expect(await rollOut.count()).toBe(0);

  const worker = startWorker('99.0.0');
  await rollOut.waitFor({ timeout: 60_000 });
  const text = (await rollOut.innerText()).replaceAll(/\s+/g, ' ');
  expect(text).toContain(`1 process on 99.0.0 1 process on ${productVersion}`);
  await processes.getByText('99.0.0', { exact: true }).waitFor();
  await worker.stop();
  await rollOut.waitFor({ state: 'detached', timeout: 60_000 });
  expect(problems).toEqual([]);
});
