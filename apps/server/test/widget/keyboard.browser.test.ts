import { afterAll, describe, expect, test, vi } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { aWidgetSite } from './fixture.ts';
import { nextFrame, eventually } from './helpers.ts';
import {
  aScene,
  visitorEntry,
  confirmation,
  markdownReply,
  interceptMessages,
  ofChat,
  errorResponse,
  replyEntry,
  sendMessage,
  sizes,
  appendEntries,
  type Scene,
} from './scene.ts';

// Keyboard access: every control can be reached, and focus is never lost.

vi.setConfig({ testTimeout: 120_000 });
const site = await aWidgetSite({ answers: { mode: 'model' } });
afterAll(site.close);

/** The focused element by name or position; `the page` if it is not in the chat. */
const focused = (scene: Scene) =>
  ofChat<string>(
    scene,
    `(({ ariaLabel, className, textContent, tagName, type } = {}) =>
      tagName === undefined ? 'the page' : ariaLabel || (type !== 'textarea' && textContent.trim()) || className || tagName
    )(root.activeElement ?? undefined)`,
  );
/** Presses a key until the element has focus. */
async function goTo(scene: Scene, name: string, key = 'Tab') {
  for (let presses = 0; presses < 40; presses++) {
    await scene.page.keyboard.press(key);
    if ((await focused(scene)).startsWith(name)) return;
  }
  throw new Error(`${key} does not reach ${name}; last focus: ${await focused(scene)}`);
}
const expectFocus = (scene: Scene, name: string | RegExp) => eventually(() => focused(scene)).toMatch(name);

async function anOpenChat(size: 'desktop' | 'phone') {
  const scene = await aScene(site, sizes[size]);
  await scene.launcher.click();
  await scene.field.waitFor();
  return scene;
}
/** An open chat with a first answered question. */
async function aTalk() {
  const scene = await anOpenChat('desktop');
  await sendMessage(scene, scene.texts.question);
  await scene.panel.locator('.thumb').first().waitFor();
  return scene;
}

test('supports a whole conversation by keyboard, and returns focus to the launcher', async () => {
  const scene = await aScene(site, sizes.desktop);
  const { page, panel, field, launcher, texts } = scene;
  const press = (key: string) => page.keyboard.press(key);
  await launcher.waitFor();
  await press('Tab'); // a link of the page
  await press('Tab');
  await expectFocus(scene, /Northlight Help|Open chat/); // the label once the locale is loaded
  await press('Enter');
  await expectFocus(scene, 'Write a message…');
  await page.keyboard.type('One line');
  await press('Shift+Enter');
  await page.keyboard.type('and another');
  await press('Enter');
  await eventually(() => panel.locator('.visitor .text').innerText()).toBe('One line\nand another');
  expect(await field.inputValue()).toBe('');
  expect(await focused(scene)).toBe('Write a message…');
  await panel.locator('.thumb').first().waitFor();
  await appendEntries(scene, markdownReply(texts));
  await panel.locator('.sources').waitFor();

  await goTo(scene, '1 · Delivery › Islands', 'Shift+Tab');
  await goTo(scene, 'Helpful');
  await press('Enter');
  await panel.locator('[aria-pressed=true]').waitFor();
  expect(await focused(scene)).toBe('Helpful');

  await goTo(scene, 'More options', 'Shift+Tab');
  await press('Enter');
  await expectFocus(scene, 'Talk to a person');
  await goTo(scene, 'Rate this chat');
  await press('Enter');
  await goTo(scene, 'Terrible');
  for (let n = 0; n < 3; n++) await press('ArrowRight');
  expect(await focused(scene)).toBe('Good');
  expect(await panel.locator('input:checked').inputValue()).toBe('4');
  await goTo(scene, 'Add a comment (optional)');
  await page.keyboard.type('Good');
  await goTo(scene, 'Send');
  await press('Enter');
  await panel.locator('.sheet').getByText('Thank you!').waitFor();
  expect(await focused(scene)).not.toBe('the page');
  await goTo(scene, 'Back');
  await press('Enter');
  await expectFocus(scene, 'More options');

  await press('Enter');
  await goTo(scene, 'Delete my data');
  await press('Escape'); // the menu
  await expectFocus(scene, 'More options');
  await press('Enter');
  await goTo(scene, 'Delete my data');
  await press('Enter');
  await goTo(scene, 'Delete everything');
  await press('Escape'); // the sheet
  await expectFocus(scene, 'More options');
  expect(await panel.isVisible()).toBe(true);
  await press('Escape');
  await expectFocus(scene, 'Open chat');
  expect(await panel.isVisible()).toBe(false);
});

