import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { asSystem, inTenant, type Context } from '../../src/platform/context.ts';
import { derivedKeys, encrypt, decrypt } from '../../src/platform/crypto.ts';
import type { KeyServiceNeeded } from '../../src/platform/key-service-needed.ts';
import { admin, aTenant } from '../harness.ts';
import { arnOf } from './aws-kms-server.ts';
import {
  aws,
  callsTo,
  kms,
  local,
  masterKeyOf,
  newKey,
  openWith,
  transit,
  unavailable,
  vault,
  withSecret,
  type Api,
} from './fixture.ts';

describe('calls', () => {
  test('wraps a data key once, unwraps it once in each process, and makes no call for a secret', async () => {
    const tenant = await aTenant();
    const first = await openWith(`${kms},${local}`);
    callsTo(aws);
    const { secret, show } = await withSecret(first, tenant);
    await withSecret(first, tenant);
    expect((await show(first)).json()).toEqual({ secret });
    expect(callsTo(aws)).toEqual(['Encrypt']);

    const second = await openWith(`${kms},${local}`);
    expect(callsTo(aws), 'its platform key').toEqual(['Decrypt']);
    const responses = await Promise.all(Array.from({ length: 8 }, () => show(second)));
    for (const response of responses) expect(response.json()).toEqual({ secret });
    expect(callsTo(aws)).toEqual(['Decrypt']);
  });

  test('makes one call when two rolled-back requests need the same key', async () => {
    const { tenantId } = await aTenant();
    const context = { purpose: 'test', rowId: 'row' };
    const within = <T>({ platform }: Api, work: (ctx: Context) => Promise<T>) =>
      inTenant(platform.services, asSystem(tenantId, 'test'), work);
    const encrypted = await within(await openWith(kms), (ctx) => encrypt(ctx, context, 'a secret'));
    const api = await openWith(kms);
    const tryDecrypt = () => within(api, (ctx) => decrypt(ctx, context, encrypted).catch((error: unknown) => error));
    const needed = [await tryDecrypt(), await tryDecrypt()] as KeyServiceNeeded[];
    callsTo(aws);
    for (const { call } of needed) await call();
    expect([callsTo(aws), await tryDecrypt()]).toEqual([['Decrypt'], 'a secret']);
  });

  test('makes no call with local keys', async () => {
    const tenant = await aTenant();
    const api = await openWith(local);
    const before = aws.state.requests + vault.state.requests;
    const { secret, show } = await withSecret(api, tenant);
    expect((await show(api)).json()).toEqual({ secret });
    expect(aws.state.requests + vault.state.requests).toBe(before);
  });

  test('creates one data key for concurrent first secrets', async () => {
    const tenant = await aTenant();
    const [one, two] = [await openWith(transit), await openWith(transit)];
    const withSecrets = await Promise.all([one, two, one, two].map((api) => withSecret(api, tenant)));
    expect(await masterKeyOf(tenant)).toEqual(['transit']);
    for (const { secret, show } of withSecrets) expect((await show(two)).json()).toEqual({ secret });
  });
});

