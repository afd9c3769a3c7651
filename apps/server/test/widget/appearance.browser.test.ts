import { afterAll, expect, test, vi } from 'vitest';
import { hostilePage } from '../../../../tools/site/hostile.ts';
import { legibleOn } from '../../../../packages/widget/src/shared/colour.ts';
import { inkOn } from '../../../../packages/widget/src/shared/ink.ts';
import { isFull } from '../../../../tools/testing/size.ts';
import { contrast } from './contrast.ts';
import { nextFrame, eventually, testInFull } from './helpers.ts';
import { little, wrongInLayout, wrongInLittle } from './layout.ts';
import {
  aScene,
  aSceneSite,
  visitorEntry,
  markdownReply,
  ofChat,
  sendMessage,
  sizes,
  stopMotion,
  appendEntries,
  conversationOf,
  type Scene,
} from './scene.ts';
import { walk } from './states.ts';

// The appearance of the chat on unusual pages, settings and screens.

vi.setConfig({ testTimeout: 300_000 });
const site = await aSceneSite();
afterAll(site.close);

async function aTalk(setting: Parameters<typeof aScene>[1] = sizes.desktop) {
  const scene = await aScene(site, setting);
  await scene.launcher.click();
  await sendMessage(scene, scene.texts.question);
  await scene.panel.locator('.thumb').first().waitFor();
  return scene;
}

/** Walks through all states and collects the problems of each. */
async function wrongInStates(scene: Scene, check: () => Promise<string[]>) {
  const found: Record<string, string[]> = {};
  await walk(scene, async (name) => {
    const wrong = (await scene.panel.isVisible()) ? await check() : [];
    if (wrong.length > 0) found[name] = wrong;
  });
  return found;
}

// Per commit: access, in the same walk.
testInFull(
  'has no horizontal scrolling at 400 %, no clipped text with wide spacing, and targets of at least 24 px, main ones 44',
  async () => {
    const scene = await aScene(site, sizes.phone);
    expect(await wrongInStates(scene, () => wrongInLayout(scene))).toEqual({});
  },
);

/** A page with a message next to the button. */
async function aTip(path: string, setting: Parameters<typeof aScene>[1] = sizes.phone) {
  const scene = await aScene(site, { ...setting, path: `${path}#tip` });
  await scene.page.locator('parley-chat .tip button').first().waitFor();
  return scene;
}

test('shows a proactive message without clipping at 400 % and with wide spacing, and with targets of at least 44 px', async () => {
  const scene = await aTip('/ar', { ...sizes.phone, speaks: 'ar' });
  expect(await wrongInLayout(scene, '.tip')).toEqual([]);
});

testInFull('at 400 % on a desktop, where a pixel of the page is sixteen of the screen, the same', async () => {
  const scene = await aScene(site, { viewport: little, deviceScaleFactor: 4 });
  expect(await wrongInStates(scene, () => wrongInLittle(scene))).toEqual({});
});

test('keeps the field and the newest message visible above an on-screen keyboard', async () => {
  const scene = await aTalk(sizes.phone);
  await appendEntries(scene, visitorEntry('Long?'), markdownReply(scene.texts));
  await scene.panel.locator('.sources').waitFor();
  await scene.field.focus();
  await scene.page.setViewportSize({ width: 360, height: 320 });
  const places = () =>
    ofChat<number[]>(
      scene,
      `[panel.querySelector('.talk textarea'), panel.querySelector('.log').lastElementChild].map((node) => innerHeight - node.getBoundingClientRect().bottom)`,
    );
  await eventually(async () => Math.min(...(await places()))).toBeGreaterThanOrEqual(0);
});

