// `npm run demo`: the whole product on real parts, with a tenant to try it. Ctrl-C stops everything it started.
// `npm run dev` is the same with reload.
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startMailCatcher } from '../mail/index.ts';
import { startModelServer } from '../model/index.ts';
import { startReceiver } from '../receiver/index.ts';
import { clientsAt, startSignInExample } from '../sign-in/index.ts';
import { startSite } from '../site/index.ts';
import { freePort, startStack } from '../stack/index.ts';
import { repository, runEntry, waitFor } from './processes.ts';
import { seedDemo } from './seed.ts';
import { prepare } from './settings.ts';

const watch = process.argv.includes('--watch');
const file = join(repository, '.demo.json');
const began = Date.now();
rmSync(file, { force: true });

/** What was started, to be stopped in the opposite order. */
const started: (() => Promise<void>)[] = [];
let stopping: Promise<void> | undefined;
const stop = () =>
  (stopping ??= (async () => {
    for (const end of started.toReversed()) await end();
    rmSync(file, { force: true });
  })());
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stop().then(() => process.exit(0)));

async function start() {
  console.log('Building the widget …');
  if ((await runEntry('packages/widget/build.ts', {}).ended) !== 0) throw new Error('the widget does not build');
  console.log('Starting PostgreSQL, Valkey and Restate …');
  const stack = await startStack(watch ? 'dev' : 'demo', { keep: true });
  started.push(stack.stop);
  console.log('Preparing the database …');
  const mail = await startMailCatcher();
  started.push(mail.stop);
  const example = { port: await freePort(), clientSecret: randomBytes(32).toString('base64url') };
  const model = await startModelServer();
  started.push(model.close);
  const receiver = await startReceiver({ keep: 1_000 });
  started.push(receiver.stop);
  const settings = await prepare(stack, {
    model,
    receiver,
    smtpUrl: mail.smtpUrl,
    clients: clientsAt(`http://localhost:${example.port}`, example.clientSecret),
    ...(watch && { api: 3000 }),
  });
  const apiUrl = settings['PUBLIC_URL'] ?? '';
  const signIn = await startSignInExample({ ...example, apiUrl });
  started.push(signIn.stop);

  console.log('Starting API and worker …');
  const entries = ['apps/server/src/api.ts', 'apps/server/src/worker.ts'].map((entry) =>
    runEntry(entry, settings, { watch }),
  );
  started.push(async () => void (await Promise.all(entries.map((entry) => entry.stop()))));
  for (const { ended } of entries) {
    void ended.then(async (code) => {
      if (watch || code === 0 || stopping) return;
      console.error('A process ended by itself; stopping the others.');
      await stop();
      process.exit(1);
    });
  }
  await waitFor(`${apiUrl}/health/ready`);
  const { mailUrl } = mail;
  const sitePort = await freePort();
  const seeded = await seedDemo(settings, `http://localhost:${sitePort}`, receiver.url);
  receiver.secrets = [seeded.webhookSecret];
  const cdnUrl = `${apiUrl}/cdn`;
  const { publicKey, botId, modelBot } = seeded;
  const site = await startSite({ port: sitePort, apiUrl, cdnUrl, publicKey, botId, modelBot, identify: seeded });
  started.push(site.stop);
  return {
    apiUrl,
    cdnUrl,
    docsUrl: `${apiUrl}/docs`,
    mailUrl,
    signInUrl: signIn.url,
    siteUrl: site.url,
    receiverUrl: receiver.url,
    ...seeded,
  };
}

const demo = await start().catch(async (error: unknown) => {
  await stop();
  throw error;
});
const { apiUrl } = demo;
writeFileSync(file, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });

const credentials = `-H 'Authorization: Bearer ${demo.serverKey}' -H 'X-Service-Api-Key-Id: ${demo.serverKeyId}'`;
console.log(`
Parley is ready after ${((Date.now() - began) / 1000).toFixed(1)} s.

  Chat       ${demo.siteUrl}
  Widget     ${demo.cdnUrl}/chatbot-widget.js
  API        ${apiUrl}
  Reference  ${demo.docsUrl}
  Letters    ${demo.mailUrl}
  Sign-in    ${demo.signInUrl}  (as ${demo.customer.email}, ${demo.customer.password})
  Webhooks   ${demo.receiverUrl}/calls  (what a tenant's backend was told; its certificate is its own)
  Details    .demo.json

Who am I, with the demo tenant's server key?

  curl ${apiUrl}/me ${credentials}

Make something:

  curl ${apiUrl}/workspaces ${credentials} -H 'Content-Type: application/json' -d '{"name":"Marketing"}'

Stop with Ctrl-C.`);
