import { rmSync } from 'node:fs';
import { sql } from 'kysely';
import { startPostgres } from '../../../../tools/stack/index.ts';
import { CreateApiKey } from '../../src/features/api-keys/api-keys.contract.ts';
import { createApiKey } from '../../src/features/api-keys/api-keys.service.ts';
import { createTenant } from '../../src/features/tenants/tenants.service.ts';
import { createRoles, migrate } from '../../src/migrate.ts';
import type { Permission } from '../../src/platform/access.contract.ts';
import { asSystem, inTenant } from '../../src/platform/context.ts';
import { connect } from '../../src/platform/db.ts';
import { newId } from '../../src/platform/ids.ts';
import { services, ownDir } from '../harness.ts';

/** A migrated PostgreSQL that tests may kill, with one tenant and its key. */
export async function startOwnDatabase(name: string) {
  const dir = ownDir(`faults-${name}`);
  const postgres = await startPostgres(dir, { durable: true });
  const urlAs = (username: string) => Object.assign(new URL(postgres.adminUrl), { pathname: 'parley', username }).href;
  const root = connect(postgres.adminUrl, { max: 1, connectMs: 60_000 });
  await createRoles(root);
  await sql`create database parley owner parley_owner`.execute(root);
  await root.destroy();
  const owner = connect(urlAs('parley_owner'), { max: 2, connectMs: 60_000 });
  await migrate(owner);
  await owner.destroy();

  const tenantId = newId('tenant');
  const permissions = ['tenant.view', 'tenant.manage'] satisfies Permission[];
  const db = connect(urlAs('parley_app'), { max: 1 });
  const here = { ...services, db, wakeRelay: () => {} };
  const { apiKey, secret } = await inTenant(here, asSystem(tenantId, 'test'), async (ctx) => {
    await createTenant(ctx, { name: 'Test', plan: 'team' });
    const input = CreateApiKey.parse({ name: 'Key', keyType: 'secret_server', permissions });
    return createApiKey({ ...ctx, permissions: new Set(permissions) }, input);
  });
  await db.destroy();

  return {
    postgres,
    urlAs,
    headers: { authorization: `Bearer ${secret}`, 'x-service-api-key-id': apiKey.id },
    remove: async () => {
      await postgres.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
