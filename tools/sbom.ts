// `npm run build:sbom`: the components of each part of a deployment, as CycloneDX JSON next to its build.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Bom, bomOf, type Manifest } from './supply-chain/sbom.ts';

const files = {
  'apps/server': 'apps/server/dist/sbom.cdx.json',
  'apps/portal': 'apps/portal/build/sbom.cdx.json',
  'apps/admin': 'apps/admin/build/sbom.cdx.json',
};
const ours = [
  'apps/server',
  'apps/portal',
  'apps/admin',
  'packages/portal-kit',
  'packages/widget',
  'packages/sdk',
  'packages/cli',
];

process.chdir(resolve(import.meta.dirname, '..'));
// From the lockfile alone: reproducible, without a network.
const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'];
const text = execFileSync('npm', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
const everything = Bom.parse(JSON.parse(text));
const read = (folder: string) => JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Manifest;
const manifests = ours.map(read);
for (const [folder, file] of Object.entries(files)) {
  const bom = bomOf(everything, read(folder), manifests);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(bom, null, 2)}\n`);
  console.log(`${file}: ${bom.components.length} components`);
}
