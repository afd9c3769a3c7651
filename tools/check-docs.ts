// Fails when a document names a file or a command that does not exist.
import { existsSync, readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';

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
        : /^(apps|packages|docs|e2e|tools|bench|faults|\.ci)\//.test(name) &&
          !/[<*…{]/.test(name) &&
          !existsSync(name.split(' ')[0] ?? ''),
    )
    .map((name) => `${doc}: \`${name}\` does not exist`),
);
if (wrong.length > 0) {
  console.error(wrong.join('\n'));
  process.exitCode = 1;
}
