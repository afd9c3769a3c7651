import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import {
  admin,
  anOperator,
  api,
  as,
  aTenant,
  services,
  inside,
  openApi,
  settings,
  type TestTenant,
  countLockWaits,
} from '../../../test/harness.ts';
import { holdLock } from '../../../test/faults/hold-lock.ts';
import { announceProcess } from '../../platform/processes.ts';
import { asSystem, inTenant } from '../../platform/context.ts';
import { openKeyring, rewrapDataKeys, encrypt, rotateDataKey, decrypt } from '../../platform/crypto.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { encryptionContextOf, reencryptSome } from '../../platform/encrypted-columns.ts';
import { openValkey } from '../../platform/valkey.ts';
import { rewrapPool } from '../accounts/index.ts';
import { rewrapAssertionKeys, rotateAssertionKeys } from '../actions/index.ts';
import { rewrapAuditKeys } from '../audit/index.ts';
import { encryptedModelKeys } from '../models/index.ts';
import { ensureSigningKeys } from '../pools/index.ts';
import { wakeStalledRotation } from './key-rotation.reactions.ts';
import { stepRotation } from './rotating.operator.service.ts';
import { encryptedColumns } from './encrypted-columns.ts';
import type { KeyRotation } from './key-rotation.contract.ts';

const operator = await anOperator();
const reason = { reason: 'Yearly rotation' };

const pools = ['customer', 'admin'] as const;

const anEnterpriseTenant = () => aTenant({ plan: 'enterprise' });

const start = async (caller = operator) => {
  const response = await caller.post('/admin/key-rotations', reason);
  expect(response.statusCode, response.body).toBe(201);
  return response.json<{ keyRotation: KeyRotation }>().keyRotation;
};
const getRotation = async (id: string) =>
  (await operator.get(`/admin/key-rotations/${id}`)).json<{ keyRotation: KeyRotation }>().keyRotation;
/** Runs all steps like the worker, with shorter pauses. */
const finish = async (id: string, workerServices = services) => {
  for (const deadline = Date.now() + 30_000; ;) {
    const result = await stepRotation(workerServices, id);
    if (result === 'over') return getRotation(id);
    if (Date.now() > deadline) expect.fail(`the rotation makes no progress: ${JSON.stringify(await getRotation(id))}`);
    if (result === 'wait') await sleep(20);
  }
};
/** Re-encrypts every data key with the first of these keys, to clean up after a test. */
const rewrapAll = async (masterKeys: string) => {
  const restored = { ...services, keyring: openKeyring(masterKeys) };
  const tenants = await admin.selectFrom('dataKeys').select('tenantId').distinct().execute();
  for (const { tenantId } of tenants)
    await inTenant(restored, asSystem(tenantId as Id<'tenant'>, 'test'), rewrapDataKeys);
  await rewrapAssertionKeys(restored);
  await rewrapAuditKeys(restored);
  for (const pool of pools) await rewrapPool(restored, pool);
};
const versionsOf = async (tenantId: string) =>
  (
    await admin.selectFrom('dataKeys').select('version').where('tenantId', '=', tenantId).orderBy('version').execute()
  ).map(({ version }) => version);

// Otherwise the API creates them seconds after it starts, with the old key and in the middle of a rotation.
beforeAll(async () => {
  for (const pool of pools) await ensureSigningKeys(services, pool, 90);
});

beforeEach(async () => {
  await expect.poll(() => api.platform.listProcesses()).toHaveLength(1);
  await sql`update deployment.key_rotations set status = 'cancelled', finished_at = now() where finished_at is null`.execute(
    admin,
  );
});

