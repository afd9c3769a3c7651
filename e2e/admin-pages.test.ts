import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Page } from 'playwright-core';
import { aBrowser, waitForHydration, demo } from './browser.ts';
import { checkPage, inAppearances, someOf, textOf, type Paths } from './appearances.ts';
import { anOperator, signInAsOperator } from './operators.ts';
import { aChat } from './people.ts';

// Every page of the admin portal in each appearance, and for roles without access.

const tenant = `/tenants/${demo.tenantId}`;
let [userId, deliveryId] = ['', ''];
beforeAll(async () => {
  const headers = { authorization: `Bearer ${demo.serverKey}`, 'x-service-api-key-id': demo.serverKeyId };
  await fetch(`${demo.apiUrl}/bots/bot_01h00000000000000000000000`, { headers }); // so that there is an error to see
  deliveryId = await vi.waitFor(
    async () => {
      const response = await fetch(`${demo.apiUrl}/webhooks/${demo.webhookId}/deliveries`, { headers });
      const [found] = ((await response.json()) as { data: { id: string }[] }).data;
      if (!found) throw new Error('no delivery yet');
      return found.id;
    },
    { timeout: 60_000, interval: 100 },
  );
  await aChat('When do you open?'); // so that a tenant is busy
  const login = await fetch(`${demo.apiUrl}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(demo.customer),
  });
  ({ userId } = (await login.json()) as { userId: string });
});

const paths: Paths = [
  ['tenants', () => '/tenants'],
  ['tenants-found', () => '/tenants?query=demo'],
  ['tenants-none', () => '/tenants?query=nobody-like-this'],
  ['tenant', () => tenant],
  ['tenant-plan', () => `${tenant}/plan`],
  ['tenant-health', () => `${tenant}/health`],
  ['tenant-usage', () => `${tenant}/usage`],
  ['tenant-audit', () => `${tenant}/audit`],
  ['tenant-danger', () => `${tenant}/danger`],
  ['erasures', () => '/erasures'],
  ['operations', () => '/operations'],
  ['invocations', () => '/operations/invocations'],
  ['jobs', () => '/operations/jobs'],
  ['rate-limit-usage', () => '/operations/rate-limit-usage'],
  ['busiest-tenants', () => '/operations/busiest-tenants'],
  ['busiest-tenants-none', () => '/operations/busiest-tenants?by=model_spend&hours=1'],
  ['deliveries', () => '/deliveries'],
  ['held', () => '/deliveries/held'],
  ['exhausted', () => '/deliveries/exhausted'],
  ['endpoint', () => `/deliveries/${demo.tenantId}/${demo.webhookId}`],
  ['delivery', () => `/deliveries/${demo.tenantId}/${demo.webhookId}/${deliveryId}`],
  ['users', () => '/users'],
  ['operators', () => '/users?pool=admin'],
  ['user', () => `/users/customer/${userId}`],
  ['keys', () => '/keys'],
  ['announcements', () => '/announcements'],
  ['audit', () => '/audit'],
  ['audit-pools', () => '/audit/pools'],
  ['profile', () => '/profile'],
  ['nothing-here', () => '/no/such/page'],
];

test.each(inAppearances([['sign-in', () => '/sign-in']]))(
  '$screenshot passes axe and fits ($appearance.name)',
  async ({ screenshot, path, appearance }) => {
    const { page } = await aBrowser();
    await checkPage(page, demo.adminUrl + path(), `admin-${screenshot}`, appearance);
  },
);

describe('for a platform admin', () => {
  let opened: Awaited<ReturnType<typeof aBrowser>>;
  beforeAll(async () => {
    opened = await aBrowser();
    await signInAsOperator(opened.page, await anOperator());
    return () => opened.context.close();
  });
  test.each(paths)('%s is sent with its text', async (_, path) => {
    expect((await textOf(opened.page, demo.adminUrl + path())).length).toBeGreaterThan(40);
  });
  test.each(inAppearances(someOf(paths, 2)))(
    '$screenshot passes axe, fits and violates no CSP ($appearance.name)',
    async ({ screenshot, path, appearance }) => {
      opened.problems.length = 0;
      await checkPage(opened.page, demo.adminUrl + path(), `admin-${screenshot}`, appearance);
      expect(opened.problems).toEqual([]);
    },
  );
});

describe('for support', () => {
  let page: Page;
  beforeAll(async () => {
    const opened = await aBrowser();
    ({ page } = opened);
    await signInAsOperator(page, await anOperator('support'));
    return () => opened.context.close();
  });
  const named = (...names: string[]) => paths.filter(([name]) => names.includes(name));
  const forbidden = named('audit', 'audit-pools');
  const readable = named('tenant-danger', 'tenant-plan', 'keys', 'announcements');
  const [reader, writer] = [/the Platform admin or Auditor role/, /Requires the Platform admin/];
  test.each(forbidden)('%s names the required role', async (_, path) => {
    expect(await textOf(page, demo.adminUrl + path())).toMatch(reader);
  });
  test.each(readable)('%s names the role that can change it', async (_, path) => {
    expect(await textOf(page, demo.adminUrl + path())).toMatch(writer);
  });
  test.each(inAppearances(someOf(forbidden, 4)))(
    '$screenshot passes axe, fits and names the required role ($appearance.name)',
    async ({ screenshot, path, appearance }) => {
      await checkPage(page, demo.adminUrl + path(), `admin-${screenshot}-support`, appearance);
      expect(await page.locator('main').innerText()).toMatch(reader);
    },
  );
  test.each(inAppearances(someOf(readable, 4)))(
    '$screenshot passes axe, fits, is readable and names the role that can change it ($appearance.name)',
    async ({ screenshot, path, appearance }) => {
      await checkPage(page, demo.adminUrl + path(), `admin-${screenshot}-support`, appearance);
      const notice = page.getByRole('note', { name: writer }).or(page.getByText(writer));
      expect(await notice.count()).toBeGreaterThan(0);
    },
  );
});

test('reaches the search, a tenant and its tabs by keyboard alone, with visible focus', async () => {
  const { page } = await aBrowser();
  await signInAsOperator(page, await anOperator());
  await page.goto(`${demo.adminUrl}/tenants`);
  await waitForHydration(page);
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content');
  await page.keyboard.press('Enter');
  const at = () =>
    page.evaluate(() => {
      const here = document.activeElement;
      const outline = here ? getComputedStyle(here).outlineStyle : '';
      return { tag: here?.tagName, href: here?.getAttribute('href') ?? '', outline };
    });
  // Other tests create tenants at the same time, so search for this one first.
  for (let n = 0; n < 40 && (await at()).tag !== 'INPUT'; n++) await page.keyboard.press('Tab');
  await page.keyboard.type(demo.tenantId);
  await page.waitForURL((url) => url.searchParams.get('query') === demo.tenantId);
  for (let n = 0; n < 40 && (await at()).href !== tenant; n++) await page.keyboard.press('Tab');
  expect(await at()).toMatchObject({ href: tenant, outline: 'solid' });
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname === tenant);
  for (let n = 0; n < 60 && (await at()).href !== `${tenant}/danger`; n++) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname === `${tenant}/danger`);
});
