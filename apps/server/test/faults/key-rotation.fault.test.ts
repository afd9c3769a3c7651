import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { startReceiver } from '../../../../tools/receiver/index.ts';
import { openModel } from '../../src/features/models/index.ts';
import { asSystem, inTenant } from '../../src/platform/context.ts';
import { openKeyring, encrypt } from '../../src/platform/crypto.ts';
import type { Id } from '../../src/platform/ids.contract.ts';
import { newId } from '../../src/platform/ids.ts';
import { aChatStack, waitUntilRegistered } from '../chat/fixture.ts';
import { admin, anOperator, as, aTenant, inside, openApi, settings, type TestTenant } from '../harness.ts';
import { happenIn, type CreatedWebhook } from '../webhooks/fixture.ts';
import { drained } from '../webhooks/ledger.ts';
import { startChild, type Child } from './child.ts';
import { hold } from './hold.ts';
import { randomFrom, seed } from './random.ts';
import { countOf } from '../../../../tools/testing/size.ts';

// The encryption keys of a deployment are changed while it works: a real API and a real worker, which is killed on the way.

const size = countOf('SECRETS', { sample: 80, full: 10_000 });
/** In the full run Restate forgets all of it too: a worker sees to a rotation that is silent, within two minutes. */
const isWiped = size >= 10_000;
const receiver = await startReceiver({ keep: 1_000_000 });
const { dir, restate, chatSettings } = await aChatStack();
const caFile = join(dir, 'receiver-ca.pem');
writeFileSync(caFile, receiver.caPem);
/** A deployment of their own: only these processes count, and all of them know the new key. */
const own = {
  ...chatSettings,
  EGRESS_TENANT_OPEN_HOSTS: receiver.host,
  EGRESS_CA_FILE: caFile,
  VALKEY_PREFIX: `${settings()['VALKEY_PREFIX']}rotation:`,
  MASTER_KEYS: `next:${randomBytes(32).toString('base64')},${settings()['MASTER_KEYS']}`,
  DATABASE_POOL_SIZE: '8',
};
const start = (script: string) => startChild(script, settings({ ...own, LOG_LEVEL: 'info' }));
const children = new Set<Child>();
afterAll(async () => {
  for (const child of children) child.signal('SIGKILL');
  await receiver.stop();
});

interface Model {
  tenantId: Id<'tenant'>;
  id: string;
  apiKey: string;
}

/** So many models with a key each, encrypted as the service encrypts them. */
async function plantModels({ tenantId }: TestTenant, count: number): Promise<Model[]> {
  const models = Array.from({ length: count }, () => {
    const id = newId('model');
    return { tenantId, id, apiKey: `sk-${id}` };
  });
  for (let n = 0; n < count; n += 500)
    await inside(tenantId, async (ctx) => {
      const rows = await Promise.all(
        models.slice(n, n + 500).map(async ({ id, apiKey }) => ({
          id,
          name: id,
          provider: 'anthropic',
          model: 'm',
          inputPrice: 1,
          outputPrice: 1,
          createdBy: 'test',
          encryptedKey: await encrypt(ctx, { purpose: 'model-key', rowId: id }, apiKey),
        })),
      );
      await ctx.tx.insertInto('models').values(rows).execute();
    });
  return models;
}

