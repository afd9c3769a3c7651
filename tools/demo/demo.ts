// `npm run demo`: the whole product on real servers, with a tenant to try it. Ctrl-C stops everything it started.
// `npm run dev` is the same with reload. `--empty`: without the three weeks of conversations.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './processes.ts';
import { startProduct } from './product.ts';

const watch = process.argv.includes('--watch');
const file = join(repository, '.demo.json');
const startedAt = Date.now();
rmSync(file, { force: true });

const end = (code: number) => async () => {
  rmSync(file, { force: true });
  const { stop } = await product;
  await stop();
  process.exit(code);
};
const product = startProduct({
  name: watch ? 'dev' : 'demo',
  keep: true,
  hasHistory: !process.argv.includes('--empty'),
  watch,
  log: console.log,
  onEnd: (code) => {
    if (watch || code === 0) return;
    console.error('A process exited unexpectedly. Stopping the others.');
    void end(1)();
  },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end(0)());

const { demo } = await product;
const { apiUrl } = demo;
writeFileSync(file, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });

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
