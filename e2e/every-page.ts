import { beforeAll, describe, expect, test, vi } from 'vitest';
import { aShop } from './a-shop.ts';
import { aBrowser, demo, signIn } from './browser.ts';
import { checkPage, inAppearances, someOf, textOf, type Paths } from './appearances.ts';
import { aChat, aColleague, aNewcomer, post, requestHandoff } from './people.ts';

// Every page in each appearance: with data, empty, and for roles without access.

let conversationId = '';
let contactId = '';
let deliveryId = '';
let sourceId = '';
let actions = '';
let actionId = '';
let flowId = '';
let runId = '';
let flowRunId = '';
beforeAll(async () => {
  ({ conversationId } = await aChat('How long does delivery take?', 'Can I send it back?'));
  await requestHandoff(await aChat('Do you sell submarines?'));
  const headers = { authorization: `Bearer ${demo.serverKey}`, 'x-service-api-key-id': demo.serverKeyId };
  const first = async (path: string) => {
    const response = await fetch(demo.apiUrl + path, { headers });
    const [found] = ((await response.json()) as { data: { id: string }[] }).data;
    if (!found) throw new Error(`nothing at ${path}`);
    return found.id;
  };
  deliveryId = await vi.waitFor(() => first(`/webhooks/${demo.webhookId}/deliveries`), {
    timeout: 20_000,
    interval: 100,
  });
  contactId = await aContact(headers);
  sourceId = await first(`/bots/${demo.botId}/knowledge-sources`);
  await addActions();
});

const aContact = async (headers: Record<string, string>) => {
  const { tenantId, workspaceId, environmentId, botId } = demo;
  const user = {
    externalUserId: 'every-page',
    email: 'ida@shop.example',
    name: 'Ida Holm',
    attributes: { plan: 'Plus' },
  };
  const where = { tenantId, workspaceId, environmentId, botId };
  return (await post<{ contactId: string }>('/widget/sessions/authenticated', { ...where, ...user }, headers))
    .contactId;
};

/** A write with an unknown result, and a workflow. */
async function addActions() {
  const shop = await aShop();
  actions = `/bots/${shop.id}/actions`;
  const outputSchema = {
    type: 'object',
    additionalProperties: false,
    required: ['ticket'],
    properties: { ticket: {} },
  };
  actionId = await shop.addAction({
    name: 'order_status',
    title: 'Cancel an order',
    risk: 'write',
    effect: 'at_most_once',
    triggers: ['cancel my order'],
    outputSchema,
  });
  const step = { name: 'cancel', actionId, input: { orderId: { from: '/input/orderId' } } };
  flowId = await shop.addAction({ name: 'flow', title: 'Send it back', risk: 'write', webhookId: null, steps: [step] });
  runId = (await shop.tryAction(actionId, { orderId: 'A-1001' })).id;
  flowRunId = (await shop.tryAction(flowId, { orderId: 'A-1001' })).id;
}

const paths: Paths = [
  ['home', () => '/'],
  ['setup', () => '/setup'],
  ['setup-new', () => '/setup?new'],
  ['bots', () => '/bots'],
  ['build', () => `/bots/${demo.botId}`],
  ['knowledge', () => `/bots/${demo.botId}/knowledge`],
  ['source', () => `/bots/${demo.botId}/knowledge/${sourceId}`],
  ['actions', () => actions],
  ['action-new', () => `${actions}/new`],
  ['action', () => `${actions}/${actionId}`],
  ['action-steps', () => `${actions}/${flowId}`],
  ['appearance', () => `/bots/${demo.botId}/appearance`],
  ['install', () => `/bots/${demo.botId}/install`],
  ['versions', () => `/bots/${demo.botId}/versions`],
  ['bot-settings', () => `/bots/${demo.botId}/settings`],
  ['conversations', () => '/conversations'],
  ['conversation', () => `/conversations/${conversationId}`],
  ['contacts', () => '/contacts'],
  ['contact', () => `/contacts/${contactId}`],
  ['insights', () => '/insights'],
  ['developers', () => '/developers'],
  ['keys', () => '/developers/keys'],
  ['webhooks', () => '/developers/webhooks'],
  ['webhook', () => `/developers/webhooks/${demo.webhookId}`],
  ['delivery', () => `/developers/webhooks/${demo.webhookId}/deliveries/${deliveryId}`],
  ['events', () => '/developers/events'],
  ['runs', () => '/developers/runs'],
  ['run', () => `/developers/runs/${runId}`],
  ['run-steps', () => `/developers/runs/${flowRunId}`],
  ['members', () => '/organisation'],
  ['workspaces', () => '/organisation/workspaces'],
  ['inbox-settings', () => '/organisation/inbox'],
  ['plan', () => '/organisation/plan'],
  ['plans', () => '/organisation/plans'],
  ['audit', () => '/organisation/audit'],
  ['settings', () => '/organisation/settings'],
  ['profile', () => '/profile'],
  ['two-factor', () => '/two-factor'],
  ['nothing-here', () => '/no/such/page'],
];
const lists = paths.filter(([name]) =>
  [
    'home',
    'bots',
    'conversations',
    'contacts',
    'insights',
    'keys',
    'webhooks',
    'events',
    'runs',
    'members',
    'workspaces',
    'plan',
    'audit',
    'setup',
  ].includes(name),
);

