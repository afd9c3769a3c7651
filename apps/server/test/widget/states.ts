import { newId } from '../../src/platform/ids.ts';
import {
  visitorEntry,
  confirmation,
  markdownReply,
  interceptMessages,
  errorResponse,
  replyEntry,
  sendMessage,
  conversationOf,
  appendEntries,
  type Scene,
} from './scene.ts';

// All visual states of the chat, in sequence.

type Bring = (scene: Scene) => Promise<unknown>;
const answers = ({ panel }: Scene) => panel.locator('.row.bot .foot .thumb:not(.down)');
/** Waits until everything is sent and answered. */
const isQuiet = async ({ panel }: Scene) => {
  await panel.locator('.notice:empty').waitFor({ state: 'attached' });
  await panel.locator('.row').last().locator('.thumb').first().waitFor();
};
const toMenu = async ({ panel }: Scene) => {
  await panel.locator('[aria-controls=menu]').click();
  await panel.locator('.menu').waitFor();
};
const card = ({ panel }: Scene) => panel.locator('.card').last();
/** Buttons on the newest confirmation card. */
const answerCard = async (scene: Scene, choice: 'main' | 'chip') => {
  await card(scene).locator(`button.${choice}`).click();
  await card(scene).locator('p').waitFor();
};
let release = () => {};
let openTurn = '';