/** Creates one secret of each kind. */
async function withSecrets(tenant: TestTenant) {
  const key = await tenant.post('/api-keys', { name: 'Site', keyType: 'public_widget', boundBotId: tenant.botId });
  const hook = await tenant.post('/webhooks', {
    url: 'https://shop.example/hook',
    eventTypes: ['*'],
    headers: { 'x-own': 'their secret' },
  });
  const { webhook, secret: webhookSecret } = hook.json<{ webhook: { id: string }; secret: string }>();
  const inbound = await tenant.post(`/webhooks/${webhook.id}/inbound-secret`);
  const model = await tenant.post('/models', {
    name: 'M',
    provider: 'openai-compatible',
    baseUrl: 'https://models.example/v1',
    model: 'm',
    apiKey: 'sk-theirs',
    inputPrice: 1,
    outputPrice: 1,
  });
  const { apiKey, secret } = key.json<{ apiKey: { id: string }; secret: string }>();
  return {
    apiKeyId: apiKey.id,
    secret,
    webhookId: webhook.id,
    webhookSecret,
    inboundSecret: inbound.json<{ secret: string }>().secret,
    modelId: model.json<{ model: { id: string } }>().model.id,
  };
}

/** Decrypts all encrypted columns of a tenant. */
const decryptAll = ({ tenantId }: TestTenant) =>
  inside(tenantId, async (ctx) => {
    const decrypted: Record<string, string> = {};
    for (const column of encryptedColumns) {
      const { rows } = await sql<{ key: string[]; encrypted: Buffer }>`
        select jsonb_build_array(${sql.join(column.keys.map((key) => sql.id(key)))}) as key, ${sql.id(column.column)} as encrypted
        from ${sql.id(column.table)} where ${sql.id(column.column)} is not null`.execute(ctx.tx);
      for (const { key, encrypted } of rows)
        decrypted[`${column.purpose} ${key.join('/')}`] = await decrypt(
          ctx,
          encryptionContextOf(column, ...key),
          encrypted,
        );
    }
    return decrypted;
  });

// ---- keys

