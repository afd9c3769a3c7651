// Fails when a document names a file or a command that does not exist, or links to a file or heading that does not exist.
import { existsSync, readFileSync } from 'node:fs';
import { execFileSync, spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';

const docs = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], { encoding: 'utf8' })
  .trim()
  .split('\n');
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const quoted = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '');

const wrong = docs.filter(existsSync).flatMap((doc) =>
  quoted(readFileSync(doc, 'utf8'))
    .filter((name) =>
      name.startsWith('npm run ')
        ? !((name.split(' ')[2] ?? '') in scripts)
        : /^(apps|packages|docs|e2e|tools|bench|load|faults|\.ci)\//.test(name) &&
          !/[<*…{]/.test(name) &&
          !existsSync(name.split(' ')[0] ?? ''),
    )
    .map((name) => `${doc}: \`${name}\` does not exist`),
);

/** As GitHub derives them. */
const anchorsOf = (text: string) =>
  new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
const isPublished = (doc: string) => doc.startsWith('apps/docs/'); // the site has its own link test
for (const doc of docs.filter((name) => existsSync(name) && !isPublished(name))) {
  const text = readFileSync(doc, 'utf8');
  const links = [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)].map(([, a, b]) => a ?? b ?? '');
  for (const link of links.filter((one) => !/^[a-z]+:|[<…{$]/.test(one))) {
    const [path = '', anchor] = link.split('#');
    const file = path === '' ? doc : join(dirname(doc), path);
    if (!existsSync(file)) wrong.push(`${doc}: ${link} does not exist`);
    else if (anchor && !anchorsOf(readFileSync(file, 'utf8')).has(anchor)) wrong.push(`${doc}: no heading for ${link}`);
  }
}
// The paths through the server's code.
for (const [, path = ''] of readFileSync('ARCHITECTURE.md', 'utf8').matchAll(
  /^ +\d+ {2}((?:features|platform|\.\.)\/[\w./-]+)/gm,
))
  if (!existsSync(join('apps/server/src', path))) wrong.push(`ARCHITECTURE.md: ${path} does not exist`);
// On npm, the name `parley` without a scope belongs to someone else: `npx` would run their code.
const strangers = spawnSync(
  'git',
  ['grep', '-nP', String.raw`\bnp(x|m (i|install|exec))( -\S+)* parley(?![\w-])`, '--', ':!tools/check-docs.ts'],
  { encoding: 'utf8' },
);
for (const line of strangers.stdout.split('\n').filter(Boolean)) wrong.push(`${line.trim()}: use @parley/cli`);
if (wrong.length > 0) {
  console.error(wrong.join('\n'));
  process.exitCode = 1;
}
