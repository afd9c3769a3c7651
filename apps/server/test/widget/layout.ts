import { eventually, nextFrame } from './helpers.ts';
import { ofChat, sizes, type Scene } from './scene.ts';

// Problems of the layout: clipped or overflowing content, and controls that are too small or out of reach.

/** Controls that cannot be scrolled into view and clicked. */
const outOfReach = `[...(panel.querySelector('.menu:not([hidden])') ?? panel).querySelectorAll('button, textarea, a, label')].flatMap((node) => {
  if (!node.checkVisibility()) return [];
  node.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  const { left, top, width, height } = node.getClientRects()[0];
  const hit = root.elementFromPoint(left + width / 2, top + height / 2);
  // The jump-to-latest button floats: content under it can be scrolled away.
  return node.contains(hit) || hit?.closest('label') === node || hit?.closest('.newest') ? [] : [node.className + ' ' + (node.ariaLabel ?? node.textContent)];
})`;
/** Elements that overflow horizontally. Code and tables have their own scrollbars. */
const tooWide = `[panel, ...panel.querySelectorAll('*')].flatMap((node) =>
  node.checkVisibility() && node.scrollWidth > node.clientWidth + 1 && !node.closest('pre, .table, .sr, .cont .meta')
    && getComputedStyle(node).display !== 'inline' ? [node.tagName + ' ' + node.className] : [])`;
const cutOff = `[...panel.querySelectorAll('button, h2, .text, .card, .note, .fine, label')].flatMap((node) =>
  node.checkVisibility() && getComputedStyle(node).overflow !== 'visible' && node.scrollHeight > node.clientHeight + 1
    ? [node.tagName + ' ' + node.className] : [])`;
const pageIsStill = `document.scrollingElement.scrollWidth <= innerWidth`;

/** Problems in a small viewport: 1280 by 1024 pixels at 400 %. */
export const little = { width: 320, height: 256 };
export const wrongInLittle = async (scene: Scene, part?: string) => [
  ...(await ofChat<string[]>(scene, outOfReach, part)),
  ...(await ofChat<string[]>(scene, tooWide, part)),
  ...((await scene.page.evaluate(pageIsStill)) ? [] : ['the page scrolls sideways']),
];

const sizesOf = `[...panel.querySelectorAll('button, textarea, label')].flatMap((node) => {
  if (!node.checkVisibility()) return [];
  const { width, height } = node.getBoundingClientRect();
  const least = node.matches('.plain, .thumb') ? 24 : 44;
  return Math.round(Math.min(width, height)) < least ? [node.className + ' ' + node.textContent + ' ' + width + ' x ' + height] : [];
})`;
const spacing = `* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important }
  p { margin-bottom: 2em !important }`;
/** Problems with wide text spacing. */
async function wrongInSpacing(scene: Scene, part?: string) {
  await ofChat(
    scene,
    `void (() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(\`${spacing}\`);
      root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    })()`,
  );
  const wrong = await Promise.all([cutOff, tooWide, outOfReach].map((check) => ofChat<string[]>(scene, check, part)));
  await ofChat(scene, 'void (root.adoptedStyleSheets = root.adoptedStyleSheets.slice(0, -1))');
  return wrong.flat();
}

async function resize({ page }: Scene, viewport: { width: number; height: number }) {
  await page.setViewportSize(viewport);
  await eventually(() => page.evaluate('innerWidth')).toBe(viewport.width);
  await nextFrame(page);
}
/** Problems on a phone: small targets, clipped text with wide spacing, and horizontal scrolling at 400 %. */
export async function wrongInLayout(scene: Scene, part?: string) {
  const wrong = [...(await ofChat<string[]>(scene, sizesOf, part)), ...(await wrongInSpacing(scene, part))];
  await resize(scene, little);
  wrong.push(...(await wrongInLittle(scene, part)));
  await resize(scene, sizes.phone.viewport);
  return wrong;
}
