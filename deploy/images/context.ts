// `node deploy/images/context.ts [server] [portals] [docs]`: what each image contains, from a finished `npm run build`.
// The build runs on the host and not in a container: it is the same one that the tests ran on, and its bundles are the same
// for every platform, so that nothing is compiled under emulation.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, matchesGlob, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { nodeFileTrace } from '@vercel/nft';
import { build } from 'esbuild';
import { external } from '../../apps/server/build.ts';
import { makeMiniLm } from '../../tools/model/minilm.ts';
import { fetchPackage } from './fetch-package.ts';

const root = resolve(import.meta.dirname, '../..');
const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { version: { type: 'string' }, platforms: { type: 'string', default: 'linux/amd64' } },
});
const version = values.version ?? readJson<{ version: string }>('package.json').version;
const platforms = values.platforms.split(',');

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(join(root, path), 'utf8')) as T;
}

/** Source maps stay out: they are a third of a bundle, and stack traces name functions without them. */
const copy = (from: string, to: string) =>
  cpSync(join(root, from), to, { recursive: true, filter: (path) => !path.endsWith('.map') });

const manifest = (name: string, dependencies: Record<string, string> = {}) =>
  `${JSON.stringify({ name, version, type: 'module', license: 'Apache-2.0', dependencies })}\n`;

/** The bundles, and of the packages that are not bundled the files that they can load. */
async function server(into: string) {
  const dist = 'apps/server/dist';
  const app = join(into, 'app');
  copy(dist, join(app, 'dist'));
  copy('apps/server/db', join(app, 'db'));
  copy('packages/widget/dist', join(app, 'widget'));
  copy('deploy/images/health.js', join(app, 'health.js'));

  makeMiniLm(join(app, 'models/all-MiniLM-L6-v2'));

  const { dependencies } = readJson<{ dependencies: Record<string, string> }>('apps/server/package.json');
  const isExternal = (name: string) => external.some((pattern) => matchesGlob(name, pattern));
  const notBundled = Object.fromEntries(Object.entries(dependencies).filter(([name]) => isExternal(name)));
  writeFileSync(join(app, 'package.json'), manifest('@parley/server', notBundled));
  const { resolve: resolveFrom } = createRequire(join(root, 'apps/server/package.json'));
  const { fileList } = await nodeFileTrace(
    [
      join(root, 'apps/server/onnx/runtime.js'),
      ...Object.keys(notBundled).flatMap((name) => [resolveFrom(name), fileURLToPath(import.meta.resolve(name))]),
    ],
    { base: root, processCwd: root },
  );
  const modules = [...fileList].filter((path) => !path.includes(argon2) && !path.includes(onnxLibraries));
  const misplaced = modules.filter((path) => !/^(node_modules|apps\/server\/onnx)\//.test(path));
  if (misplaced.length > 0) throw new Error(`Not at the top of node_modules, so not copied: ${misplaced[0]}`);
  for (const path of modules) {
    const copied = join(app, path.replace('apps/server/', ''));
    mkdirSync(dirname(copied), { recursive: true });
    cpSync(join(root, path), copied, { dereference: true });
  }
  for (const platform of platforms) await nativeCode(platform.split('/')[1] ?? '', join(into, 'native'));
  copy('deploy/images/minimal-root.sh', join(into, 'minimal-root.sh'));
}

/** Native code, for each platform of the image: one package for each, and one for all of them. */
const argon2 = '@node-rs/argon2-linux-';
const onnxLibraries = 'onnx/node_modules/onnxruntime-node/bin';
async function nativeCode(platform: string, into: string) {
  const arch = platform === 'amd64' ? 'x64' : platform;
  const name = `${argon2}${arch}-gnu`;
  await fetchPackage(root, name, join(into, platform, 'node_modules', name));
  const libraries = `${onnxLibraries}/napi-v6/linux/${arch}`;
  copy(`apps/server/${libraries}`, join(into, platform, libraries));
}

/** One bundle of each portal: its server, its pages and all packages. Both get the same modules, in shared chunks. */
async function portals(into: string) {
  const app = join(into, 'app');
  for (const name of ['portal', 'admin']) {
    await build({
      entryPoints: {
        'src/server': join(root, `apps/${name}/src/server.ts`),
        'build/server/index': join(root, `apps/${name}/build/server/index.js`),
      },
      outdir: join(app, name),
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node24',
      external: ['vite'], // imported only by `npm run dev`
      define: {
        'process.env.NODE_ENV': '"production"',
        'process.env.PARLEY_VERSION': JSON.stringify(version),
      },
      // Packages in CommonJS call `require` for what Node brings along.
      banner: {
        js: "import { createRequire as createRequireHere } from 'node:module'; const require = createRequireHere(import.meta.url);",
      },
      logLevel: 'warning',
    });
    copy(`apps/${name}/build/client`, join(app, name, 'build/client'));
  }
  copy('deploy/images/portals.js', join(app, 'portals.js'));
  copy('deploy/images/health.js', join(app, 'health.js'));
  writeFileSync(join(app, 'package.json'), manifest('@parley/portals'));
  copy('deploy/images/minimal-root.sh', join(into, 'minimal-root.sh'));
}

/** The static site, and a Caddyfile that sends its policy. */
async function docs(into: string) {
  copy('apps/docs/dist', join(into, 'site'));
  copy('deploy/images/minimal-root.sh', join(into, 'minimal-root.sh'));
  const policy = readFileSync(join(root, 'apps/docs/dist/policy.txt'), 'utf8').trim();
  const caddyfile = readFileSync(join(root, 'deploy/images/docs.Caddyfile'), 'utf8');
  writeFileSync(
    join(into, 'Caddyfile'),
    caddyfile.replace('{policy}', () => policy),
  );
}

const images = { server, portals, docs };
for (const [name, assemble] of Object.entries(images)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const folder = join(import.meta.dirname, '.context', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await assemble(folder);
}
