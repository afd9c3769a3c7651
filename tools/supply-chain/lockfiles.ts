import { readFileSync } from 'node:fs';
import { z } from 'zod';

const Lockfile = z.object({
  packages: z.record(
    z.string(),
    z.object({ name: z.string().optional(), version: z.string().optional(), link: z.boolean().optional() }),
  ),
});

export interface Package {
  name: string;
  version: string;
}

/** The registry packages of a lockfile, each version once, without our own packages. */
export function packagesOf(lockfile: string): Package[] {
  const { packages } = Lockfile.parse(JSON.parse(readFileSync(lockfile, 'utf8')));
  const found = Object.entries(packages).flatMap(([path, { name, version, link }]) => {
    const [, installedAs] = /.*node_modules\/(.+)$/.exec(path) ?? [];
    return installedAs && version && !link ? [{ name: name ?? installedAs, version }] : []; // `name` differs for an alias
  });
  return [...new Map(found.map((one) => [`${one.name}@${one.version}`, one])).values()];
}
