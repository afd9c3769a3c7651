import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../../..');

/** The last release, or UPGRADE_FROM: a commit. */
const previousCommit = () =>
  process.env['UPGRADE_FROM'] ?? readFileSync(join(root, '.ci/previous-release'), 'utf8').trim();

/** Builds the server of a source tree, and returns the folder of its scripts. */
function build(tree: string, version: string): string {
  const outdir = join(tree, 'apps/server/.upgrade', version);
  execFileSync(process.execPath, [join(tree, 'apps/server/build.ts'), outdir], {
    cwd: join(tree, 'apps/server'),
    env: { ...process.env, PARLEY_VERSION: version },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return outdir;
}

/** Both versions as bundles: the previous release from its commit, and this source tree. */
export function buildVersions(dir: string): { old: string; new: string } {
  const commit = previousCommit();
  const tree = join(dir, 'previous');
  mkdirSync(tree, { recursive: true });
  let archive: Buffer;
  try {
    archive = execFileSync('git', ['archive', '--format=tar', commit], { cwd: root, maxBuffer: 1 << 30 });
  } catch (cause) {
    throw new Error(`commit ${commit} of .ci/previous-release is not in this clone: git fetch --unshallow`, { cause });
  }
  execFileSync('tar', ['-x', '-C', tree], { input: archive });
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  return { old: build(tree, oldVersion), new: build(root, newVersion) };
}
export const [oldVersion, newVersion] = ['0.0.1', '0.0.2'];