test('has no motion with prefers-reduced-motion', async () => {
  const running = (scene: Scene) =>
    ofChat<number>(scene, `document.getAnimations().length + root.getAnimations().length`);
  const scene = await aTalk();
  const { page, launcher, panel } = scene;
  await appendEntries(scene, visitorEntry('And?', 'trn_open'));
  await panel.locator('.typing').waitFor();
  expect(await running(scene)).toBeGreaterThan(0);
  // Animations are counted when they start, since they may be over when polled.
  const reopened = async () => {
    await ofChat(scene, `void ((window.begun = 0), root.addEventListener('animationstart', () => begun++))`);
    await launcher.click();
    await panel.waitFor({ state: 'hidden' });
    await launcher.click();
    await panel.waitFor();
    await nextFrame(page);
    return page.evaluate<number>('begun');
  };
  expect(await reopened()).toBeGreaterThan(0);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await eventually(() => running(scene)).toBe(0);
  expect(await reopened()).toBe(0);
  expect(await running(scene)).toBe(0);
  const tip = await aTip('/en');
  const animation = () => ofChat<string>(tip, 'getComputedStyle(panel).animationName', '.tip');
  expect(await animation()).toBe('tip');
  await tip.page.emulateMedia({ reducedMotion: 'reduce' });
  expect(await animation()).toBe('none');
});

test('distinguishes sender, selection and typing state in forced colours', async () => {
  const scene = await aTalk({ ...sizes.desktop, forcedColors: 'active' });
  await appendEntries(scene, visitorEntry('And?', 'trn_open'));
  await scene.panel.locator('.typing').waitFor();
  await scene.panel.locator('.thumb').first().click();
  await scene.panel.locator('[aria-pressed=true]').waitFor();
  const styleOf = (selector: string, name: string) =>
    ofChat<string>(scene, `getComputedStyle(root.querySelector('${selector}')).${name}`);
  const borders = ['.visitor .text', '.bot .text', '[type=submit]', 'header', '.l'];
  for (const selector of borders) expect(await styleOf(selector, 'borderTopStyle'), selector).toBe('solid');
  const background = await styleOf('.typing', 'backgroundColor');
  expect(await styleOf('.typing i', 'backgroundColor')).not.toBe(background);
  expect(await styleOf('[aria-pressed=true]', 'borderTopWidth')).toBe('2px');
  expect(await styleOf('.thumb.down', 'borderTopWidth')).toBe('0px');

  await site.tenant.post(`/conversations/${await conversationOf(scene)}/close`, {});
  await scene.panel.locator('.face').nth(3).click();
  expect(await styleOf('.face svg', 'borderTopStyle')).toBe('solid');
  expect(await styleOf('.face :checked + svg', 'borderTopWidth')).not.toBe(
    await styleOf('.face svg', 'borderTopWidth'),
  );
  const tip = await aTip('/en', { ...sizes.phone, forcedColors: 'active' });
  expect(await ofChat<string>(tip, 'getComputedStyle(panel).borderTopStyle', '.tip')).toBe('solid');
});

test('keeps text and links legible for 1,000 accents, light and dark', () => {
  let state = 7;
  const random = () => (state = (state * 48_271) % 2_147_483_647);
  const accents = Array.from({ length: 1_000 }, () => `#${(random() % 0x1000000).toString(16).padStart(6, '0')}`);
  const greys = Array.from({ length: 256 }, (_, n) => `#${n.toString(16).padStart(2, '0').repeat(3)}`);
  const toHex = (ink: string) => (ink === '#fff' ? '#ffffff' : '#000000');
  for (const accent of [...accents, ...greys]) {
    expect(contrast(accent, toHex(inkOn(accent))), accent).toBeGreaterThanOrEqual(4.5);
    for (const grounds of [
      ['#ffffff', '#f1f5f9'],
      ['#0f172a', '#1e293b'],
    ] as const) {
      // The link colour is chosen for the background with less contrast.
      const link = legibleOn(grounds[1], accent);
      for (const background of grounds)
        expect(contrast(background, link), `${accent} on ${background}`).toBeGreaterThanOrEqual(4.5);
    }
  }
});

