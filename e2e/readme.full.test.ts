import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { repository } from '../tools/demo/processes.ts';
import { aBrowser } from './browser.ts';
import { commands } from './readme.ts';

// From a clone to a bot that answers, by the commands of the README. Tests the last commit.

const run = promisify(execFile);
/** As in a terminal: with NODE_ENV=test the portals are built for development. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(NODE_ENV|VITEST.*|TEST|DEV|PROD|MODE|SSR|BASE_URL)$/.test(name)),
);
interface Demo {
  portalUrl: string;
  siteUrl: string;
}

test('clone, install and start lead to a bot that answers', async () => {
  const home = mkdtempSync(join(tmpdir(), 'parley-readme-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const [clone = '', install = '', start = ''] = commands.blocks;
  await run('bash', ['-c', clone.replace('<this repository>', repository)], { cwd: home, env });
  const cwd = join(home, 'parley');
  await run('bash', ['-c', install], { cwd, env, maxBuffer: 100_000_000 });
  for (const command of [start, 'npm run demo -- --empty']) {
    const child = spawn('bash', ['-c', command], { cwd, env, stdio: 'inherit', detached: true });
    const exited = once(child, 'exit');
    try {
      const file = join(cwd, '.demo.json');
      const isUp = () => existsSync(file) || child.exitCode !== null;
      await expect.poll(isUp, { timeout: 300_000, interval: 500 }).toBe(true);
      expect(child.exitCode, command).toBeNull();
      const { siteUrl } = JSON.parse(readFileSync(file, 'utf8')) as Demo;
      const { page } = await aBrowser();
      await page.goto(siteUrl);
      await page.locator('parley-chat button[part=launcher]').first().click();
      const panel = page.locator('parley-chat dialog.panel').first();
      await panel.locator('.talk textarea').fill('How long does delivery take?');
      await panel.locator('.talk textarea').press('Enter');
      await panel
        .locator('.row.bot')
        .filter({ hasText: /working days/ })
        .first()
        .waitFor();
    } finally {
      if (child.exitCode === null) process.kill(-(child.pid ?? 0), 'SIGINT');
      await exited;
    }
    rmSync(join(cwd, '.stack'), { recursive: true, force: true });
  }
});
