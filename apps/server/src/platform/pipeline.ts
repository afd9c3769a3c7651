import { CompiledQuery, PostgresDialect, Transaction, type DatabaseConnection, type QueryExecutor } from 'kysely';
import type { DB } from './db-types.ts';

/** A transaction of Kysely waits for each statement before it sends the next. This one does not. */
export function pipelinedTransaction(executor: QueryExecutor, connection: DatabaseConnection) {
  const { run, failed } = pipeline(connection);
  let isOver = false;
  const tx = transactionOn(executor, connection, (query) => (isOver ? Promise.reject(new TooLate()) : run(query)));
  const writes: Write[] = [];
  unawaited.set(tx, writes);
  const send = (text: string) => run(CompiledQuery.raw(text));
  const commit = async () => {
    isOver = true;
    // PostgreSQL doesn't know of a write that was never sent, such as one of a value that cannot be serialized: it would
    // commit the others. Such a write has failed by the end of the tick.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const error = failed() ?? writes.find((write) => write.error)?.error;
    if (error) throw error;
    await send('commit');
    await Promise.all(writes.map(({ promise }) => promise)); // all have ended, unless one was more than a statement
  };
  const rollback = () => {
    isOver = true;
    return send('rollback');
  };
  return { tx, send, commit, rollback };
}

interface Write {
  promise: Promise<unknown>;
  error?: Error;
}
const unawaited = new WeakMap<object, Write[]>();

/**
 * For one statement that writes, and whose result is not needed: `later(tx, insertEntry(tx, entry))`. It is sent with the
 * statements after it, and if it fails, so do they and the commit, with its error.
 */
export function later<T>(tx: Transaction<T>, promise: Promise<unknown>): void {
  const write: Write = { promise };
  const writes = unawaited.get(tx);
  if (!writes) throw new Error('no transaction that writes');
  writes.push(write);
  promise.catch((error: unknown) => {
    write.error = error as Error;
  });
}

/**
 * For reading. PostgreSQL shows each statement what was committed when it started, also inside a transaction (read
 * committed). So the commit is sent right behind the statements that start together, in the same round trip, and a
 * statement that starts later opens another transaction.
 */
export function readOnlyTransaction(executor: QueryExecutor, connection: DatabaseConnection, opening: string) {
  let current: Round | undefined;
  let lastCommit: Promise<unknown> = Promise.resolve();
  let isOver = false;

  const begin = (): Round => {
    const round = { run: pipeline(connection).run, isKept: false };
    // Before anything is sent: what is sent up to the end of the tick becomes one packet, and so the commit is part of it.
    process.nextTick(() => {
      if (!round.isKept) commit(round);
    });
    round.run(CompiledQuery.raw(opening)).catch(() => {}); // the statements behind it report its error
    return round;
  };
  const commit = (round: Round) => {
    if (round !== current) return;
    current = undefined;
    lastCommit = round.run(CompiledQuery.raw('commit')).catch(() => {}); // the statement that failed reports its error
  };

  const tx = transactionOn(executor, connection, (query) => {
    if (isOver) return Promise.reject(new TooLate());
    current ??= begin();
    current.isKept ||= changesSetting(query.sql);
    return current.run(query);
  });
  /** Resolves when nothing is outstanding, so that the connection can be released. */
  const end = () => {
    isOver = true;
    if (current) commit(current);
    return lastCommit;
  };
  return { tx, end };
}

interface Round {
  run: DatabaseConnection['executeQuery'];
  /** Open until the end. */
  isKept: boolean;
}

/** The setting ends with the transaction, so the statements that need it must be part of it. */
const changesSetting = (statement: string) => /\bset local\b|\bset_config\(/i.test(statement);

/**
 * After a statement failed, those that were sent behind it fail too: PostgreSQL rejects them, or the connection ends. They
 * report its error, which is the cause, and not theirs.
 */
function pipeline(connection: DatabaseConnection) {
  let firstError: Error | undefined;
  const run: DatabaseConnection['executeQuery'] = async (query) => {
    try {
      return await connection.executeQuery(query);
    } catch (error) {
      firstError ??= error as Error;
      throw firstError;
    }
  };
  return { run, failed: () => firstError };
}

function transactionOn(
  executor: QueryExecutor,
  connection: DatabaseConnection,
  executeQuery: DatabaseConnection['executeQuery'],
): Transaction<DB> {
  const own: DatabaseConnection = { executeQuery, streamQuery: connection.streamQuery.bind(connection) };
  return new Transaction<DB>({
    ...unused,
    executor: executor.withConnectionProvider({ provideConnection: (consumer) => consumer(own) }),
  });
}

/** One branch of a `Promise.all` may fail while another continues, and the connection may belong to another tenant by then. */
class TooLate extends Error {
  constructor() {
    super('a statement was started after the end of its transaction');
  }
}

/** PostgreSQL "commits" a transaction in which a statement failed by rolling it back, without an error. */
export class RolledBack extends Error {
  constructor() {
    super('the transaction was rolled back, because one of its statements failed');
  }
}

/** Kysely requires these of every instance; one with its own connection never uses them. */
const dialect = new PostgresDialect({ pool: () => Promise.reject(new Error('the transaction has a connection')) });
const unused = { dialect, config: { dialect }, driver: dialect.createDriver() };
