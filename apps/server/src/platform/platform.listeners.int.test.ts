import { randomBytes } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { startModelServer } from '../../../../tools/model/index.ts';
import { onCleanup, failureOf } from '../../test/egress.ts';
import { connectionTo, modelFailure, request } from '../../test/models.ts';
import { loadConfig } from './config.ts';
import { callModel } from './model.ts';
import { openPlatform } from './platform.ts';
import { guardedFetch } from './safe-fetch-web.ts';

async function aPlatform(settings: Record<string, string>) {
  const platform = await openPlatform(
    'worker',
    loadConfig({
      PARLEY_ENV: 'test',
      DATABASE_URL: inject('postgresUrl'),
      VALKEY_URL: inject('valkeyUrl'),
      RESTATE_INGRESS_URL: 'http://127.0.0.1:9',
      MASTER_KEYS: `k:${randomBytes(32).toString('base64')}`,
      METRICS_PORT: '0',
      LOG_LEVEL: 'silent',
      ...settings,
    }),
  );
  onCleanup(platform.close);
  return platform;
}

test('opens hosts for operator URLs and tenant URLs by separate settings', async () => {
  const model = await startModelServer();
  onCleanup(model.close);
  const to = connectionTo(model.url);
  const listed = { url: `${model.url}/models` };

  const own = await aPlatform({ EGRESS_OPEN_HOSTS: model.host });
  expect((await callModel(guardedFetch(own.safeFetch), to, request, () => {})).finish).toBe('stop');
  expect(await modelFailure(callModel(guardedFetch(own.tenantFetch), to, request, () => {}))).toBe('refused');
  expect((await failureOf(own.tenantFetch(listed))).failure).toBe('EgressRefused scheme_not_allowed');

  const tenants = await aPlatform({ EGRESS_TENANT_OPEN_HOSTS: model.host });
  expect((await tenants.tenantFetch(listed)).status).toBe(200);
  expect((await failureOf(tenants.safeFetch(listed))).failure).toBe('EgressRefused scheme_not_allowed');
  expect(model.calls.length).toBe(1);
});
