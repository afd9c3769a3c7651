import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { rewrapAssertionKeys, rotateAssertionKeys } from '../../src/features/actions/assertions.ts';
import { openKeyring } from '../../src/platform/crypto.ts';
import { admin, anOperator, aTenant, services, type TestTenant } from '../harness.ts';
import { plantRun } from '../rules/actions.ts';

// Unknown runs as operators see them, and the signing keys of end-user assertions.

describe('unknown runs', () => {
  async function anUnknownRun(tenant: TestTenant) {
    const { tenantId, botId, environmentId } = tenant;
    const id = await plantRun({ tenantId, botId, environmentId }, { state: 'unknown' });
    return { id, runUrl: `/admin/tenants/${tenantId}/action-runs/${id}` };
  }

  test('are listed across tenants, oldest first, in pages, without input and output', async () => {
    const [one, two] = [await aTenant(), await aTenant()];
    const created = [await anUnknownRun(one), await anUnknownRun(two), await anUnknownRun(one)].map(
      ({ id }): string => id,
    );
    const operator = await anOperator('support');
    const listed: string[] = [];
    let cursor: string | null = null;
    do {
      const response = await operator.get(`/admin/unknown-runs?limit=1${cursor === null ? '' : `&cursor=${cursor}`}`);
      expect(response.statusCode, response.body).toBe(200);
      const page = response.json<{
        data: { tenantId: string; runId: string; since: string }[];
        nextCursor: string | null;
      }>();
      for (const row of page.data) {
        expect(Object.keys(row).toSorted()).toEqual(['runId', 'since', 'tenantId']);
        listed.push(row.runId);
      }
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(listed.filter((id) => created.includes(id))).toEqual(created);
  });

  test('are returned without input and output, and return 404 under another tenant', async () => {
    const tenant = await aTenant();
    const { id, runUrl } = await anUnknownRun(tenant);
    const operator = await anOperator('support');
    const response = await operator.get(runUrl);
    expect(response.json()).toMatchObject({ run: { id, state: 'unknown', outcome: 'unknown' } });
    expect(response.body).not.toMatch(/4711|"args"|"output"|"attempts"/);
    const other = await aTenant();
    expect((await operator.get(runUrl.replace(tenant.tenantId, other.tenantId))).statusCode).toBe(404);
  });

  test('resolved by an operator are removed from the list and audited with the operator’s id', async () => {
    const tenant = await aTenant();
    const { id, runUrl } = await anUnknownRun(tenant);
    const operator = await anOperator();
    const resolved = await operator.post(`${runUrl}/resolve`, { outcome: 'failed', note: 'They looked it up.' });
    expect(resolved.statusCode, resolved.body).toBe(200);
    expect(resolved.json()).toMatchObject({
      run: { state: 'reconciled', outcome: 'failed', resolvedBy: operator.userId },
    });
    expect((await operator.get('/admin/unknown-runs?limit=100')).body).not.toContain(id);
    expect((await operator.post(`${runUrl}/resolve`, { outcome: 'succeeded' })).statusCode).toBe(409);
    expect(await runOfTenant(tenant, id)).toMatchObject({ state: 'reconciled', note: 'They looked it up.' });
    const audit = (await tenant.get('/audit-log?limit=100')).body;
    expect(audit).toContain('action.reconciled');
    expect(audit).toContain(operator.userId);
    expect(audit).not.toContain('4711');
  });

  test('can be reconciled repeatedly with the same idempotency key; returns 409 for an ended run', async () => {
    const { id, runUrl } = await anUnknownRun(await aTenant());
    const operator = await anOperator();
    for (let n = 0; n < 2; n++) {
      const response = await operator.post(`${runUrl}/reconcile`, undefined, { 'idempotency-key': 'the-same' });
      expect(response.statusCode, response.body).toBe(200);
      expect(response.json()).toMatchObject({ run: { id, state: 'unknown' } });
    }
    const ended = await plantEndedRun();
    expect((await operator.post(`${ended}/reconcile`)).statusCode).toBe(409);
  });

  const plantEndedRun = async () => {
    const { tenantId, botId, environmentId } = await aTenant();
    const id = await plantRun({ tenantId, botId, environmentId }, { state: 'succeeded' });
    return `/admin/tenants/${tenantId}/action-runs/${id}`;
  };
  const runOfTenant = async (tenant: TestTenant, id: string) =>
    (await tenant.get(`/action-runs/${id}`)).json<{ run: object }>().run;
});

describe('assertion keys', () => {
  const day = 86_400_000;
  const start = new Date('2030-01-01T00:00:00Z');
  const after = (days: number) => new Date(start.getTime() + days * day);
  const kids = async (days: number) =>
    (await rotateAssertionKeys(services, { now: after(days) })).map(({ kid = '' }) => kid);

  test('are published a day before they sign, and kept for a day afterwards', async () => {
    await sql`delete from directory.assertion_keys`.execute(admin);
    const [first = '', ...others] = await kids(0);
    expect(others).toEqual([]);
    expect(await kids(88)).toEqual([first]);
    const published = await kids(89);
    expect(published).toEqual([first, expect.any(String)]);
    const next = published[1] ?? '';
    expect(await kids(89.9)).toEqual([first, next]);
    expect(await kids(90)).toEqual([next, first]);
    expect(await kids(90.9)).toEqual([next, first]);
    expect(await kids(91)).toEqual([next]);
  });

  test('are all replaced immediately in an emergency, including the next one', async () => {
    const before = await kids(179);
    expect(before).toHaveLength(2);
    const [newKid = '', ...rest] = (await rotateAssertionKeys(services, { now: after(179), isEmergency: true })).map(
      ({ kid = '' }) => kid,
    );
    expect(rest).toEqual([]);
    expect(before).not.toContain(newKid);
    expect(await kids(179)).toEqual([newKid]);
  });

  test('are created once by concurrent calls', async () => {
    await sql`delete from directory.assertion_keys`.execute(admin);
    const all = await Promise.all(Array.from({ length: 8 }, () => kids(0)));
    expect(new Set(all.flat()).size).toBe(1);
  });

  test('are encrypted at rest, also after re-encryption with another master key', async () => {
    const [jwk] = await rotateAssertionKeys(services, { now: after(0) });
    if (!jwk) throw new Error('no key');
    const rows = async () =>
      (
        await sql<{ kid: string; encrypted: Buffer }>`select kid, encrypted from directory.assertion_keys`.execute(
          admin,
        )
      ).rows;
    const [before] = await rows();
    expect(jwk.d).toMatch(/\S{20}/);
    for (const part of [jwk.d ?? '', jwk.x ?? '', '"kty"']) expect(before?.encrypted.includes(part)).toBe(false);
    expect(await rewrapAssertionKeys(services)).toBe(0); // already encrypted with the current master key
    expect(await rewrapAssertionKeys({ ...services, keyring: withFirst(second) })).toBe(1);
    const [later] = await rows();
    expect(later?.kid).toBe(before?.kid);
    expect(later?.encrypted.equals(before?.encrypted ?? Buffer.alloc(0))).toBe(false);
    expect(await rotateAssertionKeys({ ...services, keyring: withFirst(second) }, { now: after(0) })).toEqual([jwk]);
    const { current } = services.keyring;
    expect(await rewrapAssertionKeys({ ...services, keyring: { ...withFirst(second), current } })).toBe(1);
    expect(await rotateAssertionKeys(services, { now: after(0) })).toEqual([jwk]);
  });
});

const second = openKeyring(`second:${randomBytes(32).toString('base64')}`).current;
const withFirst = (first: typeof second) => ({
  ...services.keyring,
  current: first,
  byId: new Map([...services.keyring.byId, [first.id, first]]),
});
