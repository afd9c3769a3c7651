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
import { hold } from '../../../test/faults/hold.ts';
import { announceProcess } from '../../platform/processes.ts';
import { asSystem, inTenant } from '../../platform/context.ts';
import { openKeyring, rewrapDataKeys, encrypt, rotateDataKey, decrypt } from '../../platform/crypto.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { encryptionContextOf, reencryptSome } from '../../platform/encrypted-columns.ts';
import { openValkey } from '../../platform/valkey.ts';
import { rewrapPool } from '../accounts/index.ts';
import { rewrapAssertionKeys, tendAssertionKeys } from '../actions/index.ts';
import { rewrapAuditKeys } from '../audit/index.ts';
import { encryptedModelKeys } from '../models/index.ts';
import { tendKeys } from '../pools/index.ts';
import { wakeSilentRotation } from './key-rotation.reactions.ts';
import { stepRotation } from './rotating.operator.service.ts';
import { encryptedColumns } from './encrypted-columns.ts';
import type { KeyRotation } from './key-rotation.contract.ts';

const operator = await anOperator();
const reason = { reason: 'The yearly turn' };

const pools = ['customer', 'admin'] as const;

const rich = () => aTenant({ plan: 'enterprise' });

const begin = async (by = operator) => {
  const response = await by.post('/admin/key-rotations', reason);
  expect(response.statusCode, response.body).toBe(201);
  return response.json<{ keyRotation: KeyRotation }>().keyRotation;
};
const look = async (id: string) =>
  (await operator.get(`/admin/key-rotations/${id}`)).json<{ keyRotation: KeyRotation }>().keyRotation;
/** As the worker does it, and without its pauses where nothing is waited for. */
const finish = async (id: string, where = services) => {
  for (const deadline = Date.now() + 30_000; ;) {
    const went = await stepRotation(where, id);
    if (went === 'over') return look(id);
    if (Date.now() > deadline) expect.fail(`the rotation stands still: ${JSON.stringify(await look(id))}`);
    if (went === 'wait') await sleep(20);
  }
};
/** Encrypts every data key with the first of these keys again, whatever state a test left them in. */
const rewrapAll = async (masterKeys: string) => {
  const back = { ...services, keyring: openKeyring(masterKeys) };
  const tenants = await admin.selectFrom('dataKeys').select('tenantId').distinct().execute();
  for (const { tenantId } of tenants) await inTenant(back, asSystem(tenantId as Id<'tenant'>, 'test'), rewrapDataKeys);
  await rewrapAssertionKeys(back);
  await rewrapAuditKeys(back);
  for (const pool of pools) await rewrapPool(back, pool);
};
const versionsOf = async (tenantId: string) =>
  (
    await admin.selectFrom('dataKeys').select('version').where('tenantId', '=', tenantId).orderBy('version').execute()
  ).map(({ version }) => version);

// Else the API of these tests makes them by itself, seconds after it was opened, and with the old key in the middle of a rotation.
beforeAll(async () => {
  for (const pool of pools) await tendKeys(services, pool, 90);
});

beforeEach(async () => {
  await expect.poll(() => api.platform.listProcesses()).toHaveLength(1);
  await sql`update deployment.key_rotations set status = 'cancelled', finished_at = now() where finished_at is null`.execute(
    admin,
  );
});

/** One of everything that is encrypted. */
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

/** What all of a tenant's encrypted columns hold, opened. */
const openAll = ({ tenantId }: TestTenant) =>
  inside(tenantId, async (ctx) => {
    const opened: Record<string, string> = {};
    for (const column of encryptedColumns) {
      const { rows } = await sql<{ key: string[]; encrypted: Buffer }>`
        select jsonb_build_array(${sql.join(column.keys.map((key) => sql.id(key)))}) as key, ${sql.id(column.column)} as encrypted
        from ${sql.id(column.table)} where ${sql.id(column.column)} is not null`.execute(ctx.tx);
      for (const { key, encrypted } of rows)
        opened[`${column.purpose} ${key.join('/')}`] = await decrypt(
          ctx,
          encryptionContextOf(column, ...key),
          encrypted,
        );
    }
    return opened;
  });

// ---- what there is

