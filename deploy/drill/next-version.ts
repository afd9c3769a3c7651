// Images of a made-up next version, made from those of the installed one.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dir, docker, shell } from './machine.ts';
import { buildNextServer } from './next-server.ts';

/** Writes the next version's release into a folder, as someone would copy it to the machine. */
export async function makeNextVersion(version: string, next: string, folder: string): Promise<void> {
  const context = join(dir, 'next-version');
  await buildNextServer(next, join(context, 'dist'));
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
