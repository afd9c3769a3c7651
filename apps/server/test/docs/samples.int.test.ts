import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { launchChromium } from '../chromium.ts';
import { isForDrill, readPages } from './fences.ts';
import { aDocsStack } from './stack.ts';
import { follow } from './follow-page.ts';
import { pageCheckOf } from './page-checks.ts';

// Runs every sample of every documentation page against the real service. Per commit only some pages, which have every
// kind of sample; the others are checked statically.

const only = process.env['DOCS_PAGE'];
const some = ['quick-start', 'tutorials/express'];
const all = readPages();
const pages = all.filter((page) => !isForDrill(page));
const isRun = (slug: string) => (only === undefined ? isFull || some.includes(slug) : slug.includes(only));
const stack = await aDocsStack();
const folder = mkdtempSync(join(tmpdir(), 'parley-docs-'));
const browser = await launchChromium();
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.concurrent('following the page gives what it shows', () => {
  test.each(pages.filter(({ slug, fences }) => fences.length > 0 && isRun(slug)))(
    '$slug',
    { timeout: 300_000 },
    async (page) => {
      const { env, pageUrl } = await stack.aReader(page.text);
      const last = pageCheckOf(page.slug, browser, pageUrl);
      await follow(page, { folder: mkdtempSync(join(folder, 'page-')), env, last });
    },
  );
});

test('every sample says how it is run', () => {
  const idle = all.flatMap(({ fences }) =>
    fences.filter(({ kind }) => kind === undefined).map(({ page, line, language }) => `${page}:${line} (${language})`),
  );
  expect(idle).toEqual([]);
});

test('the pages that are run per commit have every kind of sample', () => {
  const kindsOf = (all: typeof pages) => new Set(all.flatMap(({ fences }) => fences.map(({ kind }) => kind)));
  expect(kindsOf(pages.filter(({ slug }) => some.includes(slug)))).toEqual(kindsOf(pages));
});

test('pages for operators have steps of the drill only, and a step is the same on each page', () => {
  const fences = all.filter(isForDrill).flatMap((page) => page.fences);
  expect(
    fences.filter(({ kind }) => kind !== 'drill' && kind !== 'yours').map(({ page, line }) => `${page}:${line}`),
  ).toEqual([]);
  expect(pages.flatMap((page) => page.fences).filter(({ kind }) => kind === 'drill')).toEqual([]);
  const steps = Map.groupBy(
    fences.filter(({ step }) => step !== undefined),
    ({ step }) => step,
  );
  const different = [...steps].filter(([, same]) => new Set(same.map(({ code }) => code.trim())).size > 1);
  expect(different.map(([step]) => step)).toEqual([]);
  expect(steps.size).toBeGreaterThan(10);
});

test('bash can parse every command, and every shown output follows a command', () => {
  const wrong = all.flatMap(({ slug, fences }) => {
    const commands = fences.filter(({ kind }) => kind === 'run' || kind === 'serve' || kind === 'drill');
    const { stderr } = spawnSync('bash', ['-n'], {
      input: commands.map(({ code }) => code).join('\n'),
      encoding: 'utf8',
    });
    const named = new Set(commands.map(({ name }) => name));
    const unmatched = fences.filter(
      ({ kind, name }, at) =>
        kind === 'shows' &&
        (name === undefined ? !fences.slice(0, at).some((fence) => commands.includes(fence)) : !named.has(name)),
    );
    return [
      ...(stderr ? [`${slug}: ${stderr}`] : []),
      ...unmatched.map(({ line }) => `${slug}:${line} shows output of no command`),
    ];
  });
  expect(wrong).toEqual([]);
});

test('every file of a page is used by a command, another file or the framework', () => {
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

/** What the reader writes; empty lines are not counted. */
const linesOf = (code: string) => code.split('\n').filter((line) => line.trim() !== '').length;
const actionIn = (code: string) => /my_order\.json <<END\n([\s\S]*?)^END$/m.exec(code)?.[1] ?? '';

test.each(['tutorials/express', 'tutorials/next'])(
  '%s: signed-in visitor, verified webhook and action in fewer than 40 lines',
  (slug) => {
    const fences = pages.find((page) => page.slug === slug)?.fences ?? [];
    const written = fences.flatMap(({ file, code }) => {
      if (file === 'try.ts') return []; // only reads
      return file ? [{ file, lines: linesOf(code) }] : [{ file: 'my_order.json', lines: linesOf(actionIn(code)) }];
    });
    const counted = written.filter(({ lines }) => lines > 0);
    const sum = counted.reduce((total, { lines }) => total + lines, 0);
    console.log(`${slug}: ${sum} lines (${counted.map(({ file, lines }) => `${file} ${lines}`).join(', ')})`);
    expect(counted.length).toBeGreaterThan(1);
    expect(sum).toBeLessThan(40);
  },
);