describe('keeps focus in the chat when the pressed button disappears', () => {
  const press = async (scene: Scene, selector: string) => {
    const target = scene.panel.locator(selector).last();
    await target.focus();
    await target.press('Enter');
  };
  const refuse = async (scene: Scene) => {
    await interceptMessages(scene.context, errorResponse(403, 'No.'));
    await sendMessage(scene, 'Lost');
    await scene.panel.locator('.foot .bad').waitFor();
    await scene.context.unrouteAll();
  };
  const removed = (scene: Scene, selector: string) =>
    eventually(() => scene.panel.locator(`${selector}:visible`).count()).toBe(0);

  const cases: [what: string, act: (scene: Scene) => Promise<unknown>][] = [
    [
      'Send',
      async (scene) => {
        const answers = scene.panel.locator('.row.bot:has(.thumb)');
        const before = await answers.count();
        await scene.field.fill('Hm?');
        await press(scene, '[type=submit]');
        await eventually(() => answers.count()).toBe(before + 1); // otherwise the next step stops this reply
      },
    ],
    [
      'Stop',
      async (scene) => {
        await sendMessage(scene, scene.texts.streamQuestion);
        await scene.panel.locator('.row.bot[data-id^=msg_]:not(:has(.thumb))').waitFor(); // a reply is streaming
        await scene.panel.locator('form [type=button]:visible').waitFor();
        await press(scene, 'form [type=button]');
        await removed(scene, 'form [type=button]');
      },
    ],
    [
      'Yes',
      async (scene) => {
        await appendEntries(scene, confirmation(scene.texts, 60));
        await press(scene, '.card .main');
        await removed(scene, '.card .main');
      },
    ],
    [
      'No',
      async (scene) => {
        await appendEntries(scene, confirmation(scene.texts, 60));
        await press(scene, '.card .chip');
        await removed(scene, '.card .chip');
      },
    ],
    [
      'Try again',
      async (scene) => (await refuse(scene), await press(scene, '.plain:nth-of-type(1)'), await removed(scene, '.bad')),
    ],
    [
      'Remove',
      async (scene) => (await refuse(scene), await press(scene, '.plain:nth-of-type(2)'), await removed(scene, '.bad')),
    ],
    [
      'Talk to a person',
      async (scene) => {
        await appendEntries(scene, replyEntry('I do not know.', { isHandoffOffered: true }));
        await press(scene, '.foot .chip');
        await removed(scene, '.foot .chip');
      },
    ],
    [
      'Delete everything',
      async (scene) => {
        await press(scene, '[aria-controls=menu]');
        await press(scene, '.item:last-of-type');
        await press(scene, '.sheet .bad');
        await removed(scene, '.sheet .bad');
        expect(await focused(scene)).not.toBe('the page');
        await press(scene, '.sheet .chip');
      },
    ],
  ];
  /** Removed together with another button of this list. */
  const likeAnother = ['No', 'Try again'];
  test(`for ${isFull ? 'each such button' : 'one button of each kind'}`, async () => {
    const scene = await aTalk();
    const lost: string[] = [];
    for (const [what, act] of isFull ? cases : cases.filter(([what]) => !likeAnother.includes(what))) {
      await scene.panel.locator('[type=submit]:visible').waitFor(); // no reply is streaming
      await act(scene);
      await nextFrame(scene.page); // the browser moves focus from a removed element with the next frame
      if ((await focused(scene)) === 'the page') lost.push(what);
    }
    expect(lost).toEqual([]);
  });

  test('for quick replies, older messages and the jump to the latest', async () => {
    const scene = await aScene(site, sizes.desktop);
    await scene.launcher.click();
    const lost: string[] = [];
    const then = async (what: string, selector: string) => {
      await scene.panel.locator(selector).first().waitFor();
      await press(scene, selector);
      await removed(scene, selector);
      await nextFrame(scene.page);
      if ((await focused(scene)) === 'the page') lost.push(what);
    };
    await then('a proposed question', '.log .chips:not(.card *) .chip');
    await scene.panel.locator('.thumb').first().waitFor();
    await appendEntries(scene, ...Array.from({ length: 160 }, (_, n) => visitorEntry(`Message ${n}`)));
    await scene.page.reload();
    await scene.launcher.waitFor();
    await scene.panel.getByText('Message 159').waitFor();
    // A restored log may scroll to its end again when it is drawn.
    for (let frames = 0; frames < 3; frames++) {
      await ofChat(scene, `panel.querySelector('.log').scrollTo(0, 0)`);
      await nextFrame(scene.page);
    }
    await appendEntries(scene, replyEntry('News'));
    await then('Jump to latest', '.newest');
    await then('Show earlier messages', '.older');
    expect(lost).toEqual([]);
  });
});