test('every column that tenants keep something encrypted in is one that a rotation encrypts anew', async () => {
  const plain = [
    'api_key_secrets.secret_hash',
    'audit_entries.hash',
    'audit_entries.previous_hash',
    'data_keys.wrapped',
    'idempotency_keys.request_hash',
    'bot_versions.content_hash',
    'knowledge_documents.hash',
    'knowledge_files.content',
  ];
  const { rows } = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and data_type = 'bytea' and table_name !~ '_p2' order by 1`.execute(admin);
  const encrypted = rows.map(({ name }) => name).filter((name) => !plain.includes(name));
  expect(encrypted).toEqual(encryptedColumns.map(({ table, column }) => `${table}.${column}`).toSorted());
});

test('200 keys: names, states and numbers, and nothing of the keys themselves', async () => {
  await withSecrets(await rich());
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

// ---- a rotation

test('a rotation gives every tenant a new data key, encrypts every secret anew, and removes the old one', async () => {
  const tenants = [await rich(), await rich()];
  await Promise.all(tenants.map(withSecrets));
  const before = await Promise.all(tenants.map(openAll));
  expect(Object.keys(before[0] ?? {})).toHaveLength(5);
  const { id, status } = await begin();
  expect(status).toBe('counting');
  const ended = await finish(id);
  expect(ended).toMatchObject({ status: 'finished', failures: 0, problem: null, finishedAt: expect.any(String) });
  expect(ended.secrets.done).toBe(ended.secrets.total);
  expect(ended.secrets.total).toBeGreaterThanOrEqual(10);
  expect(ended.tenants.done).toBe(ended.tenants.total);
  expect(await Promise.all(tenants.map(openAll))).toEqual(before);
  for (const { tenantId } of tenants) expect(await versionsOf(tenantId)).toEqual([2]);
  expect(await stepRotation(services, id)).toBe('over');
});

test('after it the old master key can go: nothing is encrypted by it, and everything opens with the new one alone', async () => {
  const tenant = await rich();
  const { apiKeyId, secret } = await withSecrets(tenant);
  const newKey = `next:${randomBytes(32).toString('base64')}`;
  const oldKey = settings()['MASTER_KEYS'];
  // Deployments of their own: these processes do not know the same keys as the others.
  const openWith = (masterKeys: string, name: string) =>
    openApi({ MASTER_KEYS: masterKeys, VALKEY_PREFIX: `${settings()['VALKEY_PREFIX']}${name}:` });
  const next = await openWith(`${newKey},${oldKey}`, 'next');
  onTestFinished(async () => {
    await next.close();
    await rewrapAll(`${oldKey},${newKey}`);
  });
  await expect.poll(() => next.platform.listProcesses()).toHaveLength(1);
  const there = { ...operator, ...as(operator.headers, next.app) };
  const { id, masterKeyId } = await begin(there);
  expect(masterKeyId).toBe('next');

  expect(await stepRotation(services, id), 'a worker that encrypts with the old key').toBe('wait');
  expect((await look(id)).problem).toContain("encrypts with 'test' instead of 'next'");
  expect(await finish(id, next.platform.services)).toMatchObject({ status: 'finished', failures: 0, problem: null });
  const { masterKeys } = (await there.get('/admin/keys')).json<{ masterKeys: object[] }>();
  expect(masterKeys).toContainEqual({
    id: 'test',
    isCurrent: false,
    isKnownHere: true,
    dataKeys: 0,
    platformSecrets: 0,
    isRemovable: true,
  });
  const alone = await openWith(newKey, 'alone');
  const shown = await as(tenant.headers, alone.app).post(`/api-keys/${apiKeyId}/reveal`);
  await alone.close();
  expect(shown.json()).toEqual({ secret });
});

test('a secret that somebody is changing is passed over, and what they wrote stays', async () => {
  const tenant = await rich();
  const { modelId } = await withSecrets(tenant);
  const { id } = await begin();
  const letGo = await hold(async (tx) => {
    await tx.selectFrom('models').select('id').where('id', '=', modelId).forNoKeyUpdate().execute();
  });
  const ending = finish(id);
  await expect.poll(async () => (await look(id)).secrets.done).toBeGreaterThan(0);
  const changing = inside(tenant.tenantId, async (ctx) => {
    const encryptedKey = await encrypt(ctx, encryptionContextOf(encryptedModelKeys, modelId), 'sk-newer');
    await ctx.tx.updateTable('models').set({ encryptedKey }).where('id', '=', modelId).execute();
  });
  await letGo();
  await changing;
  expect(await ending).toMatchObject({ status: 'finished', failures: 0 });
  expect((await openAll(tenant))[`model-key ${modelId}`]).toBe('sk-newer');
});

test('whoever began before the new key encrypts with the old one, and loses nothing: that is re-encrypted as well', async () => {
  const tenant = await rich();
  const { modelId } = await withSecrets(tenant);
  const { id } = await begin();
  let [seen, letGo] = [() => {}, () => {}];
  const isEncrypted = new Promise<void>((resolve) => (seen = resolve));
  const mayCommit = new Promise<void>((resolve) => (letGo = resolve));
  // Encrypted by version 1, and not committed while the rotation turns the key and goes over everything.
  const writing = inside(tenant.tenantId, async (ctx) => {
    const late = await encrypt(ctx, encryptionContextOf(encryptedModelKeys, 'mdl_late'), 'sk-late');
    seen();
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
  // For those who began before.
  const isWaiting = async () => (await stepRotation(services, id)) === 'wait' && (await look(id)).status === 'waiting';
  await expect.poll(isWaiting, { timeout: 30_000, interval: 1 }).toBe(true);
  await sql`update deployment.key_rotations set status = 'removing' where id = ${id}`.execute(admin);
  const removing = stepRotation(services, id);
  await expect.poll(countLockWaits, { message: 'it stands at the lock of whoever encrypts with the old key' }).toBe(1);
  letGo();
  await writing;
  await removing;
  expect(await finish(id)).toMatchObject({ status: 'finished', failures: 0 });
  expect(await openAll(tenant)).toMatchObject({
    'model-key mdl_late': 'sk-late',
    [`model-key ${modelId}`]: 'sk-theirs',
  });
  expect(await versionsOf(tenant.tenantId)).toEqual([2]);
});

test('a secret that does not open is counted, and keeps the key that encrypted it', async () => {
  const [tenant, well] = [await rich(), await rich()];
  const { modelId } = await withSecrets(tenant);
  await withSecrets(well);
  await sql`update models set encrypted_key = set_byte(encrypted_key, 20, get_byte(encrypted_key, 20) # 1) where id = ${modelId}`.execute(
    admin,
  );
  const ended = await finish((await begin()).id);
  expect(ended).toMatchObject({ status: 'finished', failures: 1 });
  expect(ended.secrets.total - ended.secrets.done).toBe(1);
  expect(await versionsOf(tenant.tenantId)).toEqual([1, 2]);
  expect(await versionsOf(well.tenantId)).toEqual([2]);
  await sql`delete from models where id = ${modelId}`.execute(admin);
});

