import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { BrowserContext, Page } from 'playwright-core';
import { aShop } from './a-shop.ts';
import { aBrowser, demo, signIn } from './browser.ts';
import { look, looks, type Look } from './looks.ts';
import { aChat, aColleague, aNewcomer, asksForPerson } from './people.ts';

// Every page as somebody sees it: with something in it, empty, and for whoever may not.

let conversationId = '';
let deliveryId = '';
let sourceId = '';
let actions = '';
let actionId = '';
let flowId = '';
let runId = '';
let flowRunId = '';
beforeAll(async () => {
  ({ conversationId } = await aChat('How long does delivery take?', 'Can I send it back?'));
  await asksForPerson(await aChat('Do you sell submarines?'));
  const headers = { authorization: `Bearer ${demo.serverKey}`, 'x-service-api-key-id': demo.serverKeyId };
  const first = async (path: string) => {
    const answer = await fetch(demo.apiUrl + path, { headers });
    const [found] = ((await answer.json()) as { data: { id: string }[] }).data;
    if (!found) throw new Error(`nothing at ${path}`);
    return found.id;
  };
  deliveryId = await vi.waitFor(() => first(`/webhooks/${demo.webhookId}/deliveries`), {
    timeout: 20_000,
    interval: 100,
  });
  sourceId = await first(`/bots/${demo.botId}/knowledge-sources`);
  await layOutActions();
});

/** A write that nobody knows the end of, and a workflow. */
async function layOutActions() {
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

const paths: [name: string, path: () => string][] = [
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
  ['versions', () => `/bots/${demo.botId}/versions`],
  ['bot-settings', () => `/bots/${demo.botId}/settings`],
  ['conversations', () => '/conversations'],
  ['conversation', () => `/conversations/${conversationId}`],
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
  ['plan', () => '/organisation/plan'],
  ['audit', () => '/organisation/audit'],
  ['settings', () => '/organisation/settings'],
  ['profile', () => '/profile'],
  ['nothing-here', () => '/no/such/page'],
];
const lists = paths.filter(([name]) =>
  [
    'home',
    'bots',
    'conversations',
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

/** In a file for each width, so that they run beside each other. */
export const showEveryPage = (width: number) =>
  describe.each(looks.filter(({ viewport }) => viewport.width === width))(
    '$name',
    ({ name, viewport, colorScheme }: Look) => {
      test.each([
        ['sign-in', '/sign-in'],
        ['sign-up', '/sign-up'],
      ])('%s has nothing that axe objects to and fits', async (picture, path) => {
        const { page } = await aBrowser({ viewport, colorScheme });
        await look(page, demo.portalUrl + path, `${picture}-${name}`);
      });

      describe('with something in it', () => {
        let opened: { context: BrowserContext; page: Page; problems: string[] };
        beforeAll(async () => {
          opened = await aBrowser({ viewport, colorScheme });
          await signIn(opened.page);
        });
        test.each(paths)(
          '%s has nothing that axe objects to, fits, and breaks no rule of its own policy',
          async (picture, path) => {
            opened.problems.length = 0;
            await look(opened.page, demo.portalUrl + path(), `${picture}-${name}`);
            expect(opened.problems).toEqual([]);
          },
        );
      });

      // What words say is the same at every width: on the phone these are looked at on request.
      if (width < 1440 && process.env['LOOKS'] !== 'all') return;

      describe('empty', () => {
        let page: Page;
        beforeAll(async () => {
          ({ page } = await aBrowser({ viewport, colorScheme }));
          await signIn(page, await aNewcomer());
        });
        test.each(lists)('%s says what to do', async (picture, path) => {
          await look(page, demo.portalUrl + path(), `${picture}-empty-${name}`);
          const words = await page.locator('main').innerText();
          expect(words.length).toBeGreaterThan(40);
        });
      });

      describe('for whoever may not', () => {
        let page: Page;
        beforeAll(async () => {
          ({ page } = await aBrowser({ viewport, colorScheme }));
          await signIn(page, await aColleague('agent'));
        });
        test.each([
          ['keys', '/developers/keys'],
          ['members', '/organisation'],
          ['audit', '/organisation/audit'],
          ['insights', '/insights'],
        ])('%s names the role that may', async (picture, path) => {
          await look(page, demo.portalUrl + path, `${picture}-agent-${name}`);
          expect(await page.locator('main').innerText()).toMatch(/owner|admin|developer/);
        });
      });
    },
  );
