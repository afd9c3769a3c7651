import { readFileSync } from 'node:fs';

/** Beside `src` and `dist` alike. */
const packageJson = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
export const { version } = JSON.parse(packageJson) as { version: string };
