import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Lockfile {
  packages: Record<string, { version: string; integrity: string } | undefined>;
}

/**
 * Copies a package of the lockfile into a folder. One for another platform than this one is not installed here: it comes from
 * the registry, and must be the one that the lockfile names.
 */
export async function fetchPackage(root: string, name: string, into: string): Promise<void> {
  mkdirSync(into, { recursive: true });
  const installed = join(root, 'node_modules', name);
  if (existsSync(installed)) return cpSync(installed, into, { recursive: true });
  const lockfile = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lockfile;
  const locked = lockfile.packages[`node_modules/${name}`];
  if (!locked) throw new Error(`${name} is not in package-lock.json`);
  const folder = mkdtempSync(join(tmpdir(), 'parley-package-'));
  try {
    const args = ['pack', '--json', '--silent', '--pack-destination', folder, `${name}@${locked.version}`];
    const [packed] = JSON.parse(execFileSync('npm', args, { encoding: 'utf8' })) as [
      { filename: string; integrity: string },
    ];
    if (packed.integrity !== locked.integrity) throw new Error(`${name} is not the package of package-lock.json`);
    execFileSync('tar', ['-xzf', join(folder, packed.filename), '-C', into, '--strip-components=1']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
