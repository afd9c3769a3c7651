import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from './paths.ts';

/** Part of metrics and of public responses. Allows build metadata, such as `0.1.0+3f2a9c1`. */
const allowed = /^[0-9A-Za-z.+-]{1,64}$/;

const fromPackage = () =>
  (JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')) as { version: string }).version;

/**
 * The version of the product that this process runs. The build replaces `process.env.PARLEY_VERSION` with a constant, so a
 * deployed bundle cannot claim to be another version.
 */
export const productVersion: string = process.env['PARLEY_VERSION'] ?? fromPackage();
if (!allowed.test(productVersion))
  throw new Error(`PARLEY_VERSION must be a version such as 0.1.0+3f2a9c1, not "${productVersion}".`);
