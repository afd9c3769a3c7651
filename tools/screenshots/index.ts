// `npm run screenshots`: the images of the README, from the demo with its three weeks of conversations.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { launchChromium } from '../../apps/server/test/chromium.ts';
import { startProduct } from '../demo/product.ts';
import { writeBadges } from './badges.ts';
import { folder, takeScreenshots } from './take-screenshots.ts';

/** For all of the README's, so that it loads quickly on a slow connection. Those of ADR 62 are not taken again. */
const maxBytes = 400_000;

const { demo, stop } = await startProduct({ name: 'screenshots', keep: false, hasHistory: true, log: console.log });
const browser = await launchChromium();
try {
  console.log('Taking screenshots…');
  await takeScreenshots(browser, demo);
  writeBadges(folder);
} finally {
  await browser.close();
  await stop();
}
const sizes = readdirSync(folder)
  .filter((name) => !name.startsWith('look-'))
  .map((name) => ({ name, bytes: statSync(join(folder, name)).size }));
console.table(sizes);
const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
if (total > maxBytes) throw new Error(`the images have ${total} bytes, more than ${maxBytes}`);
