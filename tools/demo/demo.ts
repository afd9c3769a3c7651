// `npm run demo`: the whole product on real parts, with a tenant to try it. Ctrl-C stops everything it started.
// `npm run dev` is the same with reload.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startStack } from '../stack/index.ts';
import { repository, runEntry, waitFor } from './processes.ts';
import { seedDemoTenant } from './seed.ts';
import { prepare } from './settings.ts';

const watch = process.argv.includes('--watch');
const file = join(repository, '.demo.json');
const began = Date.now();
rmSync(file, { force: true });

console.log('Starting PostgreSQL, Valkey and Restate …');
const stack = await startStack(watch ? 'dev' : 'demo', { keep: true });
console.log('Preparing the database …');
const settings = await prepare(stack, watch ? { api: 3000 } : {});
const apiUrl = settings['PUBLIC_URL'] ?? '';

console.log('Starting API and worker …');
const entries = ['apps/server/src/api.ts', 'apps/server/src/worker.ts'].map((entry) =>
  runEntry(entry, settings, { watch }),
);
const stop = async () => {
  await Promise.all(entries.map((entry) => entry.stop()));
  await stack.stop();
  rmSync(file, { force: true });
};
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stop().then(() => process.exit(0)));
for (const { ended } of entries) {
  void ended.then(async (code) => {
    if (watch || code === 0) return;
    console.error('A process ended by itself; stopping the others.');
    await stop();
    process.exit(1);
  });
}

const seed = async () => {
  await waitFor(`${apiUrl}/health/ready`);
  return { apiUrl, docsUrl: `${apiUrl}/docs`, ...(await seedDemoTenant(settings)) };
};
const demo = await seed().catch(async (error: unknown) => {
  await stop();
  throw error;
});
writeFileSync(file, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });

const credentials = `-H 'Authorization: Bearer ${demo.serverKey}' -H 'X-Service-Api-Key-Id: ${demo.serverKeyId}'`;
console.log(`
Parley is ready after ${((Date.now() - began) / 1000).toFixed(1)} s.

  API        ${apiUrl}
  Reference  ${demo.docsUrl}
  Details    .demo.json

Who am I, with the demo tenant's server key?

  curl ${apiUrl}/me ${credentials}

Make something:

  curl ${apiUrl}/workspaces ${credentials} -H 'Content-Type: application/json' -d '{"name":"Marketing"}'

Stop with Ctrl-C.`);
