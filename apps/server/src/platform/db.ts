import { CamelCasePlugin, Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import { DatabaseError, Pool, type PoolClient } from 'pg';
import type { DB } from './db-types.ts';
import { type AppError, conflict, invalid, notFound, unavailable } from './errors.ts';

export type Db = Kysely<DB>;
export type Tx = Transaction<DB>;

/** snake_case in SQL, camelCase in code. Column names only: JSON inside a column is not renamed. */
const plugins = [new CamelCasePlugin({ maintainNestedObjectKeys: true })];

export function connect(url: string, { max = 10, connectMs = 5_000, queryMs = 30_000 } = {}): Db {
  const pool = new Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: connectMs,
    query_timeout: queryMs,
  });
  // A cut connection fails the query that meets it. As an event that nobody hears it would end the process as well.
  pool
    .on('error', () => {})
    .on('connect', (client) => {
      client.on('error', () => {});
      prepareFrequentStatements(client);
    });
  pool.on('release', (_error, client) => {
    if (!isBetweenTransactions(client)) void client.end().catch(() => {});
  });
  return new Kysely({ dialect: new PostgresDialect({ pool }), plugins });
}

/** How often each statement was asked for, and the name under which a server keeps its plan. */
const statements = new Map<string, { count: number; name: string }>();
const maxPrepared = 500;

/**
 * What is asked again and again is planned once for each connection: planning costs the database more than most of our
 * statements do. Not behind a pooler, which lends one connection to many: there the server is another than the one that
 * said hello.
 */
function prepareFrequentStatements(client: PoolClient) {
  type Query = (text: unknown, values?: unknown, done?: unknown) => unknown;
  const query = client.query.bind(client) as unknown as Query;
  let isDirect: boolean | undefined;
  const detectPooler = async () => {
    const { rows } = (await query('select pg_backend_pid() as pid')) as { rows: { pid: number }[] };
    isDirect = rows[0]?.pid === (client as PoolClient & { processID?: number }).processID;
  };
  /** Where names of tables lead at the moment: the same words mean another table in a pool, and another plan. */
  let searchPath = '';
  const prepared: Query = (text, values, done) => {
    if (typeof text !== 'string') return query(text, values, done);
    searchPath = searchPathAfter(text, values, searchPath);
    if (!Array.isArray(values) || values.length === 0) return query(text, values, done);
    const key = `${searchPath} ${text}`;
    let statement = statements.get(key);
    if (!statement && statements.size < maxPrepared)
      statements.set(key, (statement = { count: 0, name: `p${statements.size}` }));
    if (!statement || ++statement.count < 5 || !isDirect) {
      if (isDirect === undefined) {
        isDirect = false;
        void detectPooler().catch(() => {});
      }
      return query(text, values, done);
    }
    const result = query({ name: statement.name, text, values }, done);
    // A migration changed what it returns while we run: from here on this connection plans anew each time.
    if (result instanceof Promise) result.catch((error: DatabaseError) => (isDirect &&= error.code !== '0A000'));
    return result;
  };
  (client as { query: unknown }).query = prepared;
}

/** Settings are local to a transaction: each begins, and ends, in the schema of tenants. */
function searchPathAfter(text: string, values: unknown, searchPath: string): string {
  if (/^(begin|commit|rollback)\b/.test(text)) return /search_path = (\w+)/.exec(text)?.[1] ?? '';
  if (!text.includes("set_config('search_path'")) return searchPath;
  return Array.isArray(values) ? (values as unknown[]).filter((value) => typeof value === 'string').join(' ') : '';
}

/**
 * One transaction that begins as told: its first words and its settings go in one message, where a transaction and a
 * setting would be two. The settings are local to it, so a pooled connection forgets them, also behind PgBouncer in
 * transaction mode.
 */
export const transact = <T>(db: Db, opening: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.connection().execute(async (connection) => {
    await sql.raw(opening).execute(connection);
    try {
      const result = await work(connection as unknown as Tx);
      await sql.raw('commit').execute(connection);
      return result;
    } catch (error) {
      await sql
        .raw('rollback')
        .execute(connection)
        .catch(() => {}); // gone, or closed when it is handed back
      throw error;
    }
  });

/**
 * A query that took too long for us may still run there, with its transaction open: lent on, that connection would put
 * the next tenant's work into this one's transaction. So it is closed instead.
 */
function isBetweenTransactions(client: PoolClient): boolean {
  const { readyForQuery } = client as PoolClient & { readyForQuery?: boolean };
  return readyForQuery === true && client.getTransactionStatus() === 'I';
}

/**
 * What the database refuses, in the words of the caller. Constraint names say which: `bot_exists` becomes
 * 404 `bot_not_found`, also for another tenant's bot, and `workspace_name_taken` becomes 409.
 */
export function fromDatabaseError(error: unknown): AppError | undefined {
  if (!(error instanceof Error)) return undefined;
  if (isOutage(error)) {
    return unavailable('database_unavailable', 'The database is unavailable. Try again in a moment.', error);
  }
  if (!(error instanceof DatabaseError)) return undefined;
  if (dateOutOfRange.has(error.code ?? '')) {
    return invalid('value_out_of_range', [{ path: '/', message: 'The date is out of range.' }]);
  }
  if (!error.constraint) return undefined;
  const missing = error.code === '23503' && /^(\w+)_exists$/.exec(error.constraint)?.[1];
  if (missing) return notFound(missing);
  const taken = error.code === '23505' && /^(\w+)_taken$/.exec(error.constraint)?.[1];
  if (taken)
    return conflict(`${taken}_taken`, `This ${taken.replaceAll('_', ' ')} is already taken. Choose another one.`);
  return undefined;
}

/** A time that JavaScript can name and PostgreSQL cannot, such as the year 0. */
const dateOutOfRange = new Set(['22007', '22008']);

/** Shut down, starting, a standby, out of connections, too slow, in a knot with another, or gone in mid-query: later it works. */
function isOutage(error: Error & { code?: string }): boolean {
  const code = error.code ?? '';
  return (
    /^(57P0[1-3]|57014|25P03|25006|40P01|40001|08\w{3}|53\w{3}|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT)$/.test(code) ||
    /Connection terminated|timeout exceeded when trying to connect|Query read timeout|not queryable/.test(error.message)
  );
}
