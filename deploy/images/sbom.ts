// `node deploy/images/sbom.ts parley/server:0.1.0 FILE`: everything in an image, as CycloneDX JSON. Needs `npm run build`.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { imageBom, parseDpkgStatus } from '../../tools/supply-chain/image-sbom.ts';
import { Bom } from '../../tools/supply-chain/sbom.ts';

const [image = '', file = ''] = process.argv.slice(2);
const [name = '', version = ''] = basename(image).split(':');
const run = (program: string, args: readonly string[], input?: Buffer) =>
  execFileSync(program, args, { maxBuffer: 2 ** 28, stdio: ['pipe', 'pipe', 'ignore'], ...(input && { input }) });

/** A file or folder of the image, without running anything in it. */
function read(path: string): string {
  const id = run('docker', ['create', image, 'none']).toString().trim();
  try {
    return run('tar', ['-xO', '--ignore-zeros'], run('docker', ['cp', '-L', `${id}:${path}`, '-'])).toString();
  } catch {
    return ''; // not in this image
  } finally {
    run('docker', ['rm', id]);
  }
}

const bundles: Record<string, string[]> = {
  server: ['apps/server/dist/sbom.cdx.json'],
  portals: ['apps/portal/build/sbom.cdx.json', 'apps/admin/build/sbom.cdx.json'],
};
const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
  'devDependencies',
  Record<string, string>
>;
const nodeVersion = () =>
  run('docker', [
    'run',
    '--rm',
    '--network',
    'none',
    '--entrypoint',
    '/usr/local/bin/node',
    image,
    '-p',
    'process.versions.node',
  ]);
const programs: Record<string, () => string | undefined> = {
  server: () => nodeVersion().toString().trim(),
  portals: () => nodeVersion().toString().trim(),
  restate: () => devDependencies['@restatedev/restate-server'],
};
const program = programs[name]?.();
const bom = imageBom({
  name,
  version,
  release: /VERSION_ID="(.+)"/.exec(read('/etc/os-release'))?.[1] ?? 'unknown',
  packages: parseDpkgStatus(read('/var/lib/dpkg/status') + read('/var/lib/dpkg/status.d')),
  programs: program ? [{ name: name === 'restate' ? 'restate-server' : 'node', version: program }] : [],
  bundled: (bundles[name] ?? []).filter(existsSync).map((path) => Bom.parse(JSON.parse(readFileSync(path, 'utf8')))),
});
writeFileSync(file, `${JSON.stringify(bom, null, 2)}\n`);
console.log(`${file}: ${bom.components.length} components`);
