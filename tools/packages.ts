// Installs the packages of folders with their own lockfile, if they are missing or outdated:
// `node tools/packages.ts bench apps/docs` (docs/adr/0033-packages-apart.md).
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

export function installIn(folder: string): void {
  const cwd = join(root, folder);
  const installed = join(cwd, 'node_modules/.package-lock.json'); // npm writes it at the end of an installation
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(cwd, 'package-lock.json')).mtimeMs) return;
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd, stdio: 'inherit' });
}

if (import.meta.main) for (const folder of process.argv.slice(2)) installIn(folder);
