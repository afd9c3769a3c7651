import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { createReader } from '../../src/features/knowledge/ingest/reader/reader.ts';
import { createSyncing, type SyncCall } from '../../src/features/knowledge/ingest/sync.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { newId } from '../../src/platform/ids.ts';
import { openPlatform } from '../../src/platform/platform.ts';
import { createSafeFetch } from '../../src/platform/safe-fetch.ts';

// The API as it is, and beside it in the same process the syncs of a worker. Measured is the CPU time of this thread from
// one turn of a timer to the next: what another process or thread of the machine takes is not in it.

const everyMs = 10;
const cpuMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
let [last, maxMs] = [cpuMs(), 0];
setInterval(() => {
  const now = cpuMs();
  maxMs = Math.max(maxMs, now - last);
  last = now;
}, everyMs);

const { CONTROL_PORT: port, SITE_HOST: host = '', ...settings } = process.env;
const platform = await openPlatform('worker', loadConfig(settings));
const egress = createSafeFetch({ openHosts: [host], ownHosts: [] });
const syncing = createSyncing(platform.services, egress, createReader());

async function sync(call: SyncCall) {
  const listed = await syncing.list(call);
  const problem = listed && 'problem' in listed ? listed.problem : null;
  while (problem === null && (await syncing.fetchSome(call))?.isDone === false);
  await syncing.finish(call, problem, newId('event'));
}

/** The longest that this thread was busy with one thing since it was last asked. */
function takeMaxMs() {
  const taken = maxMs;
  maxMs = 0;
  return { maxMs: taken };
}

const answer = async (request: IncomingMessage) => {
  if (request.url === '/sync') await sync((await json(request)) as SyncCall);
  await new Promise((resolve) => setTimeout(resolve, 2 * everyMs)); // what was done last is counted
  return takeMaxMs();
};
createServer((request, response) => {
  void answer(request).then(
    (body) => response.end(JSON.stringify(body)),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
}).listen(Number(port), '127.0.0.1');

await import('../../src/api.ts');
