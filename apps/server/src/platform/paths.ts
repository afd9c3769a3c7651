import { findPackageJSON } from 'node:module';
import { dirname } from 'node:path';

/** The folder of this package. Located by its package.json, because the build has another layout than the source. */
export const packageDir = dirname(findPackageJSON(import.meta.url) ?? '.');