test('a rotation covers every encrypted column of tenants', async () => {
  const plain = [
    'api_key_secrets.secret_hash',
    'audit_entries.hash',
    'audit_entries.previous_hash',
    'data_keys.wrapped',
    'idempotency_keys.request_hash',
    'bot_versions.content_hash',
    'knowledge_documents.hash',
    'knowledge_embeddings.embedding',
    'knowledge_files.content',
  ];
  const { rows } = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and data_type = 'bytea' and table_name !~ '_p2' order by 1`.execute(admin);
  const encrypted = rows.map(({ name }) => name).filter((name) => !plain.includes(name));
  expect(encrypted).toEqual(encryptedColumns.map(({ table, column }) => `${table}.${column}`).toSorted());
});

test('GET /admin/keys returns ids, states and counts, and no key material', async () => {
  await withSecrets(await anEnterpriseTenant());
  const response = await operator.get('/admin/keys');
  expect(response.statusCode, response.body).toBe(200);
  const { masterKeys, signing, processes, running } = response.json<{
    masterKeys: { id: string; dataKeys: number }[];
    signing: { of: string }[];
    processes: { role: string; isReady: boolean }[];
    running: null;
  }>();
  expect(masterKeys).toMatchObject([{ id: 'test', isCurrent: true, isKnownHere: true, isRemovable: false }]);
  expect(masterKeys[0]?.dataKeys).toBeGreaterThan(0);
  expect(signing.map(({ of }) => of)).toContain('assertions');
  expect(processes).toMatchObject([{ role: 'api', isReady: true }]);
  expect(running).toBeNull();
  const key = settings()['MASTER_KEYS']?.split(':')[1] ?? '';
  expect(response.body).not.toContain(key);
  expect(response.body).not.toMatch(/"(d|n|encrypted|wrapped|p|q)":/);
});

// ---- rotation

test('creates a new data key for every tenant, re-encrypts all secrets, and removes the old data key', async () => {
  const tenants = [await anEnterpriseTenant(), await anEnterpriseTenant()];
  await Promise.all(tenants.map(withSecrets));
  const before = await Promise.all(tenants.map(decryptAll));
  expect(Object.keys(before[0] ?? {})).toHaveLength(5);
  const { id, status } = await start();
  expect(status).toBe('counting');
  const finished = await finish(id);
  expect(finished).toMatchObject({ status: 'finished', failures: 0, problem: null, finishedAt: expect.any(String) });
  expect(finished.secrets.done).toBe(finished.secrets.total);
  expect(finished.secrets.total).toBeGreaterThanOrEqual(10);
  expect(finished.tenants.done).toBe(finished.tenants.total);
  expect(await Promise.all(tenants.map(decryptAll))).toEqual(before);
  for (const { tenantId } of tenants) expect(await versionsOf(tenantId)).toEqual([2]);
  expect(await stepRotation(services, id)).toBe('over');
});

test('the old master key can be removed afterwards: everything can be decrypted with the new one', async () => {
  const tenant = await anEnterpriseTenant();
  const { apiKeyId, secret } = await withSecrets(tenant);
  const newKey = `next:${randomBytes(32).toString('base64')}`;
  const oldKey = settings()['MASTER_KEYS'];
  // Separate deployments, because these processes have different keys.
  const openWith = (masterKeys: string, name: string) =>
    openApi({ MASTER_KEYS: masterKeys, VALKEY_PREFIX: `${settings()['VALKEY_PREFIX']}${name}:` });
  const next = await openWith(`${newKey},${oldKey}`, 'next');
  onTestFinished(async () => {
    await next.close();
    await rewrapAll(`${oldKey},${newKey}`);
  });
  await expect.poll(() => next.platform.listProcesses()).toHaveLength(1);
  const nextOperator = { ...operator, ...as(operator.headers, next.app) };
  const { id, masterKeyId } = await start(nextOperator);
  expect(masterKeyId).toBe('next');

  expect(await stepRotation(services, id), 'by a worker that encrypts with the old key').toBe('wait');
  expect((await getRotation(id)).problem).toContain("encrypts with 'test' instead of 'next'");
  expect(await finish(id, next.platform.services)).toMatchObject({ status: 'finished', failures: 0, problem: null });
  const { masterKeys } = (await nextOperator.get('/admin/keys')).json<{ masterKeys: object[] }>();
  expect(masterKeys).toContainEqual({
    id: 'test',
    isCurrent: false,
    isKnownHere: true,
    dataKeys: 0,
    platformSecrets: 0,
    isRemovable: true,
  });
  const newKeyOnly = await openWith(newKey, 'alone');
  const revealed = await as(tenant.headers, newKeyOnly.app).post(`/api-keys/${apiKeyId}/reveal`);
  await newKeyOnly.close();
  expect(revealed.json()).toEqual({ secret });
});

test('does not overwrite a secret that is changed during the rotation', async () => {
  const tenant = await anEnterpriseTenant();
  const { modelId } = await withSecrets(tenant);
  const { id } = await start();
  const release = await holdLock(async (tx) => {
    await tx.selectFrom('models').select('id').where('id', '=', modelId).forNoKeyUpdate().execute();
  });
  const finishing = finish(id);
  await expect.poll(async () => (await getRotation(id)).secrets.done).toBeGreaterThan(0);
  const changing = inside(tenant.tenantId, async (ctx) => {
    const encryptedKey = await encrypt(ctx, encryptionContextOf(encryptedModelKeys, modelId), 'sk-newer');
    await ctx.tx.updateTable('models').set({ encryptedKey }).where('id', '=', modelId).execute();
  });
  await release();
  await changing;
  expect(await finishing).toMatchObject({ status: 'finished', failures: 0 });
  expect((await decryptAll(tenant))[`model-key ${modelId}`]).toBe('sk-newer');
});

test('re-encrypts secrets of transactions that started before the new data key', async () => {
  const tenant = await anEnterpriseTenant();
  const { modelId } = await withSecrets(tenant);
  const { id } = await start();
  let [markEncrypted, release] = [() => {}, () => {}];
  const isEncrypted = new Promise<void>((resolve) => (markEncrypted = resolve));
  const mayCommit = new Promise<void>((resolve) => (release = resolve));
  // Encrypted with version 1, and not committed before the rotation has re-encrypted everything.
  const writing = inside(tenant.tenantId, async (ctx) => {
    const late = await encrypt(ctx, encryptionContextOf(encryptedModelKeys, 'mdl_late'), 'sk-late');
    markEncrypted();
    await mayCommit;
    await ctx.tx
      .insertInto('models')
      .values({
        id: 'mdl_late',
        name: 'Late',
        provider: 'anthropic',
        model: 'm',
        encryptedKey: late,
        inputPrice: 1,
        outputPrice: 1,
        createdBy: 'test',
      })
      .execute();
  });
  await isEncrypted;
  // The rotation waits for transactions that started earlier.
  const isWaiting = async () =>
    (await stepRotation(services, id)) === 'wait' && (await getRotation(id)).status === 'waiting';
  await expect.poll(isWaiting, { timeout: 30_000, interval: 1 }).toBe(true);
  await sql`update deployment.key_rotations set status = 'removing' where id = ${id}`.execute(admin);
  const removing = stepRotation(services, id);
  await expect.poll(countLockWaits, { message: 'it waits for the transaction that encrypts with the old key' }).toBe(1);
  release();
  await writing;
  await removing;
  expect(await finish(id)).toMatchObject({ status: 'finished', failures: 0 });
  expect(await decryptAll(tenant)).toMatchObject({
    'model-key mdl_late': 'sk-late',
    [`model-key ${modelId}`]: 'sk-theirs',
  });
  expect(await versionsOf(tenant.tenantId)).toEqual([2]);
});

test('counts a secret that cannot be decrypted, and keeps its data key', async () => {
  const [tenant, healthy] = [await anEnterpriseTenant(), await anEnterpriseTenant()];
  const { modelId } = await withSecrets(tenant);
  await withSecrets(healthy);
  await sql`update models set encrypted_key = set_byte(encrypted_key, 20, get_byte(encrypted_key, 20) # 1) where id = ${modelId}`.execute(
    admin,
  );
  const finished = await finish((await start()).id);
  expect(finished).toMatchObject({ status: 'finished', failures: 1 });
  expect(finished.secrets.total - finished.secrets.done).toBe(1);
  expect(await versionsOf(tenant.tenantId)).toEqual([1, 2]);
  expect(await versionsOf(healthy.tenantId)).toEqual([2]);
  await sql`delete from models where id = ${modelId}`.execute(admin);
});

