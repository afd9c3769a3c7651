import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { z } from 'zod';
import { rewrapAssertionKeys, rotateAssertionKeys } from './features/actions/assertions.ts';
import { rewrapAuditKeys, ensureAuditKeys } from './features/audit/audit-keys.store.ts';
import { verifyAuditLogs } from './features/audit/audit-report.ts';
import { createOperator } from './features/accounts/operators.ts';
import { rewrapPool } from './features/accounts/rewrap.store.ts';
import { ensureSigningKeys } from './features/pools/signing-keys.store.ts';
import { createTenant } from './features/tenants/tenants.service.ts';
import { PlanName } from './features/entitlements/entitlements.contract.ts';
import { createDatabaseFromFiles } from './setup/create-database.ts';
import { afterRestore } from './after-restore.ts';
import { activateDeployment, drainDeployment, listDeployments, removeDeployment } from './deployment-commands.ts';
import { migrate, planMigrations, waitForMigrations } from './migrate.ts';
import type { MigrationFile } from './migration-files.ts';
import { loadDatabaseUrl, loadKeySettings, loadRestateSettings, processEnvironment } from './platform/config.ts';
import { asSystem, inTenant, type Services } from './platform/context.ts';
import { openKeyring, rewrapDataKeys } from './platform/crypto.ts';
import { connect, type Db } from './platform/db.ts';
import { openDeployments, type Deployments } from './platform/deployments.ts';
import { idOf, type Id } from './platform/ids.contract.ts';
import { newId } from './platform/ids.ts';
import { egressPolicy } from './platform/egress-settings.ts';
import { productVersion } from './platform/product-version.ts';
import { openRemoteKeys } from './platform/platform-keys.ts';
import { createSafeFetch } from './platform/safe-fetch.ts';
import { checkUpgrade } from './upgrade-path.ts';

const help = `parley-server: administration from the command line. Settings: docs/configuration.md

  parley-server api                                serve the API
  parley-server worker                             run durable work, emails and maintenance
  parley-server setup [--dir D] [--yes] …          ask three questions and write settings and secrets for Docker Compose
  parley-server database create                    create the roles with their passwords, and the database (as a superuser)
  parley-server migrate [--plan | --wait]          migrate the database to the latest schema (as parley_owner), list what would run,
                                                   or wait until it has run elsewhere (as parley_app)
  parley-server upgrade check --from VERSION       check that this version can follow that one, or print the versions between
  parley-server after-restore [--restored-to T]    after the database was restored to an earlier moment, before the API and
                                                   workers start: keeps what was in flight from happening twice (as parley_owner)
  parley-server check [--json] [--except FINDING]  compare all settings with the servers they name; exits with 1 if something does not work or is not safe
  parley-server deployments list                   list the worker versions that Restate knows, with their invocations
  parley-server deployments activate VERSION       send new work to this version, to roll back
  parley-server deployments drain VERSION          move or wait for its invocations, until it has none; --wait: also waits until
                                                   another version gets new work; --timeout SECONDS
  parley-server deployments remove VERSION         remove a version that has no invocations; --drop-services: with services that only it has
  parley-server tenant create --name N [--plan P]  create a tenant with its first workspace and environments
  parley-server admin create --email E --name N    create a platform admin and print the password and two-factor key
  parley-server keys rotate --pool P               rotate a pool's signing key now; all access tokens of the pool stop working
  parley-server keys rotate --assertions           rotate the key that signs end-user assertions now; old keys are no longer published
  parley-server keys rotate --audit                rotate the key that signs audit logs; old keys still verify what they signed
  parley-server audit verify [--tenant ten_…]      verify the hash chains and signed heads of the audit logs; exits with 1 if any entry fails
  parley-server vectors enable                     store vectors of chunks, once the database has the extension (as parley_owner)
  parley-server secrets rewrap                     re-encrypt all data keys with the first key in MASTER_KEYS
  parley-server --version                          print the version
`;

async function withDatabase<T>(work: (db: Db) => Promise<T>): Promise<T> {
  // Long timeout: a migration may backfill or index a table with millions of rows.
  const db = connect(loadDatabaseUrl(), { max: 2, connectMs: 30_000, queryMs: 6 * 3_600_000 });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}
const withServices = <T>(work: (services: Services) => Promise<T>) =>
  withDatabase(async (db) => {
    const settings = loadKeySettings();
    const fetch = createSafeFetch(egressPolicy(settings, settings.EGRESS_OPEN_HOSTS));
    try {
      const keyring = openKeyring(settings.MASTER_KEYS, await openRemoteKeys(db, settings, fetch));
      return await work({ db, keyring, wakeRelay: () => {}, notify: () => {} });
    } finally {
      await fetch.close();
    }
  });

