import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startReceiver } from '../../../../tools/receiver/index.ts';
import { openModel } from '../../src/features/models/index.ts';
import { asSystem, inTenant } from '../../src/platform/context.ts';
import { openKeyring, encrypt } from '../../src/platform/crypto.ts';
import type { Id } from '../../src/platform/ids.contract.ts';
import { newId } from '../../src/platform/ids.ts';
import { aChatStack, waitUntilRegistered } from '../chat/fixture.ts';
import { admin, anOperator, as, aTenant, inside, openApi, settings, type TestTenant } from '../harness.ts';
import { emitTestEventIn, type CreatedWebhook } from '../webhooks/fixture.ts';
import { waitForEmptyQueue } from '../webhooks/ledger.ts';
import { startChild, type Child } from './child.ts';
import { holdLock } from './hold-lock.ts';
import { randomFrom, seed } from './random.ts';
import { countOf, isFull } from '../../../../tools/testing/size.ts';

// Rotates a deployment's encryption keys under load, with a real API and a real worker that is killed on the way.

const size = countOf('SECRETS', { sample: 80, full: 10_000 });
/** How much longer the pauses between requests are. */
const pauses = isFull ? 1 : 5;
/** In the full run Restate's data is wiped too: a worker resumes a stalled rotation within two minutes. */
const isWiped = size >= 10_000;
const receiver = await startReceiver({ keep: 1_000_000 });
const { dir, restate, chatSettings } = await aChatStack();
const caFile = join(dir, 'receiver-ca.pem');
writeFileSync(caFile, receiver.caPem);
/** A separate deployment: only these processes count, and all of them know the new key. */
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

interface TestModel {
  tenantId: Id<'tenant'>;
  id: string;
  apiKey: string;
}

