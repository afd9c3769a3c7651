// Signs and posts with our own HTTP client, and nothing else: in a bare loop, or as a BullMQ worker.
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { headersOf, type OutboundPayload } from '../apps/server/src/features/webhooks/delivery/send.ts';
import { createSafeFetch } from '../apps/server/src/platform/safe-fetch.ts';

/** The requested load. */
export interface Load {
  endpoints: number;
  deliveries: number;
  body: string;
}
export interface Figures {
  ms: number;
  cpuMs: number;
}

const { SENDER, RECEIVER_HOST = '', RECEIVER_CA = '', VALKEY_URL = '' } = process.env;
const concurrency = 50;
const secrets = [`whsec_${Buffer.alloc(32, 7).toString('base64')}`];
const httpClient = createSafeFetch({ ownHosts: [], openHosts: [RECEIVER_HOST], extraCa: RECEIVER_CA });

async function post(path: string, text: string) {
  const target = {
    url: `https://${RECEIVER_HOST}/${path}`,
    headers: {},
    secrets,
    tenantId: 'ten_bench',
    environmentId: 'env_bench',
  };
  const payload: OutboundPayload = {
    eventId: 'evt_bench',
    eventType: 'test',
    environmentId: null,
    body: Buffer.from(text),
  };
  const headers = headersOf(target, payload, 1, Math.floor(Date.now() / 1_000));
  const { status } = await httpClient({ url: target.url, method: 'POST', headers, body: payload.body });
  if (status !== 200) throw new Error(`the receiver returned ${status}`);
}

const ownCpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

async function bare({ endpoints, deliveries, body }: Load): Promise<Figures> {
  const [startedAt, cpu] = [performance.now(), ownCpuMs()];
  let next = 0;
  const loop = async () => {
    for (let n = next++; n < deliveries; n = next++) await post(`e${n % endpoints}`, body);
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  return { ms: performance.now() - startedAt, cpuMs: ownCpuMs() - cpu };
}

function bullmq() {
  const connection = new Redis(VALKEY_URL, { maxRetriesPerRequest: null });
  const queue = new Queue<{ path: string; body: string }>('bench', { connection });
  const worker = new Worker<{ path: string; body: string }>('bench', ({ data }) => post(data.path, data.body), {
    connection,
    concurrency,
    autorun: false,
  });
  worker.on('error', (error) => console.error(error));
  void worker.pause().then(() => worker.run());

  const redisCpuMs = async () => {
    const info = await connection.info('cpu');
    const seconds = (name: string) => Number(new RegExp(`${name}:([0-9.]+)`).exec(info)?.[1]);
    return 1_000 * (seconds('used_cpu_user') + seconds('used_cpu_sys'));
  };
  const cpuMs = async () => ownCpuMs() + (await redisCpuMs());

  return async ({ endpoints, deliveries, body }: Load): Promise<Figures> => {
    await worker.pause();
    for (let n = 0; n < deliveries; n += 500)
      await queue.addBulk(
        Array.from({ length: Math.min(500, deliveries - n) }, (_, i) => ({
          name: 'post',
          data: { path: `e${(n + i) % endpoints}`, body },
        })),
      );
    let done = 0;
    const all = new Promise<void>((resolve) => {
      worker.removeAllListeners('completed');
      worker.on('completed', () => ++done === deliveries && resolve());
    });
    const [startedAt, cpu] = [performance.now(), await cpuMs()];
    await worker.resume();
    await all;
    return { ms: performance.now() - startedAt, cpuMs: (await cpuMs()) - cpu };
  };
}

const work = SENDER === 'bullmq' ? bullmq() : bare;
process.on('message', (load: Load) => void work(load).then((figures) => process.send?.(figures)));
process.once('disconnect', () => process.exit());
