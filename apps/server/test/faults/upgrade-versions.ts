import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const root = resolve(import.meta.dirname, '../../../..');

/** The commit of the last release, or UPGRADE_FROM. */
const previousCommit = () =>
  process.env['UPGRADE_FROM'] ?? readFileSync(join(root, '.ci/previous-release'), 'utf8').trim();

/** What the server of a source tree was released with: it may use packages that this one no longer has. */
async function installServer(tree: string) {
  const [own, previous] = [root, tree].map((folder) => readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  if (own === previous) return symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  await promisify(execFile)(
    'npm',
    [
      'ci',
      '--workspace',
      'apps/server',
      '--omit=dev',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ],
    { cwd: tree },
  );
}

/** Builds the server of a source tree, and returns the folder of its scripts. */
async function build(tree: string, version: string): Promise<string> {
  const outdir = join(tree, `apps/server/dist/upgrade-${process.pid}`);
  await promisify(execFile)(process.execPath, [join(tree, 'apps/server/build.ts'), outdir], {
    cwd: join(tree, 'apps/server'),
    env: { ...process.env, PARLEY_VERSION: version },
  });
  return outdir;
}

export type Version = (typeof versions)[number];
/** The order of releases. */
export const versions = ['0.0.1', '0.0.2'] as const;

/** The previous release, from its commit, and this source tree, each as a deployment runs it. */
export async function buildVersions(dir: string) {
  const commit = previousCommit();
  const tree = join(dir, 'previous-release');
  mkdirSync(tree, { recursive: true });
  let archive: Buffer;
  try {
    archive = execFileSync('git', ['archive', '--format=tar', commit], { cwd: root, maxBuffer: 2 ** 30 });
  } catch (cause) {
    throw new Error(`commit ${commit} is not in this clone: run git fetch --unshallow`, { cause });
  }
  execFileSync('tar', ['-x', '-C', tree], { input: archive });
  const buildPrevious = async () => {
    await installServer(tree);
    return build(tree, versions[0]);
  };
  const [previous, current] = await Promise.all([buildPrevious(), build(root, versions[1])]);
  const folders: Record<Version, string> = { '0.0.1': previous, '0.0.2': current };
  return { commit, folders, remove: () => rmSync(current, { recursive: true, force: true }) };
}
