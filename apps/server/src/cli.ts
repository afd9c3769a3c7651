#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { createTenant } from './features/tenants/tenants.service.ts';
import { PlanName } from './features/entitlements/entitlements.contract.ts';
import { migrate } from './migrate.ts';
import { loadDatabaseUrl, loadMasterKeys } from './platform/config.ts';
import { asSystem, inTenant, type Ground } from './platform/context.ts';
import { openKeyring, rewrapDataKeys } from './platform/crypto.ts';
import { connect, type Db } from './platform/db.ts';
import type { Id } from './platform/ids.contract.ts';
import { newId } from './platform/ids.ts';

const help = `parley-server: what an operator does from a shell. Settings: docs/configuration.md

  parley-server migrate                            bring the database to the newest schema (as parley_owner)
  parley-server tenant create --name N [--plan P]  make a tenant with its first workspace and environments
  parley-server secrets rewrap                     seal every tenant's data keys with the first of MASTER_KEYS
`;

async function withDatabase<T>(work: (db: Db) => Promise<T>): Promise<T> {
  const db = connect(loadDatabaseUrl(), { max: 2 });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}
const withGround = <T>(work: (ground: Ground) => Promise<T>) =>
  withDatabase((db) => work({ db, keyring: openKeyring(loadMasterKeys()), wakeRelay: () => {} }));

const commands: Record<string, (args: string[]) => Promise<void>> = {
  migrate: async () => {
    const ran = await withDatabase(migrate);
    console.log(ran.length > 0 ? `Ran ${ran.join(', ')}.` : 'The schema is the newest.');
  },

  'tenant create': async (args) => {
    const { values } = parseArgs({
      args,
      options: { name: { type: 'string' }, plan: { type: 'string', default: 'free' } },
    });
    if (!values.name) throw new Error('Say what it is called: --name "Acme"');
    const input = { name: values.name, plan: PlanName.parse(values.plan) };
    const made = await withGround((ground) =>
      inTenant(ground, asSystem(newId('tenant'), 'operator-shell'), (ctx) => createTenant(ctx, input)),
    );
    console.log(JSON.stringify(made, null, 2));
  },

  'secrets rewrap': () =>
    withGround(async (ground) => {
      let [tenants, wrapped, last] = [0, 0, ''];
      for (;;) {
        const page = await sql<{ id: Id<'tenant'> }>`select directory.tenants_after(${last}, 500) as id`.execute(
          ground.db,
        );
        for (const { id } of page.rows) {
          wrapped += await inTenant(ground, asSystem(id, 'secrets-rewrap'), rewrapDataKeys);
          tenants++;
        }
        const end = page.rows.at(-1);
        if (!end) break;
        last = end.id;
        console.log(`${tenants} tenants looked at, ${wrapped} data keys sealed anew …`);
      }
      console.log(
        `Done: ${wrapped} data keys of ${tenants} tenants. Every one is sealed by '${ground.keyring.current.id}'.`,
      );
    }),
};

const words = process.argv.slice(2);
const name = words.slice(0, 2).join(' ') in commands ? words.slice(0, 2).join(' ') : (words[0] ?? '');
const command = commands[name];
if (!command) {
  console.error(help);
  process.exit(words.length === 0 || words[0] === 'help' || words[0] === '--help' ? 0 : 2);
}
await command(words.slice(name.split(' ').length)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