const withDeployments = (work: (deployments: Deployments) => Promise<void>) => {
  const { RESTATE_ADMIN_URL: url, RESTATE_ADMIN_TOKEN: token } = loadRestateSettings();
  return work(openDeployments(url, token)).catch((error: unknown) => {
    if (!(error instanceof TypeError)) throw error;
    throw new Error(`Restate’s admin API does not respond at ${url}. Check RESTATE_ADMIN_URL.`, { cause: error });
  });
};

/** As PostgreSQL and pgBackRest write it too, such as `2026-03-01 12:00:00+00`. */
const parseMoment = (text: string): Date => {
  const at = new Date(text.replace(/([+-]\d\d)$/, '$1:00'));
  if (Number.isNaN(at.getTime())) throw new Error('--restored-to is a time such as "2026-03-01 12:00:00+00"');
  return at;
};

const plural = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`;

const describeMode = (mode: MigrationFile['mode']) => {
  if (mode.kind === 'backfill') return `changes rows of ${mode.table}, ${mode.batchSize} at a time`;
  if (mode.kind === 'partitioned index') return `creates an index of ${mode.table}, one partition after the other`;
  return mode.kind === 'no transaction' ? 'runs outside of a transaction, without blocking' : 'runs in one transaction';
};

const commands: Record<string, (args: string[]) => Promise<void>> = {
  '--version': async () => console.log(productVersion),

  migrate: async (args) => {
    const { values } = parseArgs({ args, options: { plan: { type: 'boolean' }, wait: { type: 'boolean' } } });
    if (values.wait) return withDatabase((db) => waitForMigrations(db, { report: console.log }));
    if (values.plan) {
      const pending = await withDatabase((db) => planMigrations(db));
      for (const { name, mode } of pending) console.log(`${name}: ${describeMode(mode)}`);
      if (pending.length === 0) console.log('Nothing to migrate: the schema is up to date.');
      return;
    }
    const ran = await withDatabase((db) => migrate(db, { report: console.log }));
    console.log(ran.length > 0 ? `Applied ${ran.join(', ')}.` : 'Nothing to migrate: the schema is up to date.');
  },

  'after-restore': async (args) => {
    const options = { 'restored-to': { type: 'string' }, again: { type: 'boolean', default: false } } as const;
    const { values } = parseArgs({ args, options });
    const restoredTo = values['restored-to'] === undefined ? null : parseMoment(values['restored-to']);
    const { RESTATE_ADMIN_URL: url, RESTATE_ADMIN_TOKEN: token } = loadRestateSettings();
    const { isReady } = await withDatabase((db) =>
      afterRestore(db, { restoredTo, isAgain: values.again, restate: { url, token }, print: console.log }),
    );
    if (!isReady) process.exitCode = 1;
  },

  check: async (args) => {
    const { values } = parseArgs({
      args,
      options: { json: { type: 'boolean' }, except: { type: 'string', multiple: true, default: [] } },
    });
    const { checkDeployment } = await import('./check/index.ts');
    const all = await checkDeployment(processEnvironment());
    const findings = all.filter(({ id }) => !values.except.includes(id));
    const errors = findings.filter(({ level }) => level === 'error').length;
    if (values.json) console.log(JSON.stringify({ findings }, null, 2));
    else {
      for (const { id, level, message, fix } of findings) console.log(`${level.padEnd(7)} ${id}: ${message} ${fix}`);
      const [errorCount, warningCount] = [plural(errors, 'error'), plural(findings.length - errors, 'warning')];
      console.log(findings.length === 0 ? 'No problems found.' : `${errorCount}, ${warningCount}.`);
    }
    process.exitCode = errors > 0 ? 1 : 0;
  },

  'deployments list': () => withDeployments((deployments) => listDeployments(deployments, console.log)),
  'deployments activate': ([version]) =>
    withDeployments((deployments) => activateDeployment(deployments, version, console.log)),
  'deployments drain': async (args) => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { timeout: { type: 'string', default: '300' }, wait: { type: 'boolean', default: false } },
    });
    const timeoutSeconds = z.coerce.number('--timeout is a number of seconds').min(1).parse(values.timeout);
    await withDeployments((deployments) =>
      drainDeployment(deployments, positionals[0], {
        timeoutSeconds,
        waitsForSuccessor: values.wait,
        print: console.log,
      }),
    );
  },
  'deployments remove': async (args) => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { 'drop-services': { type: 'boolean', default: false } },
    });
    const options = { print: console.log, dropServices: values['drop-services'] };
    await withDeployments((deployments) => removeDeployment(deployments, positionals[0], options));
  },

  'tenant create': async (args) => {
    const { values } = parseArgs({
      args,
      options: { name: { type: 'string' }, plan: { type: 'string', default: 'free' } },
    });
    if (!values.name) throw new Error('Missing tenant name. Add --name "Acme"');
    const input = { name: values.name, plan: PlanName.parse(values.plan) };
    const created = await withServices((services) =>
      inTenant(services, asSystem(newId('tenant'), 'operator-shell'), (ctx) => createTenant(ctx, input)),
    );
    console.log(JSON.stringify(created, null, 2));
  },

  'admin create': async (args) => {
    const { values } = parseArgs({ args, options: { email: { type: 'string' }, name: { type: 'string' } } });
    const email = z.email('Missing email. Add --email you@example.com').parse(values.email);
    const name = z.string('Missing name. Add --name "Ada Lovelace"').min(1).parse(values.name);
    const created = await withServices((services) =>
      createOperator(services, { email, name, roles: ['platform_admin'] }),
    );
    console.log(`Created ${created.email} (${created.userId}). These are shown only once:

  password        ${created.password}
  two-factor key  ${created.totpUri}
  recovery codes  ${created.recoveryCodes.join('\n                  ')}