test(
  `${size} secrets are re-encrypted under load while the worker is killed${isWiped ? ' and Restate is wiped' : ''}: nothing fails, nothing is lost, old keys are gone`,
  { timeout: 240_000 + size * 30 },
  async () => {
    console.log(`key rotation: SECRETS=${size} FAULT_SEED=${seed}`);
    const random = randomFrom(seed);
    const tenants = await Promise.all(Array.from({ length: 6 }, () => aTenant({ plan: 'enterprise' })));
    const shares = [0.6, 0.25, 0.1, 0.03, 0.01, 0.01];
    const models: Model[] = [];
    for (const [n, tenant] of tenants.entries())
      models.push(...(await plantModels(tenant, Math.ceil(size * (shares[n] ?? 0)))));

    const [api, firstWorker] = [start('src/api.ts'), start('src/worker.ts')];
    let worker = firstWorker;
    children.add(api).add(worker);
    const here = await openApi(own);
    afterAll(() => here.close());
    const { url: apiUrl = '' } = await api.ready;
    await worker.ready;
    await waitUntilRegistered(restate.adminUrl);
    const ask = async (headers: Record<string, string>, method: string, path: string, body?: object) => {
      const response = await fetch(apiUrl + path, {
        method,
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      const json = (await response.json()) as never;
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(json)}`);
      return json;
    };

    // Each tenant has an endpoint that verifies what it gets, and a widget key that can be shown.
    const shown = new Map<TestTenant, { id: string; secret: string }>();
    for (const tenant of tenants) {
      const hook = {
        url: `${receiver.url}/${tenant.tenantId}`,
        eventTypes: ['test.*'],
        headers: { 'x-own': tenant.tenantId },
      };
      // Here, where there is such an event.
      const { secret } = (await as(tenant.headers, here.app).post('/webhooks', hook)).json<CreatedWebhook>();
      receiver.secrets.push(secret);
      const key = { name: 'Site', keyType: 'public_widget', boundBotId: tenant.botId };
      const made = (await ask(tenant.headers, 'POST', '/api-keys', key)) as { apiKey: { id: string }; secret: string };
      shown.set(tenant, { id: made.apiKey.id, secret: made.secret });
    }

    const failures: string[] = [];
    const done = { delivered: 0, shown: 0, opened: 0, changed: 0 };
    let isOver = false;
    const load = (work: () => Promise<void>, everyMs: number) =>
      (async () => {
        while (!isOver) {
          await work().catch((error: unknown) => failures.push(String(error)));
          await sleep(everyMs);
        }
      })();
    const { services } = here.platform;
    const sent = new Map<string, string>();
    const loads = [
      load(async () => {
        await happenIn(services, random.pick(tenants).tenantId, done.delivered++);
      }, 20),
      load(async () => {
        const tenant = random.pick(tenants);
        const { id = '', secret = '' } = shown.get(tenant) ?? {};
        const answer = (await ask(tenant.headers, 'POST', `/api-keys/${id}/reveal`)) as { secret: string };
        if (answer.secret !== secret) failures.push('another secret was shown');
        done.shown++;
      }, 50),
      load(async () => {
        const { tenantId, id, apiKey } = random.pick(models);
        const before = apiKey;
        const opened = await inTenant(services, asSystem(tenantId, 'test'), (ctx) => openModel(ctx, id), {
          readOnly: true,
        });
        const now = models.find((model) => model.id === id)?.apiKey;
        const known = [before, now, sent.get(id)];
        if (!known.includes(opened?.apiKey ?? undefined)) failures.push(`another key of ${id}`);
        done.opened++;
      }, 2),
      load(async () => {
        const model = random.pick(models);
        const tenant = tenants.find(({ tenantId }) => tenantId === model.tenantId);
        const apiKey = `sk-newer-${done.changed++}`;
        sent.set(model.id, apiKey); // it may be read before we hear that it is kept
        await ask(tenant?.headers ?? {}, 'PATCH', `/models/${model.id}`, { apiKey });
        model.apiKey = apiKey;
      }, 25),
    ];

    // One secret is held, so that the rotation cannot end before the worker is killed.
    const [biggest] = tenants;
    const [held] = biggest ? await plantModels(biggest, 1) : [];
    const letGo = await hold((tx) =>
      tx
        .selectFrom('models')
        .select('id')
        .where('id', '=', held?.id ?? '')
        .forUpdate()
        .execute(),
    );

    const operator = (await anOperator()).headers;
    const began = Date.now();
    const begun = (await ask(operator, 'POST', '/admin/key-rotations', { reason: 'A test' })) as Rotation;
    const look = async () =>
      ((await ask(operator, 'GET', `/admin/key-rotations/${begun.keyRotation.id}`)) as Rotation).keyRotation;
    await expect
      .poll(async () => (await look()).secrets.done, { timeout: 60_000, interval: 20 })
      .toBeGreaterThan(size / 10);
    const atKill = await look();
    worker.signal('SIGKILL');
    await worker.ended;
    if (isWiped) {
      await restate.kill();
      rmSync(join(dir, 'restate-data'), { recursive: true });
      await restate.start();
    }
    worker = start('src/worker.ts');
    children.add(worker);
    await worker.ready;
    await letGo();
    await expect
      .poll(async () => (await look()).status, { timeout: 180_000 + size * 20, interval: 100 })
      .toBe('finished');
    const tookMs = Date.now() - began;
    isOver = true;
    await Promise.all(loads);
    // What the killed worker had begun is begun again by the sweeper: sooner than after its two minutes.
    await sql`update webhooks set awake_until = '-infinity'`.execute(admin);
    await sql`update directory.timers set due_at = now() - interval '1 hour' where kind = 'webhook'`.execute(admin);
    await drained(admin, 90_000);

    const ended = await look();
    const calls = receiver.calls.length;
    console.log(
      `key rotation: ${ended.secrets.done} of ${ended.secrets.total} secrets of ${ended.tenants.done} tenants in ${tookMs} ms, killed at ${atKill.secrets.done}; ` +
        `meanwhile ${calls} deliveries, ${done.shown} keys shown, ${done.opened} models opened, ${done.changed} changed; ${failures.length} failures`,
    );
    expect(failures).toEqual([]);
    expect(ended).toMatchObject({ failures: 0, problem: null });
    expect(receiver.calls.filter(({ problem }) => problem !== null)).toEqual([]);
    expect(new Set(receiver.calls.map(({ headers }) => headers['idempotency-key'])).size).toBe(done.delivered);
    expect(atKill.status, 'killed in the middle').toBe('encrypting');

    const { rows: keys } = await sql<{ masterKeyId: string; version: number }>`
      select distinct master_key_id, version from data_keys`.execute(admin);
    expect(keys).toEqual([{ masterKeyId: 'next', version: 2 }]);
    const alone = { ...services, keyring: openKeyring(own.MASTER_KEYS.split(',')[0] ?? '') };
    for (const { tenantId, id, apiKey } of models) {
      const opened = await inTenant(alone, asSystem(tenantId, 'test'), (ctx) => openModel(ctx, id));
      expect(opened?.apiKey).toBe(apiKey);
    }
  },
);

interface Rotation {
  keyRotation: {
    id: string;
    status: string;
    failures: number;
    problem: string | null;
    secrets: { done: number; total: number };
    tenants: { done: number };
  };
}
