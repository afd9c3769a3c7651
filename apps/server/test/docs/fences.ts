import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../../../../tools/demo/processes.ts';

/** One sample of a page. Its info string says what to do with it: ```ts file=server.ts, ```sh run, ```text shows … */
export interface Fence {
  page: string;
  line: number;
  language: string;
  kind: Kind | undefined;
  /** Its name, for a file. */
  file: string | undefined;
  /** The name of a server, or the server whose output is shown. */
  name: string | undefined;
  /** The name of a step of the drill. */
  step: string | undefined;
  code: string;
}

/**
 * - `yours`: variables that the reader sets; the test has the same
 * - `file=…`: a file of the reader's folder
 * - `run`: commands, run to their end
 * - `serve`: a program that keeps running; it is ready when it has printed its first line
 * - `drill=…`: a step of the drill, which runs it on an empty machine (deploy/drill)
 * - `shows`: the output of the `run` or `serve` before it, where … stands for anything
 */
const kinds = ['yours', 'file', 'run', 'serve', 'drill', 'shows'] as const;
export type Kind = (typeof kinds)[number];

const folder = join(repository, 'apps/docs/src/content/docs');

export interface DocsPage {
  slug: string;
  text: string;
  fences: Fence[];
}

export const readPages = (): DocsPage[] =>
  globSync('**/*.{md,mdx}', { cwd: folder })
    .toSorted()
    .map((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      const slug = file.replace(/\.mdx?$/, '');
      return { slug, text, fences: fencesOf(slug, text) };
    });

export function fencesOf(page: string, text: string): Fence[] {
  return [...text.matchAll(/^( *)(`{3,})([^\n`]*)\n([\s\S]*?)^\1\2 *$/gm)].map((match) => {
    const [, indent = '', , info = '', code = ''] = match;
    const [language = '', ...attributes] = info.split(' ');
    const valueOf = (name: string) =>
      attributes.find((attribute) => attribute.startsWith(`${name}=`))?.slice(name.length + 1);
    return {
      page,
      line: text.slice(0, match.index).split('\n').length,
      language,
      kind: kinds.find((kind) => attributes.includes(kind) || valueOf(kind) !== undefined),
      file: valueOf('file'),
      name: valueOf('as'),
      step: valueOf('drill'),
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    };
  });
}

/** Pages for operators, whose commands need an empty machine. The drill runs them. */
export const isForDrill = ({ slug }: DocsPage) => slug.split('/')[0] === 'self-hosting';

/** Whether the output matches what the page shows; … is anything within a line, and on its own line any lines. */
export function isShown(shown: string, printed: string): boolean {
  const lines = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => line.trim());
  const escaped = (line: string) => line.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*');
  const pattern = lines(shown)
    .map((line) => (line === '…' ? '(?:.*\\n)*?' : `${escaped(line)}\\n`))
    .join('');
  return new RegExp(`(^|\\n)${pattern}`).test(`${lines(printed).join('\n')}\n`);
}
