import type { Frame } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { findBarriers } from '../axe.ts';
import { contrast } from './contrast.ts';
import { wrongInLayout } from './layout.ts';
import { aScene, aSceneSite, ofChat, sizes, type Scene } from './scene.ts';
import { walk } from './states.ts';

// Automated accessibility checks of every state. Full runs cover every language, size and setting. Per commit, two settings
// cover each of them: all states in one, and the first in a frame. The layout, which appearance checks in a full run, is
// checked in the same walk.

const site = await aSceneSite();
afterAll(site.close);

const every = (['desktop', 'phone'] as const).flatMap((size) =>
  (['en', 'ar'] as const).flatMap((speaks) => [false, true].map((isFramed) => ({ size, speaks, isFramed }))),
);
const few = [
  { size: 'desktop', speaks: 'en', isFramed: true, last: 'asked' },
  { size: 'phone', speaks: 'ar', isFramed: false },
] as const;
interface Setting {
  size: keyof typeof sizes;
  speaks: 'en' | 'ar';
  isFramed: boolean;
  /** The last state; by default, all are checked. */
  last?: string;
}
const settings: readonly Setting[] = isFull ? every : few;

const runOnly = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const rules = {
  'frame-tested': { enabled: false }, // each frame is checked separately
  'color-contrast': { enabled: isFull }, // the slowest, and we measure contrast ourselves
};

/** Violations, including incomplete axe results, except for contrast, which we measure ourselves. */
async function barriersIn(frame: Frame): Promise<string[]> {
  const { violations, incomplete } = await findBarriers(frame, { runOnly, rules, withIncomplete: true });
  return [...violations, ...incomplete.filter(({ id }) => id !== 'color-contrast')].flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${JSON.stringify(target)} ${failureSummary}`),
  );
}

/** Visible text with too little contrast. */
async function faintIn(scene: Scene, part?: string): Promise<string[]> {
  const texts = await ofChat<[text: string, colour: string, background: string][]>(
    scene,
    `[...panel.querySelectorAll('*')].flatMap((node) => {
      const own = [...node.childNodes].map((child) => (child.nodeType === 3 ? child.data.trim() : '')).join('');
      const text = own || (node.value === '' && node.placeholder);
      if (!text || !node.checkVisibility() || node.closest('.sr, .cont .meta')) return [];
      let background = node;
      while (getComputedStyle(background).backgroundColor === 'rgba(0, 0, 0, 0)') background = background.parentElement;
      const { color } = getComputedStyle(node, own ? null : '::placeholder');
      return [[text, color, getComputedStyle(background).backgroundColor]];
    })`,
    part,
  );
  expect(texts).not.toEqual([]);
  return texts.filter(([, colour, background]) => contrast(hex(colour), hex(background)) < 4.5).map(String);
}
const hex = (rgb: string) =>
  `#${(rgb.match(/\d+/g) ?? []).map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`;

test.each(settings)(
  'has no accessibility violations in any state, light and dark, and nothing clipped or too small ($size, $speaks, framed $isFramed)',
  async ({ size, speaks, isFramed, last }) => {
    const scene = await aScene(site, { ...sizes[size], speaks, isFramed, reducedMotion: 'reduce' });
    const found: Record<string, string[]> = {};
    await walk(
      scene,
      async (name) => {
        const isOpen = await scene.panel.isVisible();
        // The page around a frame does not change, so per commit it is checked once with the frame open.
        const isAround = !isOpen || !isFramed || isFull || name === 'new';
        const frames = isOpen ? scene.page.frames().slice(isAround ? 0 : 1) : [scene.page.mainFrame()];
        const barriers = (await Promise.all(frames.map(barriersIn))).flat();
        const light = isOpen ? await faintIn(scene) : [];
        await scene.page.emulateMedia({ colorScheme: 'dark' }); // differs only in colours
        const dark = isOpen ? await faintIn(scene) : [];
        await scene.page.emulateMedia({ colorScheme: 'light' });
        const layout = isOpen && !isFull && size === 'phone' ? await wrongInLayout(scene) : [];
        const all = [...barriers, ...light, ...dark, ...layout];
        if (all.length > 0) found[name] = all;
      },
      last,
    );
    expect(found).toEqual({});
  },
  300_000,
);

test.each([
  { size: 'desktop', speaks: 'en', colorScheme: 'light' },
  { size: 'phone', speaks: 'ar', colorScheme: 'dark' },
] as const)(
  'has no accessibility violations in a proactive message ($size, $speaks, $colorScheme)',
  async ({ size, speaks, colorScheme }) => {
    const options = { ...sizes[size], speaks, colorScheme, path: `/${speaks}#tip`, reducedMotion: 'reduce' } as const;
    const scene = await aScene(site, options);
    await scene.page.locator('parley-chat .tip button').first().waitFor();
    expect([...(await barriersIn(scene.page.mainFrame())), ...(await faintIn(scene, '.tip'))]).toEqual([]);
  },
  60_000,
);