describe('an outage', () => {
  test.each(isFull ? (['failing', 'gone'] as const) : (['gone'] as const))(
    'returns 503 for a data key that is not cached, serves the rest, and recovers: %s',
    async (mode) => {
      const [tenant, cached] = [await aTenant(), await aTenant()];
      const { secret, show } = await withSecret(await openWith(transit), tenant);
      const api = await openWith(transit);
      const { secret: cachedSecret, show: showCached } = await withSecret(api, cached);

      vault.state.mode = mode;
      const refused = await show(api);
      expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '2']);
      expect(refused.json()).toMatchObject(unavailable);
      expect((await showCached(api)).json()).toEqual({ secret: cachedSecret });
      expect((await api.as(tenant).get('/api-keys')).statusCode).toBe(200);
      vault.state.mode = 'up';
      expect((await show(api)).json()).toEqual({ secret });
    },
  );

  test('rolls back a request that needed a new data key', async () => {
    const tenant = await aTenant();
    const api = await openWith(kms);
    aws.state.mode = 'failing';
    const refused = await api.as(tenant).post('/api-keys', newKey(tenant));
    aws.state.mode = 'up';
    expect([refused.statusCode, refused.json()]).toMatchObject([503, unavailable]);
    const { data } = (await api.as(tenant).get('/api-keys')).json<{ data: object[] }>();
    expect([data, await masterKeyOf(tenant)]).toEqual([[], []]);
  });

  test('holds no database connection while a call hangs', async () => {
    const tenant = await aTenant();
    const { show } = await withSecret(await openWith(kms), tenant);
    const api = await openWith(kms, { DATABASE_POOL_SIZE: '1' });
    aws.state.mode = 'hanging';
    const before = aws.state.requests;
    let isOver = false;
    const waiting = show(api).finally(() => (isOver = true));
    await expect.poll(() => aws.state.requests, { interval: 5 }).toBe(before + 1);
    const list = await api.as(tenant).get('/api-keys');
    expect([list.statusCode, isOver]).toEqual([200, false]);
    expect((await waiting).json()).toMatchObject(unavailable);
    aws.state.mode = 'up';
  });

  test('prevents a process from starting, with the reason', async () => {
    await openWith(`${kms},${local}`);
    aws.state.mode = 'failing';
    await expect(openWith(`${local},${kms}`)).rejects.toThrow("Master key 'kms' cannot be used (AWS KMS: HTTP 500)");
    aws.state.mode = 'up';
    await openWith(`${local},${kms}`);
  });
});

describe('stored keys', () => {
  const at = sql`length(wrapped) - 5`;
  test.each([
    ['AWS KMS', kms],
    ['Vault', transit],
  ])('%s: returns 500, not 503, for a data key that was changed or moved', async (_name, masterKeys) => {
    const [tenant, other] = [await aTenant(), await aTenant()];
    const writer = await openWith(masterKeys);
    const { show } = await withSecret(writer, tenant);
    const { show: showOther } = await withSecret(writer, other);
    const { wrapped } = await admin
      .selectFrom('dataKeys')
      .select('wrapped')
      .where('tenantId', '=', tenant.tenantId)
      .executeTakeFirstOrThrow();
    await admin.updateTable('dataKeys').set({ wrapped }).where('tenantId', '=', other.tenantId).execute();
    await sql`update data_keys set wrapped = set_byte(wrapped, ${at}, 66 - (get_byte(wrapped, ${at}) = 66)::int)
      where tenant_id = ${tenant.tenantId}`.execute(admin);
    const api = await openWith(masterKeys);
    for (const response of [await show(api), await showOther(api)])
      expect([response.statusCode, response.json()]).toMatchObject([500, { error: { reason: 'internal_error' } }]);
    for (const { tenantId } of [tenant, other])
      await sql`with secrets as (delete from api_key_secrets where tenant_id = ${tenantId})
        delete from data_keys where tenant_id = ${tenantId}`.execute(admin);
  });

  test('does not start with another key under an id that is in use', async () => {
    await openWith(transit);
    await expect(openWith(`transit:awskms:${arnOf('main')}`)).rejects.toThrow("Master key 'transit' cannot be used");
  });

  test('gives processes that start concurrently the same platform key, and stores it only wrapped', async () => {
    const fresh = 'fresh:vault:main';
    const [one, two] = await Promise.all([openWith(`${fresh},${local}`), openWith(`${local},${fresh}`)]);
    const keysOf = ({ platform }: Api) => derivedKeys(platform.services.keyring, 'widget-session');
    expect(keysOf(one).toReversed()).toEqual(keysOf(two));
    const { rows } = await sql<{ wrapped: Buffer }>`select wrapped from deployment.platform_keys`.execute(admin);
    for (const { key } of one.platform.services.keyring.byId.values())
      expect(rows.some(({ wrapped }) => wrapped.includes(key))).toBe(false);
  });
});
