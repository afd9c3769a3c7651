import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { launchChromium } from '../chromium.ts';
import { readPages } from './fences.ts';

// The tutorial with Next.js itself, from the registry, built and started. It takes 200 MB and its own toolchain, so it
// runs on request only: DOCS=next npm test -- test/docs/next

const isRequested = process.env['DOCS'] === 'next';
const stack = isRequested ? await (await import('./stack.ts')).aDocsStack() : undefined;

test.runIf(isRequested)(
  'following tutorials/next with Next.js from the registry gives a shop whose chat answers',
  { timeout: 600_000, retry: 0 },
  async () => {
    const page = readPages().find(({ slug }) => slug === 'tutorials/next');
    if (!page || !stack) throw new Error('no such page');
    const [{ follow }, { pageCheckOf }] = await Promise.all([import('./follow-page.ts'), import('./page-checks.ts')]);
    const fences = page.fences.flatMap((fence) =>
      fence.code.includes('next dev')
        ? [
            { ...fence, kind: 'run' as const, code: 'npx next build' },
            { ...fence, code: fence.code.replace('next dev', 'next start') },
          ]
        : [fence],
    );
    const browser = await launchChromium();
    const folder = mkdtempSync(join(tmpdir(), 'parley-next-'));
    try {
      const { env, pageUrl } = await stack.aReader(page.text);
      const npm = execFileSync('which', ['npm'], { encoding: 'utf8' }).trim();
      // How this machine reaches the registry.
      const npmEnv = {
        ...Object.fromEntries(Object.entries(process.env).filter(([name]) => /npm_config|proxy|CERT/i.test(name))),
        npm_config_userconfig: join(homedir(), '.npmrc'),
      };
      const last = pageCheckOf(page.slug, browser, pageUrl);
      expect(last).toBeDefined();
      await follow(
        { ...page, fences },
        { folder: join(folder, 'shop'), env: { ...npmEnv, ...env, NPM: npm, NEXT_TELEMETRY_DISABLED: '1' }, last },
      );
    } finally {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
