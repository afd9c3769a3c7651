// Writes the types of the portals' API client, from the OpenAPI document. The generator needs the TypeScript 5 compiler, so
// it has its own lockfile in tools/codegen, and is installed when it is missing.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { installIn } from '../packages.ts';
import { writeGenerated } from './write.ts';

const root = resolve(import.meta.dirname, '../..');
const program = join(root, 'tools/codegen/node_modules/openapi-typescript/bin/cli.js');
installIn('tools/codegen');

interface Document {
  paths: Record<string, unknown>;
}
const document = JSON.parse(readFileSync(join(root, 'apps/server/openapi.json'), 'utf8')) as Document;
// The short paths are the same as the long ones; browser pages and the widget's routes are not used by the portals.
const isLeftOut = (path: string) =>
  /^\/(tenants\/\{tenantId\}|pools|cdn|widget|\.well-known\/security\.txt)(\/|$)/.test(path);
const paths = Object.fromEntries(Object.entries(document.paths).filter(([path]) => !isLeftOut(path)));

const folder = mkdtempSync(join(tmpdir(), 'client-'));
try {
  const [input, output] = [join(folder, 'openapi.json'), join(folder, 'schema.ts')];
  writeFileSync(input, JSON.stringify({ ...document, paths }));
  execFileSync(process.execPath, [program, input, '-o', output, '--default-non-nullable=false', '--alphabetize'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  writeGenerated(join(root, 'packages/portal-kit/src/service/schema.ts'), readFileSync(output, 'utf8'));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
