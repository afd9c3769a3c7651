import { expect, test } from 'vitest';
import { aTenant, eventsOf } from '../../../test/harness.ts';
import { shardOf, shardText } from '../../platform/ids.ts';

test.each(['/api-keys', '/tenants/:tenantId/api-keys'])(
  '201 at %s: the secret is shown now and never again',
  async (path) => {
    const tenant = await aTenant();
    const address = path.replace(':tenantId', tenant.tenantId);
    const created = await tenant.post(address, { name: 'Site', keyType: 'public_widget', boundBotId: tenant.botId });
    expect(created.statusCode, created.body).toBe(201);
    const { apiKey, secret } = created.json();
    expect(apiKey).toMatchObject({ name: 'Site', boundBotId: tenant.botId, workspaceId: null, status: 'active' });
    expect(secret.slice(0, 11)).toBe(`pk_live_${shardText(shardOf(tenant.tenantId))}`);
    expect((await tenant.get(address)).json()).toEqual({ data: [apiKey], nextCursor: null });
    expect(await eventsOf(tenant.tenantId)).toContain('api_key.created');
  },
);
