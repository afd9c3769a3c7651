// `npm run check:vulnerabilities`: compares every lockfile with the OSV database. Not part of `npm run check`, since it
// needs the network, and its result does not depend on the commit.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { checkLockfiles, type Accepted } from './supply-chain/check.ts';

const folders = ['', 'apps/docs/', 'apps/server/onnx/', 'bench/', 'deploy/helm/', 'tools/codegen/'];
const lockfiles = folders.map((folder) => `${folder}package-lock.json`);
process.chdir(resolve(import.meta.dirname, '..'));
const accepted = JSON.parse(readFileSync('tools/supply-chain/accepted.json', 'utf8')) as Accepted;
const { lines, isFailed } = await checkLockfiles(lockfiles, {
  url: 'https://api.osv.dev',
  accepted,
  today: new Date().toISOString().slice(0, 10),
});
console.log(lines.join('\n'));
if (isFailed) process.exitCode = 1;
