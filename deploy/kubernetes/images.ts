// `node deploy/kubernetes/images.ts VERSION NEXT INTO`: the images of server and portals in two versions, after the builds that
// deploy/kubernetes/run makes. The next version has one more durable handler, as in deploy/drill.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { arch, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildNextServer } from '../drill/next-server.ts';
import { makeImage, type ImageConfig } from './image.ts';

const [version = '', next = '', into = ''] = process.argv.slice(2);
const root = resolve(import.meta.dirname, '../..');
const context = join(root, 'deploy/images/.context');

/** What the Containerfile says about the process. */
function configOf(name: string): ImageConfig {
  const lines = readFileSync(join(root, `deploy/images/${name}.Containerfile`), 'utf8').split('\n');
  const valuesOf = (instruction: string) =>
    lines.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.slice(instruction.length + 1));
  const listOf = (instruction: string) => JSON.parse(valuesOf(instruction)[0] ?? '[]') as string[];
  return {
    Entrypoint: listOf('ENTRYPOINT'),
    Cmd: listOf('CMD'),
    Env: valuesOf('ENV').flatMap((line) => [...line.matchAll(/(\w+)=(?:"([^"]*)"|(\S+))/g)].map(toVariable)),
    User: valuesOf('USER')[0] ?? '',
    WorkingDir: valuesOf('WORKDIR')[0] ?? '',
  };
}
const toVariable = ([, name, quoted, plain]: RegExpMatchArray) => `${name}=${quoted ?? plain}`;

const work = mkdtempSync(join(tmpdir(), 'parley-images-'));
try {
  const contextArguments = ['--version', version, '--platforms', `linux/${arch() === 'x64' ? 'amd64' : arch()}`];
  execFileSync(process.execPath, [join(root, 'deploy/images/context.ts'), ...contextArguments, 'server', 'portals'], {
    stdio: 'inherit',
  });
  const runtime = join(work, 'runtime');
  execFileSync('sh', [join(root, 'deploy/images/minimal-root.sh'), process.execPath, runtime]);
  mkdirSync(join(runtime, 'usr/local/bin'), { recursive: true });
  renameSync(join(runtime, process.execPath), join(runtime, 'usr/local/bin/node'));
  const changes = join(work, 'changes');
  await buildNextServer(next, join(changes, 'app/dist'));
  for (const name of ['server', 'portals']) {
    const base = join(work, name);
    cpSync(runtime, base, { recursive: true });
    if (name === 'server') cpSync(join(context, 'server/native/amd64'), join(base, 'app'), { recursive: true });
    cpSync(join(context, name, 'app'), join(base, 'app'), { recursive: true });
    const config = configOf(name);
    makeImage(`docker.io/parley/${name}:${version}`, config, join(into, `${name}-${version}.tar`), [base]);
    const more = name === 'server' ? [changes] : [];
    makeImage(`docker.io/parley/${name}:${next}`, config, join(into, `${name}-${next}.tar`), [base, ...more]);
  }
} finally {
  rmSync(work, { recursive: true });
}
