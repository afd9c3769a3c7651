import { CompiledQuery, PostgresDialect, Transaction, type DatabaseConnection, type QueryExecutor } from 'kysely';
import type { DB } from './db-types.ts';

/** A transaction of Kysely waits for each statement before it sends the next. This one does not. */
export function pipelinedTransaction(executor: QueryExecutor, connection: DatabaseConnection) {
  let firstError: Error | undefined;
  let isOver = false;
  // After a statement failed, those that were sent behind it fail too: PostgreSQL rejects them, or the connection ends.
  // They report its error, which is the cause, and not theirs.
  const executeQuery: DatabaseConnection['executeQuery'] = async (query) => {
    try {
      return await connection.executeQuery(query);
    } catch (error) {
      firstError ??= error as Error;
      throw firstError;
    }
  };
  const own: DatabaseConnection = {
    // One branch of a `Promise.all` may fail while another continues: its next statement would run in someone else's transaction.
    executeQuery: (query) =>
      isOver ? Promise.reject(new Error('the transaction is over')) : executeQuery<never>(query),
    streamQuery: connection.streamQuery.bind(connection),
  };
  const tx = new Transaction<DB>({
    ...unused,
    executor: executor.withConnectionProvider({ provideConnection: (consumer) => consumer(own) }),
  });
  const send = (text: string) => executeQuery(CompiledQuery.raw(text));
  return {
    tx,
    begin: send,
    end: (text: 'commit' | 'rollback') => {
      isOver = true;
      return send(text);
    },
  };
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
