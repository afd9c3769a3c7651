import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { createReader } from '../../src/features/knowledge/ingest/reader/reader.ts';
import { createSyncing, type SyncCall } from '../../src/features/knowledge/ingest/sync.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { newId } from '../../src/platform/ids.ts';
import { startMs } from '../../src/platform/invocation-limits.ts';
import { openPlatform } from '../../src/platform/platform.ts';
import { createSafeFetch } from '../../src/platform/safe-fetch.ts';

// The API, with a worker's syncs in the same process. Measures the CPU time of this thread between two ticks of a
// timer, so the time that other processes and threads take is not counted.

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
const syncing = createSyncing({ services: platform.services, fetch: egress, reader: createReader(), startMs });

async function sync(call: SyncCall) {
  const problem = (await syncing.list(call))?.problem ?? null;
  while (problem === null && (await syncing.fetchSome(call, Date.now() + startMs))?.isDone === false);
  await syncing.finish(call, problem, newId('event'));
}

/** The longest uninterrupted work of this thread since the last call. */
function takeMaxMs() {
  const taken = maxMs;
  maxMs = 0;
  return { maxMs: taken };
}

const handle = async (request: IncomingMessage) => {
  if (request.url === '/sync') await sync((await json(request)) as SyncCall);
  await new Promise((resolve) => setTimeout(resolve, 2 * everyMs)); // include the work that just finished
  return takeMaxMs();
};
createServer((request, response) => {
  void handle(request).then(
    (body) => response.end(JSON.stringify(body)),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
}).listen(Number(port), '127.0.0.1');

await import('../../src/api.ts');