test('does not re-encrypt a secret that was copied from another row', async () => {
  const tenant = await anEnterpriseTenant();
  const { modelId } = await withSecrets(tenant);
  await sql`update models set encrypted_key = (select encrypted from webhook_secrets s where s.tenant_id = models.tenant_id) where id = ${modelId}`.execute(
    admin,
  );
  const moved = await inside(tenant.tenantId, async (ctx) => {
    await rotateDataKey(ctx, new Date());
    return reencryptSome(ctx, encryptedModelKeys, { max: 10 });
  });
  expect(moved).toEqual({ encrypted: 0, failed: 1 });
  await sql`delete from models where id = ${modelId}`.execute(admin);
});

// ---- permissions and conflicts

test('returns 409 key_rotation_in_progress while one is running; another can start after it is cancelled', async () => {
  const tenant = await anEnterpriseTenant();
  await withSecrets(tenant);
  const { id } = await start();
  expect((await operator.post('/admin/key-rotations', reason)).json()).toMatchObject({
    error: { reason: 'key_rotation_in_progress' },
  });
  await stepRotation(services, id);
  const cancelled = await operator.post(`/admin/key-rotations/${id}/cancel`);
  expect(cancelled.json()).toMatchObject({ keyRotation: { id, status: 'cancelled' } });
  expect(await stepRotation(services, id)).toBe('over');
  expect((await operator.post(`/admin/key-rotations/${id}/cancel`)).json()).toEqual(cancelled.json());
  expect(await finish((await start()).id)).toMatchObject({ status: 'finished' });
  expect(Object.keys(await decryptAll(tenant))).toHaveLength(5);
  const { data } = (await operator.get('/admin/key-rotations?limit=2')).json<{ data: KeyRotation[] }>();
  expect(data.map(({ status }) => status)).toEqual(['finished', 'cancelled']);
});

