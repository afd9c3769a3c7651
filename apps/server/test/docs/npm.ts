// The tests' `npm` and `npx`. Installing a package links the one in this repository, and no other: a page that forgets to
// install one fails. Nothing depends on the network, unless NPM is the path of the real one: then other packages come
// from the registry, and the SDK is installed as it would be published.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const repository = resolve(import.meta.dirname, '../../../..');
const ours: Record<string, string> = { '@parley/sdk': 'packages/sdk', '@parley/cli': 'packages/cli' };
/** What `npx` runs. Next.js is not in this repository: a stand-in serves its pages. */
const programs: Record<string, string> = {
  '@parley/cli': join(repository, 'packages/cli/src/main.ts'),
  next: join(import.meta.dirname, 'app-router.ts'),
};

const realNpm = process.env['NPM'];
const run = (program: string, args: readonly string[], cwd = '.'): number =>
  spawnSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'], cwd }).status ?? 1;

/** From the registry, and ours from a tarball: some bundlers read nothing outside the folder. */
function installForReal(npm: string, names: readonly string[]): void {
  const packed = names.includes('@parley/sdk') ? [join(process.cwd(), 'parley-sdk-0.1.0.tgz')] : [];
  if (packed.length > 0)
    run(npm, ['pack', '--silent', '--pack-destination', process.cwd()], join(repository, 'packages/sdk'));
  const packages = [...names.filter((name) => !ours[name]), ...packed];
  if (packages.length > 0) process.exitCode = run(npm, ['install', '--no-audit', '--no-fund', ...packages]);
  if (names.includes('@parley/cli')) link('@parley/cli');
}

function link(name: string): void {
  if (name in programs) return;
  const known = ours[name] ? [ours[name]] : [`node_modules/${name}`, `packages/sdk/node_modules/${name}`];
  const at = known.map((path) => join(repository, path)).find(existsSync);
  if (!at) throw new Error(`the tests have no package ${name}`);
  const target = resolve('node_modules', name);
  mkdirSync(dirname(target), { recursive: true });
  if (!existsSync(target)) symlinkSync(realpathSync(at), target);
}

/** As npm 11 writes it. */
const empty = { name: 'my-project', version: '1.0.0', main: 'index.js', license: 'ISC', type: 'commonjs' };

function npm(command = '', ...rest: string[]): void {
  if (command === 'init') writeFileSync('package.json', JSON.stringify(empty));
  else if (command === 'install') {
    const names = rest.filter((argument) => !argument.startsWith('-'));
    if (realNpm) installForReal(realNpm, names);
    else names.forEach(link);
  } else if (command === 'pkg' && rest[0] === 'set') {
    const [name = '', value] = rest[1]?.split('=') ?? [];
    const before = JSON.parse(readFileSync('package.json', 'utf8')) as object;
    writeFileSync('package.json', JSON.stringify({ ...before, [name]: value }));
  } else throw new Error(`the tests have no npm ${command}`);
}

const [calledAs, command = '', ...rest] = process.argv.slice(2);
if (calledAs === 'npm') npm(command, ...rest);
else {
  const program = realNpm && command === 'next' ? resolve('node_modules/next/dist/bin/next') : programs[command];
  if (!program) throw new Error(`the tests have no ${command}`);
  process.exitCode = run(process.execPath, [program, ...rest]);
}
