import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { launchChromium } from '../chromium.ts';
import { readPages } from './fences.ts';
import { aDocsStack } from './stack.ts';
import { follow } from './story.ts';
import { visitOf } from './page-views.ts';

// The documentation, followed to the email: every sample of every page is run against the real service. Per commit some
// pages, which have every kind of sample; of the others it is held that somebody could run each.

const only = process.env['DOCS_PAGE'];
const some = ['quick-start', 'tutorials/express'];
const pages = readPages();
const isFollowed = (slug: string) => (only === undefined ? isFull || some.includes(slug) : slug.includes(only));
const stack = await aDocsStack();
const folder = mkdtempSync(join(tmpdir(), 'parley-docs-'));
const browser = await launchChromium();
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.concurrent('whoever follows the page gets what it says', () => {
  test.each(pages.filter(({ slug, fences }) => fences.length > 0 && isFollowed(slug)))(
    '$slug',
    { timeout: 300_000 },
    async (page) => {
      const { env, pageUrl } = await stack.aReader(page.text);
      const last = visitOf(page.slug, browser, pageUrl);
      await follow(page, { folder: mkdtempSync(join(folder, 'page-')), env, last });
    },
  );
});

test('no sample stands on a page without being run: each says what is done with it', () => {
  const idle = pages.flatMap(({ fences }) =>
    fences.filter(({ kind }) => kind === undefined).map(({ page, line, language }) => `${page}:${line} (${language})`),
  );
  expect(idle).toEqual([]);
});

test('the pages that are followed per commit have every kind of sample', () => {
  const kindsOf = (all: typeof pages) => new Set(all.flatMap(({ fences }) => fences.map(({ kind }) => kind)));
  expect(kindsOf(pages.filter(({ slug }) => some.includes(slug)))).toEqual(kindsOf(pages));
});

test('a shell can read every command, and what is shown comes after something that prints', () => {
  const wrong = pages.flatMap(({ slug, fences }) => {
    const commands = fences.filter(({ kind }) => kind === 'run' || kind === 'serve');
    const { stderr } = spawnSync('bash', ['-n'], {
      input: commands.map(({ code }) => code).join('\n'),
      encoding: 'utf8',
    });
    const named = new Set(commands.map(({ name }) => name));
    const lost = fences.filter(
      ({ kind, name }, at) =>
        kind === 'shows' &&
        (name === undefined ? !fences.slice(0, at).some((fence) => commands.includes(fence)) : !named.has(name)),
    );
    return [
      ...(stderr ? [`${slug}: ${stderr}`] : []),
      ...lost.map(({ line }) => `${slug}:${line} shows what nobody prints`),
    ];
  });
  expect(wrong).toEqual([]);
});

test('every file of a page is used: by a command of it, by another file, or by the framework that it starts', () => {
  const unused = pages.flatMap(({ fences }) => {
    const startsNext = fences.some(({ kind, code }) => kind === 'serve' && code.includes('next dev'));
    return fences
      .filter(({ file }) => file !== undefined && !(startsNext && file.startsWith('app/')))
      .filter(({ file = '' }) => {
        const name = file.split('/').at(-1) ?? file;
        return !fences.some((other) => other.file !== file && other.kind !== 'shows' && other.code.includes(name));
      })
      .map(({ page, line, file }) => `${page}:${line} ${file}`);
  });
  expect(unused).toEqual([]);
});

/** What the reader writes themselves; comments and empty lines cost nothing. */
const linesOf = (code: string) => code.split('\n').filter((line) => line.trim() !== '').length;
const actionIn = (code: string) => /my_order\.json <<END\n([\s\S]*?)^END$/m.exec(code)?.[1] ?? '';

test.each(['tutorials/express', 'tutorials/next'])(
  '%s: signed-in visitor, verified webhook and action in less than 40 lines',
  (slug) => {
    const fences = pages.find((page) => page.slug === slug)?.fences ?? [];
    const written = fences.flatMap(({ file, code }) => {
      if (file === 'try.ts') return []; // only looks
      return file ? [{ file, lines: linesOf(code) }] : [{ file: 'my_order.json', lines: linesOf(actionIn(code)) }];
    });
    const counted = written.filter(({ lines }) => lines > 0);
    const sum = counted.reduce((total, { lines }) => total + lines, 0);
    console.log(`${slug}: ${sum} lines (${counted.map(({ file, lines }) => `${file} ${lines}`).join(', ')})`);
    expect(counted.length).toBeGreaterThan(1);
    expect(sum).toBeLessThan(40);
  },
);
