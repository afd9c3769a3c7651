// `node deploy/drill/next-version.ts VERSION NEXT FILE.tar`: images of a made-up next version, made from those of VERSION.
// Its server is built from this source tree with another version number and one more durable handler.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { tmpdir } from 'node:os';

const root = resolve(import.meta.dirname, '../..');
const [version, next, file] = process.argv.slice(2);
if (!version || !next || !file) throw new Error('usage: node deploy/drill/next-version.ts VERSION NEXT FILE.tar');
const run = (program: string, args: string[], env: Record<string, string> = {}) =>
  execFileSync(program, args, { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] });

const handler = `import * as restate from '@restatedev/restate-sdk';
import { durableDefaults } from '../platform/restate.ts';

export const drillGreeter = restate.service({
  name: 'DrillGreeter',
  options: durableDefaults,
  handlers: { greet: (ctx: restate.Context, name: string) => ctx.run('greet', () => \`Hello, \${name}\`) },
});
`;

/** A copy of the server, next to it so that its imports lead to the same packages. */
const copy = join(root, 'apps/server-next');
const context = mkdtempSync(join(tmpdir(), 'next-version-'));
try {
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy);
  for (const name of ['src', 'build.ts', 'package.json', 'db'])
    cpSync(join(root, 'apps/server', name), join(copy, name), { recursive: true });
  const durable = join(copy, 'src/features/durable.ts');
  const source = readFileSync(durable, 'utf8');
  const list = '(platform: Platform): Durable[] => [';
  if (source.split(list).length !== 2) throw new Error(`${durable} has no single list of workflows`);
  writeFileSync(join(copy, 'src/features/drill-greeter.ts'), handler);
  writeFileSync(
    durable,
    `import { drillGreeter } from './drill-greeter.ts';\n${source.replace(list, `${list}\n  drillGreeter,`)}`,
  );
  run(process.execPath, [join(copy, 'build.ts')], { PARLEY_VERSION: next });
  cpSync(join(copy, 'dist'), join(context, 'dist'), { recursive: true, filter: (path) => !path.endsWith('.map') });

  const images = execFileSync('docker', ['image', 'ls', '--format', '{{.Repository}}:{{.Tag}}', '--filter', 'label=org.opencontainers.image.version'], { encoding: 'utf8' })
    .split('\n')
    .filter((name) => name.startsWith('parley/') && name.endsWith(`:${version}`));
  const tags = images.map((name) => name.replace(/:.*$/, `:${next}`));
  for (const [at, name] of images.entries()) {
    const isServer = name.startsWith('parley/server:');
    const lines = [`FROM ${name}`, ...(isServer ? ['COPY dist /app/dist'] : []), `LABEL org.opencontainers.image.version=${next}`];
    writeFileSync(join(context, 'Containerfile'), lines.join('\n'));
    run('docker', ['build', '--quiet', '--tag', tags[at] ?? '', '--file', join(context, 'Containerfile'), context]);
  }
  run('docker', ['save', '--output', file, ...tags]);
  console.log(tags.join('\n'));
} finally {
  rmSync(copy, { recursive: true, force: true });
  rmSync(context, { recursive: true, force: true });
}
