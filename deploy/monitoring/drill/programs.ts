import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

const script = resolve(import.meta.dirname, '../programs.sh');

/** The folder of the programs of these Debian packages, which are unpacked but not installed. */
export const programsOf = (...packages: string[]): string =>
  execFileSync(script, packages, { encoding: 'utf8' }).trim();
