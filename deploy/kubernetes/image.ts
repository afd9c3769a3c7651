// Makes a container image without Docker: `node image.ts NAME CONFIG OUT.tar FOLDER…`. Each folder becomes a layer. The file
// has the format of `docker save`, which containerd imports.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { arch } from 'node:os';
import { dirname, join } from 'node:path';

export interface ImageConfig {
  Entrypoint: string[];
  Cmd?: string[];
  Env?: string[];
  User?: string;
  WorkingDir?: string;
}

/** `folders` are layers, from the lowest to the highest. */
export function makeImage(name: string, config: ImageConfig, out: string, folders: readonly string[]): void {
  mkdirSync(dirname(out), { recursive: true });
  const work = mkdtempSync(`${out}.`);
  const write = (file: string, content: unknown) => writeFileSync(join(work, file), JSON.stringify(content));
  try {
    const layers = folders.map((folder, n) => {
      const layer = join(work, `${n}.tar`);
      execFileSync('tar', ['--owner=0', '--group=0', '--numeric-owner', '-C', folder, '-cf', layer, '.']);
      return { name: `${n}.tar`, id: `sha256:${createHash('sha256').update(readFileSync(layer)).digest('hex')}` };
    });
    const rootfs = { type: 'layers', diff_ids: layers.map(({ id }) => id) };
    write('config.json', { architecture: arch() === 'x64' ? 'amd64' : arch(), os: 'linux', config, rootfs });
    write('manifest.json', [
      { Config: 'config.json', RepoTags: [name], Layers: layers.map(({ name: layer }) => layer) },
    ]);
    execFileSync('tar', ['-C', work, '-cf', out, '.']);
  } finally {
    rmSync(work, { recursive: true });
  }
}

if (import.meta.main) {
  const [name = '', config = '{}', out = '', ...folders] = process.argv.slice(2);
  makeImage(name, JSON.parse(config) as ImageConfig, out, folders);
}