test('encrypting anew does not move a secret: its place is still bound into it', async () => {
  const tenant = await rich();
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

// ---- who, when, and one at a time

test('409 key_rotation_in_progress: one at a time; cancelled, it stops where it is, and the next begins', async () => {
  const tenant = await rich();
  await withSecrets(tenant);
  const { id } = await begin();
  expect((await operator.post('/admin/key-rotations', reason)).json()).toMatchObject({
    error: { reason: 'key_rotation_in_progress' },
  });
  await stepRotation(services, id);
  const cancelled = await operator.post(`/admin/key-rotations/${id}/cancel`);
  expect(cancelled.json()).toMatchObject({ keyRotation: { id, status: 'cancelled' } });
  expect(await stepRotation(services, id)).toBe('over');
  expect((await operator.post(`/admin/key-rotations/${id}/cancel`)).json()).toEqual(cancelled.json());
  expect(await finish((await begin()).id)).toMatchObject({ status: 'finished' });
  expect(Object.keys(await openAll(tenant))).toHaveLength(5);
  const { data } = (await operator.get('/admin/key-rotations?limit=2')).json<{ data: KeyRotation[] }>();
  expect(data.map(({ status }) => status)).toEqual(['finished', 'cancelled']);
});

test('409 processes_outdated while a process runs that does not encrypt with the current key, saying which', async () => {
  const valkey = openValkey(settings()['VALKEY_URL'] ?? '', api.platform.log);
  const older = openKeyring(`older:${randomBytes(32).toString('base64')}`);
  const behind = announceProcess(valkey, settings()['VALKEY_PREFIX'] ?? '', 'worker', older, { ttlSeconds: 3_600 });
  onTestFinished(async () => {
    await behind.stop();
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

test('403 to those who may look and not manage, and 401 without a fresh proof', async () => {
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

test('what was done stands in the log of the operators, with who and why', async () => {
  const { id } = await begin();
  await operator.post(`/admin/key-rotations/${id}/cancel`);
  const { data } = (await operator.get('/admin/audit-log?limit=2')).json<{ data: object[] }>();
  expect(data).toMatchObject([
    { action: 'key_rotation.cancelled', actor: { type: 'operator', id: operator.userId }, data: { id } },
    { action: 'key_rotation.started', actor: { id: operator.userId }, data: { id, reason: reason.reason } },
  ]);
});

test('one of which nothing was heard is asked to go on; one that was heard of is not', async () => {
  const asked: string[] = [];
  const client = { run: (call: { rotationId: string }) => Promise.resolve(void asked.push(call.rotationId)) };
  const restate = { objectSendClient: () => client } as never;
  const { id } = await begin();
  await wakeSilentRotation(services, restate);
  expect(asked).toEqual([]);
  await sql`update deployment.key_rotations set touched_at = now() - interval '1 minute' where id = ${id}`.execute(
    admin,
  );
  await wakeSilentRotation(services, restate);
  expect(asked).toEqual([id]);
});

// ---- signing keys

test('an ordinary turn publishes the next key, which signs in a day; a second one finds it there', async () => {
  await tendAssertionKeys(services);
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

test('in an emergency the new key signs at once, and nothing else is published', async () => {
  const before = (await operator.get('/admin/keys')).json<{ signing: { of: string; keys: { kid: string }[] }[] }>();
  const response = await operator.post('/admin/keys/signing', { of: 'assertions', isEmergency: true, ...reason });
  const { keys } = response.json<{ keys: { kid: string; state: string }[] }>();
  expect(keys).toMatchObject([{ state: 'signing' }]);
  const old = before.signing.flatMap((signer) => signer.keys.map(({ kid }) => kid));
  expect(old).not.toContain(keys[0]?.kid);
  const { data } = (await operator.get('/admin/audit-log?limit=1')).json<{ data: object[] }>();
  expect(data).toMatchObject([{ action: 'signing_key.turned', data: { of: 'assertions', isEmergency: true } }]);
});
