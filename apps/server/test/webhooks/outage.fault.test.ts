import { rmSync, writeFileSync } from 'node:fs';
import { connect as connectTcp, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { startReceiver } from '../../../../tools/receiver/index.ts';
import { freePort, startRestate, startRestateCluster } from '../../../../tools/stack/index.ts';
import { createTenant } from '../../src/features/tenants/tenants.service.ts';
import { createWebhook } from '../../src/features/webhooks/endpoints/webhooks.service.ts';
import { asSystem, inTenant } from '../../src/platform/context.ts';
import { connect } from '../../src/platform/db.ts';
import { newId } from '../../src/platform/ids.ts';
import { waitUntilRegistered } from '../chat/fixture.ts';
import { startChild } from '../faults/child.ts';
import { startOwnDatabase } from '../faults/own-database.ts';
import { randomFrom, rounds, seed } from '../faults/random.ts';
import { services, settings, ownDir } from '../harness.ts';
import { emitTestEventIn } from './fixture.ts';
import { compareLedgers, waitForEmptyQueue } from './ledger.ts';

// The worker loses its database and Restate: in a long run one of the three nodes of a cluster, in the sample the only one.
// Nothing must be lost.

const isLong = rounds >= 100;
const faults = Math.max(1, Math.ceil(rounds / 20));
const random = randomFrom(seed);
const own = await startOwnDatabase('webhooks');
const dir = ownDir('webhooks-cluster');
const nodes = isLong ? await startRestateCluster(dir, { partitions: 4 }) : [await startRestate(dir, { partitions: 4 })];
const alive = new Set(nodes);
const receiver = await startReceiver({ keep: 1_000_000 });
const caFile = join(dir, 'receiver-ca.pem');
writeFileSync(caFile, receiver.caPem);

/** A load balancer in front of the nodes: a new connection goes to one that is up. */
async function startLoadBalancer(urlOf: (node: (typeof nodes)[number]) => string) {
  const sockets = new Set<Socket>();
  let turn = 0;
  const server = createServer((from) => {
    const up = [...alive];
    const node = up[turn++ % up.length];
    if (!node) return void from.destroy();
    const to = connectTcp(Number(new URL(urlOf(node)).port), '127.0.0.1');
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(one);
      one
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(one);
          other.destroy();
        });
      one.pipe(other);
    }
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
const ingress = await startLoadBalancer(({ ingressUrl }) => ingressUrl);
const adminProxy = await startLoadBalancer(({ adminUrl }) => adminUrl);

const worker = startChild(
  'src/worker.ts',
  settings({
    DATABASE_URL: own.urlAs('parley_app'),
    RESTATE_INGRESS_URL: ingress.url,
    RESTATE_ADMIN_URL: adminProxy.url,
    RESTATE_IDENTITY_KEYS: nodes[0]?.identityKey ?? '',
    WORKER_PORT: String(await freePort()),
    EGRESS_TENANT_OPEN_HOSTS: receiver.host,
    EGRESS_CA_FILE: caFile,
    LOG_LEVEL: 'info',
  }),
);
const root = connect(own.urlAs('postgres'), { max: 1 });
const db = connect(own.urlAs('parley_app'), { max: 4 });
const testServices = { ...services, db };

afterAll(async () => {
  worker.signal('SIGKILL');
  await Promise.all([root.destroy(), db.destroy()]);
  ingress.close();
  adminProxy.close();
  await Promise.all(nodes.map((node) => node.kill()));
  await own.remove();
  await receiver.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function aSubscriber() {
  const tenantId = newId('tenant');
  const { secret } = await inTenant(testServices, asSystem(tenantId, 'test'), async (ctx) => {
    await createTenant(ctx, { name: 'Test', plan: 'team' });
    const input = { url: `${receiver.url}/${tenantId}`, description: '', eventTypes: ['test.*'], environmentId: null };
    const more = { botIds: [], headers: {}, rateLimit: 1_000, ordering: 'none', autoRecover: true } as const;
    return createWebhook(ctx, { ...input, ...more, botIds: [] }, () => {});
  });
  receiver.secrets.push(secret);
  return { tenantId };
}

test(
  `loses nothing when PostgreSQL is restarted ${faults} times and Restate nodes are killed ${faults} times`,
  { timeout: 180_000 + faults * 30_000 },
  async () => {
    await worker.ready;
    await waitUntilRegistered(adminProxy.url);
    const tenants = await Promise.all([aSubscriber(), aSubscriber(), aSubscriber()]);
    receiver.respond = ({ problem }, response) =>
      void setTimeout(() => response.writeHead(problem ? 401 : 200).end(), random.between(0, 30));
    let [written, refused, isOver] = [0, 0, false];
    const writing = Promise.all(
      tenants.map(async ({ tenantId }) => {
        while (!isOver) {
          await emitTestEventIn(testServices, tenantId, written).then(
            () => written++,
            () => refused++,
          );
          await sleep(random.between(0, isLong ? 30 : 150));
        }
      }),
    );
    for (let n = 0; n < faults; n++) {
      await sleep(random.between(500, 2_500));
      const node = nodes[n % nodes.length];
      if (!node) continue;
      alive.delete(node);
      await node.kill();
      await sleep(random.between(1_000, 4_000));
      await node.start();
      alive.add(node);

      await sleep(random.between(500, 2_500));
      await (random.chance(0.5) ? own.postgres.kill() : own.postgres.stop());
      await sleep(random.between(100, 1_000));
      await own.postgres.start();
    }
    await sleep(1_000);
    isOver = true;
    await writing;
    await waitForEmptyQueue(root, 150_000);
    const { events } = await compareLedgers(
      root,
      receiver,
      `${faults} nodes killed, PostgreSQL restarted ${faults} times, ${refused} writes refused`,
    );
    expect(events).toBeGreaterThanOrEqual(written);
  },
);
