import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { repository } from '../../../../tools/demo/processes.ts';
import { readPages } from './fences.ts';

// Within the repository, where the compiler finds the types of every package.
const folder = join(repository, `.stack/docs-types-${process.pid}`);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const compilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: 'es2024',
  module: 'nodenext',
  types: ['node'],
  allowImportingTsExtensions: true,
  erasableSyntaxOnly: true, // Node runs it unchanged
};

test('every TypeScript sample compiles in strict mode', () => {
  const files = readPages().flatMap(({ slug, fences }) =>
    fences.filter(({ file }) => file?.endsWith('.ts')).map(({ file = '', code }) => [join(slug, file), code] as const),
  );
  expect(files.length).toBeGreaterThan(10);
  for (const [file, code] of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), code);
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  const output = (() => {
    try {
      return execFileSync(join(repository, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' });
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
  })();
  expect(output).toBe('');
});
