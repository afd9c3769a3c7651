import { CamelCasePlugin, Kysely, type Transaction } from 'kysely';
import { DatabaseError, Pool, type PoolClient } from 'pg';
import type { DB } from './db-types.ts';
import { postgresDialect } from './dialect.ts';
import { type AppError, conflict, invalid, notFound, unavailable } from './errors.ts';
import { pipelinedTransaction, readOnlyTransaction } from './pipeline.ts';
import { withPreparedStatements } from './prepared.ts';

export { later } from './pipeline.ts';

export type Db = Kysely<DB>;
export type Tx = Transaction<DB>;

/** snake_case in SQL, camelCase in code. Column names only: JSON inside a column is not renamed. */
const plugins = [new CamelCasePlugin({ maintainNestedObjectKeys: true })];

export function connect(url: string, { max = 10, connectMs = 5_000, queryMs = 30_000, label = 'main' } = {}): Db {
  const pool = new Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: connectMs,
    query_timeout: queryMs,
    pipeline: true, // a statement is sent without waiting for those before it: see `transact`
  });
  // A lost connection fails the query that uses it. Without these listeners, the error event would end the process.
  pool
    .on('error', () => {})
    .on('connect', (client) => {
      client.on('error', () => {});
    });
  pool.on('release', (_error, client) => {
    if (!isBetweenTransactions(client)) void client.end().catch(() => {});
  });
  return new Kysely({ dialect: postgresDialect(withPreparedStatements(pool, label)), plugins });
}

/**
 * Runs a transaction in as few round trips as its statements allow. `begin`, the local settings and the first statement
 * are sent together, and so are statements that `work` starts without waiting for the one before (`Promise.all`, `later`).
 * The settings end with the transaction, so they do not leak to the next user of the connection, also behind PgBouncer.
 */
export const transact = <T>(db: Db, opening: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.getExecutor().provideConnection(async (connection) => {
    const { tx, send, commit, rollback } = pipelinedTransaction(db.getExecutor(), connection);
    const opened = send(opening);
    opened.catch(() => {}); // see `Promise.all` below, and `pipelinedTransaction` for the statements after it
    try {
      const result = await work(tx);
      await Promise.all([opened, commit()]);
      return result;
    } catch (error) {
      await rollback().catch(() => {}); // the connection is lost, or is closed on release
      throw error;
    }
  });

/**
 * The same for reading, with one round trip fewer: statements that start together also travel with the commit, and a
 * statement after them starts another transaction (`readOnlyTransaction`).
 */
export const transactReadOnly = <T>(db: Db, opening: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.getExecutor().provideConnection(async (connection) => {
    const { tx, end } = readOnlyTransaction(db.getExecutor(), connection, opening);
    try {
      return await work(tx);
    } finally {
      await end();
    }
  });

/**
 * After a client-side query timeout, the query may still run in an open transaction. Reusing that connection would put
 * the next tenant's work into this transaction, so it is closed instead.
 */
function isBetweenTransactions(client: PoolClient): boolean {
  const { readyForQuery } = client as PoolClient & { readyForQuery?: boolean };
  return readyForQuery === true && client.getTransactionStatus() === 'I';
}

/**
 * Maps a database error to an API error by the name of the constraint: `bot_exists` becomes 404 `bot_not_found`, also
 * for another tenant's bot, and `workspace_name_taken` becomes 409.
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

/** Dates that JavaScript can represent and PostgreSQL cannot, such as the year 0. */
const dateOutOfRange = new Set(['22007', '22008']);

/** Temporary errors: shutdown, startup, standby, too many connections, timeout, deadlock or a lost connection. */
function isOutage(error: Error & { code?: string }): boolean {
  const code = error.code ?? '';
  return (
    /^(57P0[1-3]|57014|25P03|25006|40P01|40001|08\w{3}|53\w{3}|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT)$/.test(code) ||
    /Connection terminated|timeout exceeded when trying to connect|Query read timeout|not queryable/.test(error.message)
  );
}
