import { sql } from 'kysely';
import { Client } from 'pg';
import { planMigrations } from '../migrate.ts';
import { transact, type Db } from '../platform/db.ts';
import { isDirect } from '../platform/prepared.ts';
import { bypassesRowLevelSecurity } from '../platform/row-level-security.ts';
import { defineFindings, reasonOf, type CheckContext, type Finding } from './finding.ts';

const { types, report } = defineFindings({
  'database.unreachable': {
    level: 'error',
    cause: 'PostgreSQL does not respond at the host and port in DATABASE_URL.',
    fix: 'Start PostgreSQL, or correct host and port in DATABASE_URL. Check that a firewall lets this machine connect.',
  },
  'database.login': {
    level: 'error',
    cause: 'PostgreSQL or PgBouncer rejects the role, the password or the name of the database in DATABASE_URL.',
    fix: 'Correct role, password and database in DATABASE_URL, and check pg_hba.conf.',
  },
  'database.version': {
    level: 'error',
    cause: 'PostgreSQL is older than version 15.',
    fix: 'Upgrade PostgreSQL.',
  },
  'database.role': {
    level: 'error',
    cause:
      'The role in DATABASE_URL is a superuser, bypasses row-level security or owns tables, so that tenants are not isolated.',
    fix: 'Connect as parley_app, which apps/server/db/roles.sql creates.',
  },
  'database.role_grants': {
    level: 'error',
    cause: 'The role in DATABASE_URL is not a member of the roles that the server switches to.',
    fix: 'Run apps/server/db/roles.sql as a superuser, and connect as parley_app.',
  },
  'database.migrations': {
    level: 'error',
    cause: 'The schema of the database is older than this version of the server.',
    fix: 'Run `parley-server migrate` as parley_owner.',
  },
  'database.row_level_security': {
    level: 'error',
    cause: 'Row-level security is not forced on a table of tenants.',
    fix: 'As parley_owner, run `alter table … enable row level security` and `alter table … force row level security`, and find out who changed it.',
  },
  'database.timeouts': {
    level: 'warning',
    cause:
      'The role in DATABASE_URL has no statement timeout, so that one slow query can keep a connection and its locks.',
    fix: 'Run apps/server/db/roles.sql as a superuser. It is safe to run again.',
  },
  'database.connections': {
    level: 'error',
    cause: 'PostgreSQL does not accept enough connections for one API and one worker.',
    fix: 'Raise max_connections or the connection limit of the role, lower DATABASE_POOL_SIZE, or use PgBouncer.',
  },
  'database.pooling': {
    level: 'error',
    cause: 'PgBouncer pools single statements, so that transactions do not work.',
    fix: 'Set `pool_mode = transaction` in PgBouncer.',
  },
});
export const databaseFindings = types;
const settings = ['DATABASE_URL'];

export async function checkDatabase({ config, db, requirements, timeoutMs }: CheckContext): Promise<Finding[]> {
  const server = await readServer(db).catch((error: unknown) => connectionFinding(error, config.DATABASE_URL));
  if ('id' in server) return [server];
  const { version, role, missingRoles } = server;
  if (Number.parseInt(version, 10) < requirements.postgres)
    return [report('database.version', settings, `PostgreSQL ${version} is too old.`)];
  if (await bypassesRowLevelSecurity(db))
    return [report('database.role', settings, `The role ${role} bypasses row-level security.`)];
  if (missingRoles.length > 0)
    return [
      report('database.role_grants', settings, `The role ${role} is not a member of ${missingRoles.join(', ')}.`),
    ];
  const migrations = await checkMigrations(db);
  if (migrations.length > 0) return migrations;
  return [
    ...(await unprotectedTables(db)).map((table) =>
      report('database.row_level_security', settings, `Row-level security is not forced on the table ${table}.`),
    ),
    ...(server.hasTimeout ? [] : [report('database.timeouts', settings, `The role ${role} has no statement timeout.`)]),
    ...(await checkConnections(server, config, timeoutMs)),
  ];
}

interface Server {
  version: string;
  role: string;
  missingRoles: string[];
  hasTimeout: boolean;
  connectionLimit: number;
}

const neededRoles = [
  'parley_customer_pool',
  'parley_admin_pool',
  'parley_operator',
  'parley_bound',
  'parley_dispatcher',
];

/** What every role may read. In a transaction, which a pool of single statements rejects. */
const readServer = (db: Db): Promise<Server> =>
  transact(db, 'begin read only', async (tx) => {
    const { rows } = await sql<Server>`
      select current_setting('server_version') as version, current_user as role,
        array(select name from unnest(${neededRoles}::text[]) name where not exists (
          select from pg_roles where rolname = name and pg_has_role(current_user, oid, 'member'))) as missing_roles,
        current_setting('statement_timeout') <> '0' as has_timeout,
        (select min(n) from (
          select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as n
          union all select rolconnlimit from pg_roles where rolname = current_user and rolconnlimit >= 0
          union all select datconnlimit from pg_database where datname = current_database() and datconnlimit >= 0
        ) limits) as connection_limit`.execute(tx);
    const [server] = rows;
    if (!server) throw new Error('PostgreSQL returned no rows');
    return server;
  });

/** Needs the privileges of parley_app. Tables of extensions belong to no tenant. */
async function unprotectedTables(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname::text as name from pg_class c
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and not (relrowsecurity and relforcerowsecurity)
      and not exists (select from pg_depend where objid = c.oid and deptype = 'e') order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

function connectionFinding(error: unknown, url: string): Finding {
  const { host } = new URL(url);
  const { code = '', message } = error as Error & { code?: string };
  if (message.includes('statement pooling'))
    return report('database.pooling', settings, 'PgBouncer pools single statements.');
  // Class 28: authentication; 3D000: no such database; 08P01: how PgBouncer reports both.
  if (/^(28\w{3}|3D000|42704|08P01)$/.test(code))
    return report('database.login', settings, `PostgreSQL at ${host} rejects the connection (${code}).`);
  return report('database.unreachable', settings, `PostgreSQL does not respond at ${host} (${reasonOf(error)}).`);
}

async function checkMigrations(db: Db): Promise<Finding[]> {
  try {
    const pending = await planMigrations(db);
    if (pending.length === 0) return [];
    const names = pending.map(({ name }) => name).join(', ');
    return [report('database.migrations', settings, `Migrations have not been applied: ${names}.`)];
  } catch (error) {
    // Before a version of `migrate` that lets the server read the list, or a file that was changed after it was applied.
    return [report('database.migrations', settings, `The applied migrations do not fit: ${(error as Error).message}.`)];
  }
}

/** One API and one worker, which is the smallest deployment. PgBouncer limits its own connections to PostgreSQL. */
async function checkConnections(
  { connectionLimit }: Server,
  { DATABASE_POOL_SIZE: poolSize, DATABASE_URL: url }: CheckContext['config'],
  timeoutMs: number,
): Promise<Finding[]> {
  const needed = 2 * poolSize + 1; // for the lease of the worker's delivery lanes
  if (connectionLimit >= needed || !(await isDirectTo(url, timeoutMs))) return [];
  const message = `PostgreSQL accepts ${connectionLimit} connections, but an API and a worker with DATABASE_POOL_SIZE=${poolSize} use ${needed}.`;
  return [report('database.connections', ['DATABASE_POOL_SIZE'], message)];
}

async function isDirectTo(connectionString: string, timeoutMs: number): Promise<boolean> {
  const client = new Client({ connectionString, connectionTimeoutMillis: timeoutMs });
  await client.connect();
  try {
    return await isDirect(client);
  } finally {
    await client.end();
  }
}
