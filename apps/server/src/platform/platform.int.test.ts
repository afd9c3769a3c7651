import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { admin, settings, urlAs } from '../../test/harness.ts';
import { loadConfig } from './config.ts';
import { openPlatform } from './platform.ts';

const production = (database: string) =>
  loadConfig(
    settings({
      PARLEY_ENV: 'production',
      DATABASE_URL: urlAs(database),
      PUBLIC_URL: 'https://api.example',
      RESTATE_IDENTITY_KEYS: 'publickeyv1_x',
      MASTER_KEYS: `k:${randomBytes(32).toString('base64')}`,
      OIDC_ISSUERS: '[]',
      EGRESS_OPEN_HOSTS: '',
    }),
  );

const roles = [`bypass_${process.pid}`, `super_${process.pid}`, `heir_${process.pid}`];
afterAll(async () => {
  for (const role of roles) await sql`drop role if exists ${sql.id(role)}`.execute(admin);
});

test('refuses to start in production with a database role that bypasses row-level security', async () => {
  const [bypass = '', superuser = '', heir = ''] = roles;
  await sql`create role ${sql.id(bypass)} login bypassrls`.execute(admin);
  await sql`create role ${sql.id(superuser)} login superuser`.execute(admin);
  await sql`create role ${sql.id(heir)} login in role parley_owner`.execute(admin);
  for (const role of roles) {
    await expect(openPlatform('api', production(role)), role).rejects.toThrow('Refusing to start');
  }
  const platform = await openPlatform('api', production('parley_app'));
  await platform.close();
});