/** `count` models with an encrypted key each. */
async function plantModels({ tenantId }: TestTenant, count: number): Promise<TestModel[]> {
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
  `re-encrypts ${size} secrets under load while the worker is killed${isWiped ? ' and Restate is wiped' : ''}, without failures or losses, and drops the old keys`,
  { timeout: 240_000 + size * 30 },
  async () => {
    console.log(`key rotation: SECRETS=${size} FAULT_SEED=${seed}`);
    const random = randomFrom(seed);
    const tenants = await Promise.all(Array.from({ length: 6 }, () => aTenant({ plan: 'enterprise' })));
    const shares = [0.6, 0.25, 0.1, 0.03, 0.01, 0.01];
    const models: TestModel[] = [];
    for (const [n, tenant] of tenants.entries())
      models.push(...(await plantModels(tenant, Math.ceil(size * (shares[n] ?? 0)))));

    const [api, firstWorker] = [start('src/api.ts'), start('src/worker.ts')];
    let worker = firstWorker;
    children.add(api).add(worker);
    const inProcess = await openApi(own);
    onTestFinished(() => inProcess.close());
    const { url: apiUrl = '' } = await api.ready;
    await worker.ready;
    await waitUntilRegistered(restate.adminUrl);
    const call = async (headers: Record<string, string>, method: string, path: string, body?: object) => {
      const response = await fetch(apiUrl + path, {
        method,
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      const json = (await response.json()) as never;
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(json)}`);
      return json;
    };

    // Each tenant has an endpoint that verifies signatures, and a widget key that can be revealed.
    const widgetKeys = new Map<TestTenant, { id: string; secret: string }>();
    for (const tenant of tenants) {
      const hook = {
        url: `${receiver.url}/${tenant.tenantId}`,
        eventTypes: ['test.*'],
        headers: { 'x-own': tenant.tenantId },
      };
      // Through this process, which declares the test event.
      const { secret } = (await as(tenant.headers, inProcess.app).post('/webhooks', hook)).json<CreatedWebhook>();
      receiver.secrets.push(secret);
      const key = { name: 'Site', keyType: 'public_widget', boundBotId: tenant.botId };
      const created = (await call(tenant.headers, 'POST', '/api-keys', key)) as {
        apiKey: { id: string };
        secret: string;
      };
      widgetKeys.set(tenant, { id: created.apiKey.id, secret: created.secret });
    }

    const failures: string[] = [];
    const done = { delivered: 0, revealed: 0, opened: 0, changed: 0 };
    let isStopped = false;
    const load = (work: () => Promise<void>, everyMs: number) =>
      (async () => {
        while (!isStopped) {
          await work().catch((error: unknown) => failures.push(String(error)));
          await sleep(everyMs * pauses);
        }
      })();
    const { services } = inProcess.platform;
    const sent = new Map<string, string>();
    const loads = [
      load(async () => {
        await emitTestEventIn(services, random.pick(tenants).tenantId, done.delivered++);
      }, 20),
      load(async () => {
        const tenant = random.pick(tenants);
        const { id = '', secret = '' } = widgetKeys.get(tenant) ?? {};
        const response = (await call(tenant.headers, 'POST', `/api-keys/${id}/reveal`)) as { secret: string };
        if (response.secret !== secret) failures.push('another secret was revealed');
        done.revealed++;
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
        sent.set(model.id, apiKey); // it may be read before the response arrives
        await call(tenant?.headers ?? {}, 'PATCH', `/models/${model.id}`, { apiKey });
        model.apiKey = apiKey;
      }, 25),
    ];

    // One secret is locked, so that the rotation cannot finish before the worker is killed.
    const [biggest] = tenants;
    const [lockedModel] = biggest ? await plantModels(biggest, 1) : [];
    const release = await holdLock((tx) =>
      tx
        .selectFrom('models')
        .select('id')
        .where('id', '=', lockedModel?.id ?? '')
        .forUpdate()
        .execute(),
    );

    const operator = (await anOperator()).headers;
    const startedAt = Date.now();
    const started = (await call(operator, 'POST', '/admin/key-rotations', { reason: 'A test' })) as RotationResponse;
    const getRotation = async () =>
      ((await call(operator, 'GET', `/admin/key-rotations/${started.keyRotation.id}`)) as RotationResponse).keyRotation;
    await expect
      .poll(async () => (await getRotation()).secrets.done, { timeout: 60_000, interval: 20 * pauses })
      .toBeGreaterThan(size / 10);
    const atKill = await getRotation();
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
    await release();
    await expect
      .poll(async () => (await getRotation()).status, { timeout: 180_000 + size * 20, interval: 250 })
      .toBe('finished');
    const tookMs = Date.now() - startedAt;
    isStopped = true;
    await Promise.all(loads);
    await waitForEmptyQueue(admin, 90_000);

    const finished = await getRotation();
    const calls = receiver.calls.length;
    console.log(
      `key rotation: ${finished.secrets.done} of ${finished.secrets.total} secrets of ${finished.tenants.done} tenants in ${tookMs} ms, killed at ${atKill.secrets.done}; ` +
        `meanwhile ${calls} deliveries, ${done.revealed} keys revealed, ${done.opened} models decrypted, ${done.changed} changed; ${failures.length} failures`,
    );
    expect(failures).toEqual([]);
    expect(finished).toMatchObject({ failures: 0, problem: null });
    expect(receiver.calls.filter(({ problem }) => problem !== null)).toEqual([]);
    expect(new Set(receiver.calls.map(({ headers }) => headers['idempotency-key'])).size).toBe(done.delivered);
    expect(atKill.status, 'killed in the middle').toBe('encrypting');

    const { rows: keys } = await sql<{ masterKeyId: string; version: number }>`
      select distinct master_key_id, version from data_keys`.execute(admin);
    expect(keys).toEqual([{ masterKeyId: 'next', version: 2 }]);
    const withNewKeyOnly = { ...services, keyring: openKeyring(own.MASTER_KEYS.split(',')[0] ?? '') };
    for (const { tenantId, id, apiKey } of models) {
      const opened = await inTenant(withNewKeyOnly, asSystem(tenantId, 'test'), (ctx) => openModel(ctx, id));
      expect(opened?.apiKey).toBe(apiKey);
    }
  },
);

interface RotationResponse {
  keyRotation: {
    id: string;
    status: string;
    failures: number;
    problem: string | null;
    secrets: { done: number; total: number };
    tenants: { done: number };
  };
}
