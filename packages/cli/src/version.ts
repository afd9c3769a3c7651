import { readFileSync } from 'node:fs';

/** The same path from `src` and from `dist`. */
const packageJson = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
export const { version } = JSON.parse(packageJson) as { version: string };
