// `npm run build:sbom`: the components of each part of a deployment, as CycloneDX JSON next to its build.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { addFolder, Bom, bomOf, type Manifest } from './supply-chain/sbom.ts';

const files = {
  'apps/server': 'apps/server/dist/sbom.cdx.json',
  'apps/portal': 'apps/portal/build/sbom.cdx.json',
  'apps/admin': 'apps/admin/build/sbom.cdx.json',
};
/** What a part needs from a folder that is not a workspace. */
const folders: Partial<Record<string, string>> = { 'apps/server': 'apps/server/onnx' };
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
/** From the lockfile alone: reproducible, without a network. */
function sbomOf(cwd: string): Bom {
  const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'];
  return Bom.parse(JSON.parse(execFileSync('npm', args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })));
}
const everything = sbomOf('.');
const read = (folder: string) => JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Manifest;
const manifests = ours.map(read);
for (const [folder, file] of Object.entries(files)) {
  const own = bomOf(everything, read(folder), manifests);
  const added = folders[folder];
  const bom = added ? addFolder(own, sbomOf(added)) : own;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(bom, null, 2)}\n`);
  console.log(`${file}: ${bom.components.length} components`);
}
