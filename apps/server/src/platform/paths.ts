import { findPackageJSON } from 'node:module';
import { dirname } from 'node:path';

/** The folder of this package. Found by its package.json, since the build lays files out differently from the source. */
export const packageDir = dirname(findPackageJSON(import.meta.url) ?? '.');
