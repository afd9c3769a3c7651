import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { inject } from 'vitest';
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
  mkdirSync(dir, { recursive: true });
  const { status, stderr } = spawnSync('cp', ['-a', `${await migratedDir()}/.`, dir], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the data of PostgreSQL could not be copied: ${stderr}`);
  const postgres = await startPostgres(dir, { durable: true });
  const urlAs = (username: string) => Object.assign(new URL(postgres.adminUrl), { pathname: 'parley', username }).href;

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

/** The folder of a migrated PostgreSQL that is stopped. The first test that needs it creates it: that takes longer than a copy. */
async function migratedDir(): Promise<string> {
  const dir = join(inject('runDir'), 'own-database');
  const doneFile = `${dir}.done`;
  if (isFirst(`${dir}.lock`)) {
    await createMigrated(dir);
    writeFileSync(doneFile, '');
  }
  for (let waitedMs = 0; !existsSync(doneFile); waitedMs += 50) {
    if (waitedMs > 120_000) throw new Error('the migrated PostgreSQL took more than two minutes');
    await sleep(50);
  }
  return dir;
}

function isFirst(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    return false;
  }
}

async function createMigrated(dir: string) {
  const postgres = await startPostgres(dir, { durable: true });
  const root = connect(postgres.adminUrl, { max: 1, connectMs: 60_000 });
  await createRoles(root);
  await sql`create database parley owner parley_owner`.execute(root);
  await root.destroy();
  const ownerUrl = Object.assign(new URL(postgres.adminUrl), { pathname: 'parley', username: 'parley_owner' }).href;
  const owner = connect(ownerUrl, { max: 2, connectMs: 60_000 });
  await migrate(owner);
  await owner.destroy();
  await postgres.stop();
}