Add the two-factor key to an authenticator app before you close this, and store the recovery codes separately.`);
  },

  'keys rotate': async (args) => {
    const { values } = parseArgs({
      args,
      options: { pool: { type: 'string' }, assertions: { type: 'boolean' }, audit: { type: 'boolean' } },
    });
    if (values.assertions) {
      const [signer] = await withServices((services) => rotateAssertionKeys(services, { isEmergency: true }));
      console.log(`End-user assertions are now signed with ${signer?.kid}. All processes use it within a minute.`);
      return;
    }
    if (values.audit) {
      const [signer] = await withServices((services) => ensureAuditKeys(services, { rotate: true }));
      console.log(`Audit logs are now signed with ${signer?.kid}. Older keys still verify what they signed.`);
      return;
    }
    const pool = z
      .enum(['customer', 'admin'], 'Missing or unknown pool. Use --pool customer or --pool admin')
      .parse(values.pool);
    const [key] = await withServices((services) => ensureSigningKeys(services, pool, 90, { isEmergency: true }));
    console.log(
      `The ${pool} pool now signs with ${key?.kid}. Existing access tokens no longer work; sessions refresh automatically.`,
    );
  },

  'audit verify': async (args) => {
    const { values } = parseArgs({ args, options: { tenant: { type: 'string' } } });
    const tenantId = idOf('tenant').optional().parse(values.tenant);
    await withServices((services) => verifyAuditLogs(services, { tenantId, print: console.log }));
  },

  'vectors enable': async () => {
    const { rows } = await withDatabase((db) =>
      sql<{ isEnabled: boolean }>`select directory.enable_vectors() as is_enabled`.execute(db),
    );
    if (!rows[0]?.isEnabled)
      throw new Error(
        'The `vector` extension is not installed in this database. Install pgvector, have a database administrator run `create extension vector schema public`, then run this command again.',
      );
    console.log('Vectors enabled. Where EMBEDDINGS is set, each chunk gets its vector at the next sync.');
  },

  'secrets rewrap': () =>
    withServices(async (services) => {
      let rewrapped = (await rewrapAssertionKeys(services)) + (await rewrapAuditKeys(services));
      for (const pool of ['customer', 'admin'] as const)
        for (let n = 1; n > 0; rewrapped += n) n = await rewrapPool(services, pool);
      console.log(`Re-encrypted ${rewrapped} signing keys and two-factor secrets.`);
      let [tenants, wrapped, last] = [0, 0, ''];
      for (;;) {
        const page = await sql<{ id: Id<'tenant'> }>`select directory.tenants_after(${last}, 500) as id`.execute(
          services.db,
        );
        for (const { id } of page.rows) {
          wrapped += await inTenant(services, asSystem(id, 'secrets-rewrap'), rewrapDataKeys);
          tenants++;
        }
        const end = page.rows.at(-1);
        if (!end) break;
        last = end.id;
        console.log(`Checked ${tenants} tenants, re-wrapped ${wrapped} data keys …`);
      }
      console.log(
        `Done: re-wrapped ${wrapped} data keys across ${tenants} tenants. All of them are now encrypted with '${services.keyring.current.id}'.`,
      );
    }),

  'upgrade check': async (args) => {
    const { values } = parseArgs({ args, options: { from: { type: 'string' } } });
    checkUpgrade(values.from, productVersion, console.log);
  },

  setup: async (args) => (await import('./setup/setup.ts')).setup(args, console.log),
  'database create': async (args) => {
    const { values } = parseArgs({
      args,
      options: { 'owner-url-file': { type: 'string' }, 'app-url-file': { type: 'string' } },
    });
    await createDatabaseFromFiles(values['owner-url-file'], values['app-url-file'], console.log);
  },
};

const args = process.argv.slice(2);
const name = args.slice(0, 2).join(' ') in commands ? args.slice(0, 2).join(' ') : (args[0] ?? '');
const command = commands[name];
if (!command) {
  console.error(help);
  process.exit(args.length === 0 || args[0] === 'help' || args[0] === '--help' ? 0 : 2);
}
await command(args.slice(name.split(' ').length)).catch((error: unknown) => {
  console.error(error instanceof z.ZodError ? z.prettifyError(error) : error instanceof Error ? error.message : error);
  process.exit(1);
});
