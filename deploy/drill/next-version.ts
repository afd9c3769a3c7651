// Images of a made-up next version, made from those of the installed one: the server is built from this source tree with
// another version number and one more durable handler.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { dir, docker, shell } from './machine.ts';

const root = resolve(import.meta.dirname, '../..');

const handler = `import * as restate from '@restatedev/restate-sdk';
import { durableDefaults } from '../platform/restate.ts';

export const drillGreeter = restate.service({
  name: 'DrillGreeter',
  options: durableDefaults,
  handlers: { greet: (ctx: restate.Context, name: string) => ctx.run('greet', () => \`Hello, \${name}\`) },
});
`;

/** The server's scripts, as the next version has them. */
async function buildServer(version: string, into: string) {
  const copy = join(root, 'apps/server-next'); // next to the server, so that its imports lead to the same packages
  try {
    rmSync(copy, { recursive: true, force: true });
    mkdirSync(copy);
    for (const name of ['src', 'build.ts', 'package.json'])
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
    const env = { ...process.env, PARLEY_VERSION: version };
    await promisify(execFile)(process.execPath, [join(copy, 'build.ts')], { cwd: copy, env });
    cpSync(join(copy, 'dist'), into, { recursive: true, filter: (path) => !path.endsWith('.map') });
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Writes the next version's release into a folder, as someone would copy it to the machine. */
export async function makeNextVersion(version: string, next: string, folder: string): Promise<void> {
  const context = join(dir, 'next-version');
  await buildServer(next, join(context, 'dist'));
  const tags = [];
  for (const name of ['server', 'portals', 'docs']) {
    const change = name === 'server' ? ['COPY dist /app/dist'] : [];
    const lines = [`FROM parley/${name}:${version}`, ...change, `LABEL org.opencontainers.image.version=${next}`];
    writeFileSync(join(context, 'Containerfile'), lines.join('\n'));
    const tag = `parley/${name}:${next}`;
    await docker('build', '--quiet', '--tag', tag, '--file', join(context, 'Containerfile'), context);
    tags.push(tag);
  }
  const release = `parley-${next}`;
  mkdirSync(join(context, release));
  await docker('save', '--output', join(context, release, 'images.tar'), ...tags);
  await docker('image', 'rm', ...tags);
  await shell(`tar -C ${context} -cf - ${release} | gzip -1 > ${join(folder, `${release}-airgapped.tar.gz`)}`);
}
