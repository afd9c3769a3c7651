#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { z } from 'zod';
import { rewrapAssertionKeys, tendAssertionKeys } from './features/actions/assertions.ts';
import { createOperator } from './features/accounts/operators.ts';
import { rewrapPool } from './features/accounts/rewrap.ts';
import { tendKeys } from './features/pools/signing-keys.ts';
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
  parley-server admin create --email E --name N    make an operator with every right, and show password and second factor
  parley-server keys rotate --pool P               sign with a new key at once: every access token of that pool ends
  parley-server keys rotate --assertions           vouch for signed-in people with a new key at once: the old ones are no longer published
  parley-server vectors enable                     keep vectors of passages, once the database has the extension (as parley_owner)
  parley-server secrets rewrap                     seal what is sealed with the first of MASTER_KEYS
`;

async function withDatabase<T>(work: (db: Db) => Promise<T>): Promise<T> {
  // No request waits for it: a migration may fill a table of millions, or build an index over one.
  const db = connect(loadDatabaseUrl(), { max: 2, connectMs: 30_000, queryMs: 6 * 3_600_000 });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}
const withGround = <T>(work: (ground: Ground) => Promise<T>) =>
  withDatabase((db) => work({ db, keyring: openKeyring(loadMasterKeys()), wakeRelay: () => {}, tell: () => {} }));

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

  'admin create': async (args) => {
    const { values } = parseArgs({ args, options: { email: { type: 'string' }, name: { type: 'string' } } });
    const email = z.email('Say the address: --email you@example.com').parse(values.email);
    const name = z.string('Say the name: --name "Ada Lovelace"').min(1).parse(values.name);
    const made = await withGround((ground) => createOperator(ground, { email, name, roles: ['platform_admin'] }));
    console.log(`Made ${made.email} (${made.userId}). This is shown once:

  password        ${made.password}
  second factor   ${made.totpUri}
  recovery codes  ${made.recoveryCodes.join('\n                  ')}

Put the second factor into an authenticator app before you close this, and keep the recovery codes apart from it.`);
  },

  'keys rotate': async (args) => {
    const { values } = parseArgs({ args, options: { pool: { type: 'string' }, assertions: { type: 'boolean' } } });
    if (values.assertions) {
      const [signer] = await withGround((ground) => tendAssertionKeys(ground, { isEmergency: true }));
      console.log(`Signed-in people are vouched for with ${signer?.kid} from now on, within a minute everywhere.`);
      return;
    }
    const pool = z.enum(['customer', 'admin'], 'Say which: --pool customer, or --pool admin').parse(values.pool);
    const [key] = await withGround((ground) => tendKeys(ground, pool, 90, { isEmergency: true }));
    console.log(
      `The ${pool} pool signs with ${key?.kid} now. Older access tokens end; sessions get new ones by themselves.`,
    );
  },

  'vectors enable': async () => {
    const { rows } = await withDatabase((db) =>
      sql<{ isEnabled: boolean }>`select directory.enable_vectors() as is_enabled`.execute(db),
    );
    if (!rows[0]?.isEnabled)
      throw new Error(
        'This database has no extension `vector`. Install pgvector, let the administrator of the database run `create extension vector schema public`, and call this again.',
      );
    console.log('Vectors are kept from now on, where EMBEDDINGS is set. Passages get theirs at the next sync.');
  },

  'secrets rewrap': () =>
    withGround(async (ground) => {
      let ofPools = await rewrapAssertionKeys(ground);
      for (const pool of ['customer', 'admin'] as const)
        for (let n = 1; n > 0; ofPools += n) n = await rewrapPool(ground, pool);
      console.log(`${ofPools} signing keys and second factors sealed anew.`);
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
  console.error(error instanceof z.ZodError ? z.prettifyError(error) : error instanceof Error ? error.message : error);
  process.exit(1);
});
