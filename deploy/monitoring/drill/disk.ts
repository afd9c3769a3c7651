import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const megabytes = 64;

/** A small file system in a file. Undefined if this account may not mount one. */
export function openDisk(folder: string) {
  const image = `${folder}.img`;
  const run = (program: string, ...args: string[]) => execFileSync(program, args, { stdio: 'ignore' });
  mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(image, '');
    run('truncate', '-s', `${megabytes}M`, image);
    run('mkfs.ext4', '-q', image);
    run('mount', '-o', 'loop', image, folder);
  } catch {
    return undefined;
  }
  const file = join(folder, 'data');
  return {
    folder,
    /** Writes until only this share of it is free. */
    fillUntil: (share: number) => {
      const { bavail, blocks, bsize } = statfsSync(folder);
      const bytes = bavail * bsize - share * blocks * bsize;
      if (bytes > 0) run('fallocate', '-l', String(Math.ceil(bytes)), file);
    },
    empty: () => rmSync(file, { force: true }),
    close: () => {
      run('umount', folder);
      rmSync(image, { force: true });
    },
  };
}
