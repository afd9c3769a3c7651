import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findProgram } from './processes.ts';

/**
 * The folder of a PostgreSQL with the `vector` extension: STACK_VECTOR_PG_BIN, the one that tools/stack/build-vector.sh
 * built in `builtIn`, or the machine's own. Undefined if none has it.
 */
export function programsWithVector(builtIn: string): string | undefined {
  const built = join(builtIn, 'lib/postgresql');
  const folders = [
    process.env['STACK_VECTOR_PG_BIN'] ?? '',
    ...(existsSync(built) ? readdirSync(built).map((version) => join(built, version, 'bin')) : []),
    dirname(findProgram(['postgres'], 'Install PostgreSQL 15 or newer (Debian: apt-get install postgresql).')),
  ];
  return folders.find((folder) => existsSync(join(folder, 'postgres')) && hasVector(folder));
}

/** Debian separates shared files from programs; others keep both in one folder. */
function hasVector(programs: string): boolean {
  const home = dirname(programs);
  const version = home.slice(dirname(home).length + 1);
  const shares = [
    join(home, '../../../share/postgresql', version),
    join(home, 'share'),
    join(home, 'share/postgresql'),
    join('/usr/share/postgresql', version),
  ];
  return shares.some((share) => existsSync(join(share, 'extension/vector.control')));
}
