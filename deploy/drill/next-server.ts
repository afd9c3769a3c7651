import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const root = resolve(import.meta.dirname, '../..');

const handler = `import * as restate from '@restatedev/restate-sdk';
import { durableDefaults } from '../platform/restate.ts';

export const drillGreeter = restate.service({
  name: 'DrillGreeter',
  options: durableDefaults,
  handlers: { greet: (ctx: restate.Context, name: string) => ctx.run('greet', () => \`Hello, \${name}\`) },
});
`;

/** Builds the server from this source tree with another version number and one more durable handler. */
export async function buildNextServer(version: string, into: string): Promise<void> {
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