test('returns 409 processes_outdated, naming the process, while one encrypts with another key', async () => {
  const valkey = openValkey(settings()['VALKEY_URL'] ?? '', api.platform.log);
  const older = openKeyring(`older:${randomBytes(32).toString('base64')}`);
  const outdated = announceProcess(valkey, settings()['VALKEY_PREFIX'] ?? '', 'worker', older, { ttlSeconds: 3_600 });
  onTestFinished(async () => {
    await outdated.stop();
    valkey.disconnect();
  });
  await expect.poll(() => api.platform.listProcesses()).toHaveLength(2);
  const response = await operator.post('/admin/key-rotations', reason);
  expect(response.statusCode, response.body).toBe(409);
  expect(response.json<{ error: { reason: string; message: string } }>().error).toMatchObject({
    reason: 'processes_outdated',
    message: expect.stringMatching(/worker \S+\/\d+\. Restart them/),
  });
});

test('returns 403 for support, and step_up_required without a recent sign-in', async () => {
  const support = await anOperator('support');
  expect((await support.get('/admin/keys')).statusCode).toBe(200);
  expect((await support.post('/admin/key-rotations', reason)).statusCode).toBe(403);
  expect((await support.post('/admin/keys/signing', { of: 'admin', ...reason })).statusCode).toBe(403);
  const stale = await anOperator('platform_admin', { auth_time: Math.floor(Date.now() / 1_000) - 3_600 });
  for (const path of ['/admin/key-rotations', '/admin/keys/signing'])
    expect(
      (await stale.post(path, { ...(path.endsWith('signing') && { of: 'assertions' }), ...reason })).json(),
    ).toMatchObject({
      error: { reason: 'step_up_required' },
    });
});

test('records start and cancellation in the operators’ audit log', async () => {
  const { id } = await start();
  await operator.post(`/admin/key-rotations/${id}/cancel`);
  const { data } = (await operator.get('/admin/audit-log?limit=2')).json<{ data: object[] }>();
  expect(data).toMatchObject([
    { action: 'key_rotation.cancelled', actor: { type: 'operator', id: operator.userId }, data: { id } },
    { action: 'key_rotation.started', actor: { id: operator.userId }, data: { id, reason: reason.reason } },
  ]);
});

test('wakes only a rotation without recent progress', async () => {
  const woken: string[] = [];
  const client = { run: (call: { rotationId: string }) => Promise.resolve(void woken.push(call.rotationId)) };
  const restate = { sendClient: () => client } as never;
  const { id } = await start();
  await wakeStalledRotation(services, restate);
  expect(woken).toEqual([]);
  await sql`update deployment.key_rotations set touched_at = now() - interval '1 minute' where id = ${id}`.execute(
    admin,
  );
  await wakeStalledRotation(services, restate);
  expect(woken).toEqual([id]);
});

// ---- signing keys

test('rotating a signing key publishes the next key a day before it signs; returns 409 for another rotation before that', async () => {
  await rotateAssertionKeys(services);
  const response = await operator.post('/admin/keys/signing', { of: 'assertions', ...reason });
  expect(response.statusCode, response.body).toBe(200);
  const { keys } = response.json<{ keys: { state: string; since: string }[] }>();
  expect(keys.map(({ state }) => state)).toEqual(['next', 'signing']);
  expect(Date.parse(keys[0]?.since ?? '')).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  const again = await operator.post('/admin/keys/signing', { of: 'assertions', ...reason });
  expect([again.statusCode, again.json()]).toMatchObject([
    409,
    { error: { reason: 'signing_key_rotation_in_progress' } },
  ]);
});

test('in an emergency the new key signs immediately, and the old ones are no longer published', async () => {
  const before = (await operator.get('/admin/keys')).json<{ signing: { of: string; keys: { kid: string }[] }[] }>();
  const response = await operator.post('/admin/keys/signing', { of: 'assertions', isEmergency: true, ...reason });
  const { keys } = response.json<{ keys: { kid: string; state: string }[] }>();
  expect(keys).toMatchObject([{ state: 'signing' }]);
  const old = before.signing.flatMap((signer) => signer.keys.map(({ kid }) => kid));
  expect(old).not.toContain(keys[0]?.kid);
  const { data } = (await operator.get('/admin/audit-log?limit=1')).json<{ data: object[] }>();
  expect(data).toMatchObject([{ action: 'signing_key.turned', data: { of: 'assertions', isEmergency: true } }]);
});
