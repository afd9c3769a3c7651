import { afterAll, afterEach, expect, onTestFinished } from 'vitest';
import { admin, as, openApi, settings, type TestTenant } from '../harness.ts';
import { arnOf, startAwsKms } from './aws-kms-server.ts';
import { startVault } from './vault-server.ts';

export const aws = await startAwsKms(['main']);
export const vault = await startVault(['main']);
afterEach(() => {
  aws.state.mode = vault.state.mode = 'up';
});
afterAll(() => {
  aws.close();
  vault.close();
});

export const local = settings()['MASTER_KEYS'] ?? '';
export const kms = `kms:awskms:${arnOf('main')}`;
export const transit = 'transit:vault:main';
export const serviceSettings = {
  ...aws.settings,
  ...vault.settings,
  EGRESS_OPEN_HOSTS: [settings()['EGRESS_OPEN_HOSTS'], aws.host, vault.host].join(','),
};

/** A new process with an empty key cache, in a separate deployment, because other processes have other keys. */
let deployments = 0;
export async function openWith(masterKeys: string, more: Record<string, string> = {}) {
  const prefix = { VALKEY_PREFIX: `${settings()['VALKEY_PREFIX']}${++deployments}:` };
  const api = await openApi({ MASTER_KEYS: masterKeys, ...serviceSettings, ...prefix, ...more });
  onTestFinished(api.close);
  return { ...api, as: (tenant: TestTenant) => as(tenant.headers, api.app) };
}
export type Api = Awaited<ReturnType<typeof openWith>>;

export const newKey = ({ botId }: TestTenant) => ({ name: 'Site', keyType: 'public_widget', boundBotId: botId });
export async function withSecret(api: Api, tenant: TestTenant) {
  const response = await api.as(tenant).post('/api-keys', newKey(tenant));
  expect(response.statusCode, response.body).toBe(201);
  const { apiKey, secret } = response.json<{ apiKey: { id: string }; secret: string }>();
  return { secret, show: (where: Api) => where.as(tenant).post(`/api-keys/${apiKey.id}/reveal`) };
}
/** The operations since the last call. */
export const callsTo = ({ calls }: { calls: { operation: string }[] }) =>
  calls.splice(0).map(({ operation }) => operation);
export const masterKeyOf = async ({ tenantId }: TestTenant) =>
  (await admin.selectFrom('dataKeys').select('masterKeyId').where('tenantId', '=', tenantId).execute()).map(
    ({ masterKeyId }) => masterKeyId,
  );
export const unavailable = { error: { code: 'UNAVAILABLE', reason: 'key_service_unavailable' } };
