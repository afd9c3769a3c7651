// `npm run demo`: the whole product on real servers, with a demo tenant. Ctrl-C stops everything it started.
// `npm run dev` is the same with reload. `--empty` omits the demo tenant's three weeks of history.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './processes.ts';
import { startProduct } from './product.ts';

const watch = process.argv.includes('--watch');
/** How to reach the demo, for `npm run demo:code` and `npm run demo:cli`. */
const detailsFile = join(repository, '.demo.json');
const startedAt = Date.now();
rmSync(detailsFile, { force: true });

const starting = startProduct({
  name: watch ? 'dev' : 'demo',
  keep: true,
  hasHistory: !process.argv.includes('--empty'),
  watch,
  log: console.log,
  onEnd: (code) => {
    if (watch || code === 0) return;
    console.error('A process exited unexpectedly. Stopping the others.');
    void stop(1);
  },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop(0));

async function stop(exitCode: number): Promise<void> {
  rmSync(detailsFile, { force: true });
  const product = await starting;
  await product.stop();
  process.exit(exitCode);
}

const { demo } = await starting;
const { apiUrl } = demo;
writeFileSync(detailsFile, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });

const credentials = `-H 'Authorization: Bearer ${demo.serverKey}' -H 'X-Service-Api-Key-Id: ${demo.serverKeyId}'`;
console.log(`
Parley is ready (started in ${((Date.now() - startedAt) / 1000).toFixed(1)} s).

  Portal     ${demo.portalUrl}  (as ${demo.customer.email}, ${demo.customer.password})
  Admin      ${demo.adminUrl}  (as ${demo.admin.email}, ${demo.admin.password}; code: npm run demo:code)
  Demo shop  ${demo.siteUrl}  (with the chat widget)
  Widget     ${demo.cdnUrl}/chatbot-widget.js
  API        ${apiUrl}
  Docs       ${demo.docsUrl}
  API docs   ${demo.referenceUrl}
  Email      ${demo.mailUrl}
  Sign-in    ${demo.signInUrl}  (an example app that uses Parley sign-in)
  Webhooks   ${demo.receiverUrl}/calls  (requests to the demo tenant's backend; self-signed certificate)
  Details    .demo.json

Call the API with the demo tenant's server key:

  curl ${apiUrl}/me ${credentials}

Create a workspace:

  curl ${apiUrl}/workspaces ${credentials} -H 'Content-Type: application/json' -d '{"name":"Marketing"}'

Press Ctrl-C to stop.`);