test('shows the conversation when reopened after closing with a menu or sheet open', async () => {
  const scene = await aTalk();
  const { panel, launcher } = scene;
  await panel.locator('[aria-controls=menu]').click();
  await panel.locator('.item').last().click();
  await panel.locator('[aria-controls=menu]').click();
  await panel.locator('header button').last().click();
  await launcher.press('Enter');
  await expectFocus(scene, 'Write a message…');
  expect(await panel.locator('.sheet').isVisible()).toBe(false);
});

test('an updated message does not take focus from another', async () => {
  const scene = await aTalk();
  await appendEntries(scene, replyEntry('I do not know.', { isHandoffOffered: true }));
  await scene.panel.locator('.foot .chip').waitFor();
  await scene.panel.locator('.thumb').first().focus();
  await appendEntries(scene, { type: 'conversation.updated', payload: { state: 'waiting_human' } });
  await scene.panel.locator('.foot .chip').waitFor({ state: 'detached' });
  const focusedId = () => ofChat<string>(scene, `root.activeElement.closest('[data-id]').dataset.id`);
  expect(await focusedId()).toBe(await scene.panel.locator('.row:has(.thumb)').first().getAttribute('data-id'));
});

test('does not send or close on Enter and Escape during IME composition', async () => {
  const scene = await aScene(site, sizes.desktop);
  const { page, panel, field, launcher } = scene;
  await launcher.click();
  await field.waitFor();
  const pressWhileComposing = (key: string) =>
    ofChat<boolean>(
      scene,
      `panel.querySelector('.talk textarea').dispatchEvent(new KeyboardEvent('keydown',
        { key: '${key}', isComposing: true, bubbles: true, composed: true, cancelable: true }))`,
    );
  await page.keyboard.insertText('にほん');
  expect(await pressWhileComposing('Enter'), 'left to the browser').toBe(true);
  expect(await pressWhileComposing('Escape'), 'left to the browser').toBe(true);
  expect([await field.inputValue(), await panel.isVisible()]).toEqual(['にほん', true]);
  await page.keyboard.press('Enter');
  expect(await panel.locator('.visitor').count()).toBe(1);
});

test('traps focus on a phone, and not on larger screens', async () => {
  const placesOf = async (scene: Scene) => {
    const places = new Set<string>();
    for (let presses = 0; presses < 16; presses++) {
      await scene.page.keyboard.press('Tab');
      const isLink = await scene.page.evaluate<boolean>(`document.activeElement.matches('main a')`);
      places.add(isLink ? 'a link of the page' : await focused(scene));
    }
    return places;
  };
  const phone = await anOpenChat('phone');
  const onPhone = await placesOf(phone);
  expect(onPhone).toContain('Close chat');
  expect(onPhone).not.toContain('a link of the page');
  const desktop = await anOpenChat('desktop');
  expect(await placesOf(desktop)).toContain('a link of the page');
});

test('a system back gesture closes one layer at a time', async () => {
  const scene = await anOpenChat('phone');
  const { panel, launcher } = scene;
  const isExpanded = () => launcher.getAttribute('aria-expanded');
  const goBack = () => ofChat(scene, 'panel.requestClose()');
  await panel.locator('[aria-controls=menu]').click();
  await panel.locator('.menu').waitFor(); // its code is loaded on demand
  await goBack();
  await eventually(() => panel.locator('.menu').isVisible()).toBe(false);
  expect(await panel.isVisible()).toBe(true);
  await goBack();
  await eventually(() => panel.isVisible()).toBe(false);
  await eventually(isExpanded).toBe('false');

  await launcher.click();
  await eventually(isExpanded).toBe('true');
  await ofChat(scene, 'panel.close()'); // as a browser does after a prevented cancel
  await eventually(isExpanded).toBe('false');
  await scene.page.evaluate('Chatbot.open(), Chatbot.close(), Chatbot.open()');
  await nextFrame(scene.page);
  expect([await isExpanded(), await panel.isVisible()]).toEqual(['true', true]);
});

test('does not take focus when restored open on the next page', async () => {
  const scene = await aTalk();
  await scene.page.reload();
  await scene.panel.getByText(scene.texts.question).waitFor();
  expect(await focused(scene)).toBe('the page');
});