test('keeps text and links legible with the computed colours of a browser', async () => {
  const scene = await aTalk();
  await appendEntries(scene, markdownReply(scene.texts));
  await scene.panel.locator('.sources').waitFor();
  const rgb = (colour: string) =>
    `#${(colour.match(/\d+/g) ?? []).map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`;
  for (const accent of ['#ffff00', '#000000', '#ffffff', '#808080', '#ff0000', '#0000ff', '#7fff00'])
    for (const theme of ['light', 'dark']) {
      await scene.page.evaluate(`Chatbot.set({ accent: '${accent}', theme: '${theme}' })`);
      const pairs = await ofChat<[string, string][]>(
        scene,
        `[['header', 'header'], ['.visitor .text', '.visitor .text'], ['[type=submit]', '[type=submit]'], ['.text a', '.bot .text'], ['.l', '.l']]
          .map(([text, background]) => [getComputedStyle(root.querySelector(text)).color, getComputedStyle(root.querySelector(background)).backgroundColor])`,
      );
      expect(
        pairs.filter(([text, background]) => contrast(rgb(text), rgb(background)) < 4.5),
        `${accent} ${theme}`,
      ).toEqual([]);
    }
});

/** Identified by tag, class and position. */
const firstOfKind = `((kinds) => (node) => {
  const kindOf = ({ tagName, className, parentElement }) =>
    tagName + ' ' + (className.baseVal ?? className) + (parentElement ? ' in ' + kindOf(parentElement) : '');
  const kind = kindOf(node);
  return !kinds.has(kind) && kinds.add(kind);
})(new Set())`;

test('looks the same on a page with hostile styles as on a plain one', async () => {
  const shop = { apiUrl: site.apiUrl, cdnUrl: site.cdnUrl, publicKey: site.bot.publicKey, botId: site.bot.botId };
  site.site.pages.set('/hostile', { html: hostilePage(shop).markup });
  site.site.pages.set('/plain', { html: site.html(site.embed()) });
  const aConversation = async (path: string) => {
    const scene = await aTalk({ ...sizes.desktop, path });
    await appendEntries(scene, visitorEntry('And?'), markdownReply(scene.texts));
    await scene.panel.locator('.sources').waitFor();
    return scene;
  };
  const stylesIn = async (scene: Scene) => {
    await scene.page.mouse.move(0, 0);
    await stopMotion(scene);
    await nextFrame(scene.page);
    // Custom properties of the page are ignored. Per commit, one node of each kind is compared: all of them take
    // seconds.
    return ofChat<Record<string, Record<string, string>>>(
      scene,
      `Object.fromEntries([root.host, ...root.querySelectorAll('*')].filter(${isFull ? '() => true' : firstOfKind}).map((node, at) => {
        const style = getComputedStyle(node);
        const { x, y, width, height } = node.getBoundingClientRect();
        // The button inherits the page's direction, which "all" does not reset.
        const isOurs = (name) => !name.startsWith('--') && (node.closest('.panel, .tip') || !/^(direction|inset-inline)/.test(name));
        return [at + ' ' + node.tagName + ' ' + (node.className.baseVal ?? node.className),
          { ...Object.fromEntries([...style].filter(isOurs).map((name) => [name, style[name] ?? style.getPropertyValue(name)])), box: [x, y, width, height].join() }];
      }))`,
    );
  };
  for (const open of [aConversation, (path: string) => aTip(path, sizes.desktop)]) {
    const [plain, hostile] = [await stylesIn(await open('/plain')), await stylesIn(await open('/hostile'))];
    const different = Object.entries(plain).flatMap(([node, style]) =>
      Object.entries(style).flatMap(([name, value]) =>
        hostile[node]?.[name] === value ? [] : [`${node} ${name}: ${value} | ${hostile[node]?.[name]}`],
      ),
    );
    expect(different).toEqual([]);
  }
});
