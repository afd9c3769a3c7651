import { newId } from '../../src/platform/ids.ts';
import { asked, confirmation, markdownReply, meet, refused, replied, say, talkOf, write, type Scene } from './scene.ts';

// Everything that the chat can look like, one after the other, for whoever checks each.

type Bring = (scene: Scene) => Promise<unknown>;
const answers = ({ panel }: Scene) => panel.locator('.row.bot .foot .thumb:not(.down)');
/** Everything is sent and answered. */
const isQuiet = async ({ panel }: Scene) => {
  await panel.locator('.notice:empty').waitFor({ state: 'attached' });
  await panel.locator('.row').last().locator('.thumb').first().waitFor();
};
const toMenu = async ({ panel }: Scene) => {
  await panel.locator('[aria-controls=menu]').click();
  await panel.locator('.menu').waitFor();
};
const card = ({ panel }: Scene) => panel.locator('.card').last();
/** What a visitor can still choose on the newest card. */
const answerCard = async (scene: Scene, choice: 'main' | 'chip') => {
  await card(scene).locator(`button.${choice}`).click();
  await card(scene).locator('p').waitFor();
};
let release = () => {};
let openTurn = '';

/** In this order: each begins where the one before it ended. */
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
    'asked',
    async (scene) => {
      await scene.panel.locator('.chips button').first().click();
      await answers(scene).first().waitFor();
      await write(scene, asked(scene.words.question, (openTurn = newId('turn'))));
      await scene.panel.locator('.typing').waitFor();
    },
  ],
  [
    'turn failed',
    async (scene) => {
      await write(scene, { type: 'turn.failed', turnId: openTurn, payload: { reason: 'internal' } });
      await scene.panel.locator('.foot .bad').waitFor();
    },
  ],
  [
    'streaming',
    async (scene) => {
      await say(scene, scene.words.streamQuestion);
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
      await say(scene, scene.words.cutQuestion);
      await answers(scene).nth(before).waitFor();
    },
  ],
  [
    'answered',
    async (scene) => {
      await write(scene, asked(scene.words.question), markdownReply(scene.words));
      await scene.panel.locator('.sources').waitFor();
      await scene.panel.locator('summary').click();
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
      await meet(scene.context, refused(403, 'This bot isn’t available right now.'));
      await say(scene, scene.words.question);
      await scene.panel.locator('.visitor').last().locator('.foot .bad').waitFor();
      await scene.context.unrouteAll();
    },
  ],
  [
    'offline',
    async (scene) => {
      await scene.panel.locator('.visitor').last().locator('.foot button').last().click();
      await scene.context.setOffline(true);
      await say(scene, scene.words.question);
      await scene.panel.locator('.notice:not(:empty)').waitFor();
    },
  ],
  [
    'busy',
    async (scene) => {
      await scene.context.setOffline(false);
      await isQuiet(scene);
      await meet(scene.context, refused(429, 'Too many.', { 'retry-after': '1' }));
      await say(scene, scene.words.question);
      await scene.panel.locator('.notice:not(:empty)').waitFor();
    },
  ],
  [
    'confirmation',
    async (scene) => {
      await scene.context.unrouteAll();
      await isQuiet(scene);
      await write(scene, confirmation(scene.words, 600));
      await card(scene).locator('button.main').waitFor();
    },
  ],
  ['confirmed', (scene) => answerCard(scene, 'main')],
  [
    'declined',
    async (scene) => {
      await write(scene, asked(scene.words.question), confirmation(scene.words, 600));
      await scene.panel.locator('.card').nth(1).waitFor();
      await answerCard(scene, 'chip');
    },
  ],
  [
    'expired',
    async (scene) => {
      await write(scene, asked(scene.words.question), confirmation(scene.words, -600));
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
      const [id, { tenant }] = [await talkOf(scene), scene.site];
      await tenant.post(`/conversations/${id}/claim`, {});
      await tenant.post(`/conversations/${id}/replies`, { text: scene.words.personal });
      await scene.panel.locator('.row.agent').waitFor();
    },
  ],
  [
    'ended',
    async (scene) => {
      const before = await scene.panel.locator('.note').innerText();
      await scene.site.tenant.post(`/conversations/${await talkOf(scene)}/close`, {});
      await scene.panel.locator('.note').filter({ hasNotText: before }).waitFor();
    },
  ],
  [
    'rating',
    async (scene) => {
      await toMenu(scene);
      await scene.panel.locator('.item').first().click();
      await scene.panel.locator('.star').nth(3).click();
    },
  ],
  [
    'rated',
    async ({ panel }) => {
      await panel.locator('.sheet .main').click();
      await panel.locator('.sheet .stars').waitFor({ state: 'detached' });
    },
  ],
  [
    'deleting',
    async (scene) => {
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
      await say(scene, scene.words.question);
      await answers(scene).first().waitFor();
      await scene.panel.locator('header button').last().click();
      await scene.panel.waitFor({ state: 'hidden' });
      await write(scene, replied(scene.words.personal), replied(scene.words.personal));
      await scene.page.locator('parley-chat b:not(:empty)').waitFor();
    },
  ],
  [
    'older',
    async (scene) => {
      const many = Array.from({ length: 90 }, (_, n) => [asked(`${scene.words.question} ${n}`), replied(`${n}`)]);
      await write(scene, ...many.flat());
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
      await write(scene, replied(scene.words.personal));
      await scene.panel.locator('.newest').waitFor();
    },
  ],
];

/** Plays every state, and looks at each. */
export async function walk(scene: Scene, look: (name: string) => Promise<void>, names?: readonly string[]) {
  for (const [name, bring] of states) {
    try {
      await bring(scene);
    } catch (error) {
      throw new Error(`the chat could not be brought to "${name}"`, { cause: error });
    }
    if (!names || names.includes(name)) await look(name);
  }
}
