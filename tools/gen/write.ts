import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Writes a generated file; with `--check` it only compares, and fails when the committed one is not current. */
export function writeGenerated(file: string, text: string) {
  const is = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  if (is === text) return;
  if (process.argv.includes('--check')) {
    console.error(`${file} is not current. Run: npm run gen`);
    process.exitCode = 1;
    return;
  }
  writeFileSync(file, text);
  console.log(`wrote ${file}`);
}
