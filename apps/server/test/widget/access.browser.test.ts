import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Frame } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { contrast } from './contrast.ts';
import { aWidgetSite } from './fixture.ts';
import { aScene, ofChat, sizes, type Scene } from './scene.ts';
import { states, walk } from './states.ts';

// No state of the chat keeps anybody out, as far as a machine can tell. `LOOKS=all` plays every state in every language,
// size and setting; without it each of them is met at least once.

const site = await aWidgetSite({ answers: { mode: 'model' }, languages: ['en', 'ar'] });
afterAll(site.close);

const every = (['desktop', 'phone'] as const).flatMap((size) =>
  (['en', 'ar'] as const).flatMap((speaks) => [false, true].map((isFramed) => ({ size, speaks, isFramed }))),
);
const few = [
  { size: 'desktop', speaks: 'en', isFramed: true },
  { size: 'phone', speaks: 'ar', isFramed: false },
] as const;
const settings = process.env['LOOKS'] === 'all' ? every : few;

// Put into the page once: its own builder does so for every look, which takes longer than looking.
const builder = createRequire(import.meta.url).resolve('@axe-core/playwright');
const axe = readFileSync(createRequire(builder).resolve('axe-core/axe.min.js'), 'utf8');
const runOnly = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const rules = { 'frame-tested': { enabled: false } }; // each frame is looked at by itself
const options = { runOnly, rules, resultTypes: ['violations', 'incomplete'], iframes: false };

interface Finding {
  id: string;
  nodes: { target: unknown; failureSummary: string }[];
}
/** What keeps somebody out. What axe cannot decide counts too, but for contrast, which we measure ourselves. */
async function barriersIn(frame: Frame): Promise<string[]> {
  if (!(await frame.evaluate<boolean>(`'axe' in window`))) await frame.evaluate(axe);
  const { violations, incomplete } = await frame.evaluate<{ violations: Finding[]; incomplete: Finding[] }>(
    `axe.run(document, ${JSON.stringify(options)})`,
  );
  return [...violations, ...incomplete.filter(({ id }) => id !== 'color-contrast')].flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${JSON.stringify(target)} ${failureSummary}`),
  );
}

/** Every text in the chat that can be seen and cannot be read. */
async function faintIn(scene: Scene): Promise<string[]> {
  const texts = await ofChat<[text: string, colour: string, ground: string][]>(
    scene,
    `[...panel.querySelectorAll('*')].flatMap((node) => {
      const own = [...node.childNodes].map((child) => (child.nodeType === 3 ? child.data.trim() : '')).join('');
      const text = own || (node.value === '' && node.placeholder);
      if (!text || !node.checkVisibility() || node.closest('.sr')) return [];
      let ground = node;
      while (getComputedStyle(ground).backgroundColor === 'rgba(0, 0, 0, 0)') ground = ground.parentElement;
      const { color } = getComputedStyle(node, own ? null : '::placeholder');
      return [[text, color, getComputedStyle(ground).backgroundColor]];
    })`,
  );
  expect(texts.length).toBeGreaterThan(1);
  return texts.filter(([, colour, ground]) => contrast(hex(colour), hex(ground)) < 4.5).map(String);
}
const hex = (rgb: string) =>
  `#${(rgb.match(/\d+/g) ?? []).map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`;

test.each(settings)(
  `$size, $speaks, framed $isFramed: ${states.length} states, light and dark, and nothing in the way in any`,
  async ({ size, speaks, isFramed }) => {
    const scene = await aScene(site, { ...sizes[size], speaks, isFramed, reducedMotion: 'reduce' });
    const found: Record<string, string[]> = {};
    await walk(scene, async (name) => {
      const isOpen = await scene.panel.isVisible();
      const frames = isOpen ? scene.page.frames() : [scene.page.mainFrame()];
      const barriers = (await Promise.all(frames.map(barriersIn))).flat();
      const light = isOpen ? await faintIn(scene) : [];
      await scene.page.emulateMedia({ colorScheme: 'dark' }); // which differs in its colours alone
      const dark = isOpen ? await faintIn(scene) : [];
      await scene.page.emulateMedia({ colorScheme: 'light' });
      const all = [...barriers, ...light, ...dark];
      if (all.length > 0) found[name] = all;
    });
    expect(found).toEqual({});
  },
  300_000,
);