/** In order: each state starts where the previous one ended. */
export const states: readonly (readonly [name: string, bring: Bring])[] = [
  ['closed', ({ launcher }) => launcher.waitFor()],
  [
    'loading',
    async ({ context, launcher, page }) => {
      const held = new Promise<void>((resolve) => (release = resolve));
      await context.route(/\/cdn\/(chat|framed)\./, async (route) => {
        await held;
        await route.continue();
      });
      await launcher.click();
      await page.locator('parley-chat [aria-busy=true]').waitFor();
    },
  ],
  [
    'new',
    async ({ field, context }) => {
      release();
      await field.waitFor();
      await context.unroute(/\/cdn\/(chat|framed)\./);
    },
  ],
  [
    'form',
    async ({ page, panel }) => {
      await page.evaluate(`Chatbot.set({ preChat: { fields: ['name', 'email'], isRequired: false } })`);
      await panel.locator('.card form').waitFor();
    },
  ],
  [
    'asked',
    async (scene) => {
      await scene.page.evaluate('Chatbot.set({ preChat: null })');
      await scene.panel.locator('.quick button').first().click();
      await answers(scene).first().waitFor();
      await appendEntries(scene, visitorEntry(scene.texts.question, (openTurn = newId('turn'))));
      await scene.panel.locator('.typing').waitFor();
    },
  ],
  [
    'turn failed',
    async (scene) => {
      await appendEntries(scene, { type: 'turn.failed', turnId: openTurn, payload: { reason: 'internal' } });
      await scene.panel.locator('.foot .bad').waitFor();
    },
  ],
  [
    'streaming',
    async (scene) => {
      await sendMessage(scene, scene.texts.streamQuestion);
      await scene.panel.locator('.row.bot[data-id^=msg_]:not(:has(.thumb))').waitFor();
    },
  ],
  [
    'stopped',
    async (scene) => {
      const before = await answers(scene).count();
      await scene.panel.locator('form [type=button]').click();
      await answers(scene).nth(before).waitFor();
    },
  ],
  [
    'cut',
    async (scene) => {
      const before = await answers(scene).count();
      await sendMessage(scene, scene.texts.cutQuestion);
      await answers(scene).nth(before).waitFor();
    },
  ],
  [
    'answered',
    async (scene) => {
      await appendEntries(scene, visitorEntry(scene.texts.question), markdownReply(scene.texts));
      await scene.panel.locator('.sources').waitFor();
    },
  ],
  [
    'feedback',
    async (scene) => {
      await answers(scene).last().click();
      await scene.panel.locator('[aria-pressed=true]').waitFor();
    },
  ],
  [
    'not sent',
    async (scene) => {
      await interceptMessages(scene.context, errorResponse(403, 'This bot isn’t available right now.'));
      await sendMessage(scene, scene.texts.question);
      await scene.panel.locator('.visitor').last().locator('.foot .bad').waitFor();
      await scene.context.unrouteAll();
    },
  ],
  [
    'offline',
    async (scene) => {
      await scene.panel.locator('.visitor').last().locator('.foot button').last().click();
      await scene.context.setOffline(true);
      await sendMessage(scene, scene.texts.question);
      await scene.panel.locator('.notice:not(:empty)').waitFor();
    },
  ],
  [
    'busy',
    async (scene) => {
      await scene.context.setOffline(false);
      await isQuiet(scene);
      await interceptMessages(scene.context, errorResponse(429, 'Too many.', { 'retry-after': '1' }));
      await sendMessage(scene, scene.texts.question);
      await scene.panel.locator('.notice:not(:empty)').waitFor();
    },
  ],
  [
    'confirmation',
    async (scene) => {
      await scene.context.unrouteAll();
      await isQuiet(scene);
      await appendEntries(scene, confirmation(scene.texts, 600));
      await card(scene).locator('button.main').waitFor();
    },
  ],
  ['confirmed', (scene) => answerCard(scene, 'main')],
  [
    'declined',
    async (scene) => {
      await appendEntries(scene, visitorEntry(scene.texts.question), confirmation(scene.texts, 600));
      await scene.panel.locator('.card').nth(1).waitFor();
      await answerCard(scene, 'chip');
    },
  ],
  [
    'expired',
    async (scene) => {
      await appendEntries(scene, visitorEntry(scene.texts.question), confirmation(scene.texts, -600));
      await scene.panel.locator('.card').nth(2).waitFor();
    },
  ],
  ['menu', toMenu],
  [
    'waiting',
    async ({ panel }) => {
      await panel.locator('.item').first().click();
      await panel.locator('.note').waitFor();
    },
  ],
  [
    'a person',
    async (scene) => {
      const [id, { tenant }] = [await conversationOf(scene), scene.site];
      await tenant.post(`/conversations/${id}/claim`, {});
      await tenant.post(`/conversations/${id}/replies`, { text: scene.texts.personal });
      await scene.panel.locator('.row.agent').waitFor();
    },
  ],
  [
    'ended',
    async (scene) => {
      await scene.site.tenant.post(`/conversations/${await conversationOf(scene)}/close`, {});
      await scene.panel.locator('.rating .face').first().waitFor();
    },
  ],
  [
    'rating',
    async ({ panel }) => {
      await panel.locator('.face').nth(3).click();
      await panel.locator('.rating textarea').waitFor();
    },
  ],
  [
    'rated',
    async ({ panel }) => {
      await panel.locator('.rating .main').click();
      await panel.locator('.faces').waitFor({ state: 'detached' });
    },
  ],
  [
    'previous conversations',
    async (scene) => {
      await sendMessage(scene, scene.texts.question);
      await scene.panel.locator('.row').last().locator('.thumb').first().waitFor();
      await toMenu(scene);
      await scene.panel.locator('.item').nth(2).click();
      await scene.panel.locator('.past').waitFor();
    },
  ],
  [
    'a previous conversation',
    async ({ panel }) => {
      await panel.locator('.past button').last().click();
      await panel.locator('.transcript').waitFor();
    },
  ],
  [
    'deleting',
    async (scene) => {
      await scene.panel.locator('.sheet .chip').last().click();
      await scene.panel.locator('.past').waitFor();
      await scene.panel.locator('.sheet .chip').click();
      await toMenu(scene);
      await scene.panel.locator('.item').last().click();
      await scene.panel.locator('.sheet .bad').waitFor();
    },
  ],
  [
    'deleted',
    async ({ panel }) => {
      await panel.locator('.sheet .bad').click();
      await panel.locator('.sheet .bad').waitFor({ state: 'detached' });
    },
  ],
  [
    'unread',
    async (scene) => {
      await scene.panel.locator('.sheet .chip').click();
      await sendMessage(scene, scene.texts.question);
      await answers(scene).first().waitFor();
      await scene.panel.locator('header button').last().click();
      await scene.panel.waitFor({ state: 'hidden' });
      await appendEntries(scene, replyEntry(scene.texts.personal), replyEntry(scene.texts.personal));
      await scene.page.locator('parley-chat b:not(:empty)').waitFor();
    },
  ],
  [
    'older',
    async (scene) => {
      const many = Array.from({ length: 90 }, (_, n) => [
        visitorEntry(`${scene.texts.question} ${n}`),
        replyEntry(`${n}`),
      ]);
      await appendEntries(scene, ...many.flat());
      await scene.page.reload();
      await scene.launcher.waitFor();
      if (!(await scene.panel.isVisible())) await scene.launcher.click();
      await scene.panel.getByText('89', { exact: true }).waitFor();
      await scene.panel.locator('.log').evaluate((log) => log.scrollTo(0, 0));
    },
  ],
  [
    'newest',
    async (scene) => {
      await scene.panel.locator('.log').evaluate((log) => log.scrollTo(0, 400));
      await appendEntries(scene, replyEntry(scene.texts.personal));
      await scene.panel.locator('.newest').waitFor();
    },
  ],
];

/** Walks through all states, or until the last, and checks each. */
export async function walk(scene: Scene, check: (name: string) => Promise<void>, last = states.at(-1)?.[0]) {
  for (const [name, bring] of states) {
    try {
      await bring(scene);
    } catch (error) {
      throw new Error(`failed to reach state "${name}"`, { cause: error });
    }
    await check(name);
    if (name === last) return;
  }
}