const signedOut: Paths = [
  ['sign-in', () => '/sign-in'],
  ['sign-up', () => '/sign-up'],
];
const forbidden: Paths = [
  ['keys', () => '/developers/keys'],
  ['members', () => '/organisation'],
  ['audit', () => '/organisation/audit'],
  ['insights', () => '/insights'],
];

export const testEveryPage = (widths: readonly number[]) => {
  const ofWidth = (pages: Paths) =>
    inAppearances(pages).filter(({ appearance }) => widths.includes(appearance.viewport.width));
  const inOwnBrowser = (person: () => Promise<Parameters<typeof signIn>[1]>) => {
    let opened: Awaited<ReturnType<typeof aBrowser>>;
    beforeAll(async () => {
      opened = await aBrowser();
      await signIn(opened.page, await person());
      return () => opened.context.close();
    });
    return () => opened;
  };

  test.each(ofWidth(signedOut))(
    '$screenshot passes axe and fits ($appearance.name)',
    async ({ screenshot, path, appearance }) => {
      const { page } = await aBrowser();
      await checkPage(page, demo.portalUrl + path(), screenshot, appearance);
    },
  );

  describe('with data', () => {
    const opened = inOwnBrowser(() => Promise.resolve(demo.customer));
    test.each(paths)('%s is sent with its text', async (_, path) => {
      expect((await textOf(opened().page, demo.portalUrl + path())).length).toBeGreaterThan(40);
    });
    test.each(ofWidth(someOf(paths, 2)))(
      '$screenshot passes axe, fits and violates no CSP ($appearance.name)',
      async ({ screenshot, path, appearance }) => {
        const { page, problems } = opened();
        problems.length = 0;
        await checkPage(page, demo.portalUrl + path(), screenshot, appearance);
        expect(problems).toEqual([]);
      },
    );
  });

  describe('empty', () => {
    const opened = inOwnBrowser(aNewcomer);
    test.each(lists)('%s says what to do', async (_, path) => {
      expect((await textOf(opened().page, demo.portalUrl + path())).length).toBeGreaterThan(40);
    });
    test.each(ofWidth(someOf(lists, 4)))(
      '$screenshot passes axe, fits and says what to do ($appearance.name)',
      async ({ screenshot, path, appearance }) => {
        const { page } = opened();
        await checkPage(page, demo.portalUrl + path(), `${screenshot}-empty`, appearance);
        const text = await page.locator('main').innerText();
        expect(text.length).toBeGreaterThan(40);
      },
    );
  });

  describe('without access', () => {
    const opened = inOwnBrowser(() => aColleague('agent'));
    const roles = /owner|admin|developer/;
    test.each(forbidden)('%s names the required role', async (_, path) => {
      expect(await textOf(opened().page, demo.portalUrl + path())).toMatch(roles);
    });
    test.each(ofWidth(someOf(forbidden, 4)))(
      '$screenshot passes axe, fits and names the required role ($appearance.name)',
      async ({ screenshot, path, appearance }) => {
        const { page } = opened();
        await checkPage(page, demo.portalUrl + path(), `${screenshot}-agent`, appearance);
        expect(await page.locator('main').innerText()).toMatch(roles);
      },
    );
  });
};
