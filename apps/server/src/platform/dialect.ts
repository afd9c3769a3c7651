import { PostgresDialect, PostgresDriver, type Dialect, type DatabaseConnection, type PostgresPool } from 'kysely';

type Options = Parameters<PostgresDriver['acquireConnection']>[0];

/**
 * Kysely drops the pool at the start of `destroy`, and fails with a connection that is opened after that, without releasing
 * it. The pool then waits for it forever. This driver waits for those connections first: the statements that need them run,
 * and release them.
 */
class Driver extends PostgresDriver {
  readonly #opening = new Set<Promise<DatabaseConnection>>();

  override async acquireConnection(options?: Options): Promise<DatabaseConnection> {
    const connection = super.acquireConnection(options);
    this.#opening.add(connection);
    try {
      return await connection;
    } finally {
      this.#opening.delete(connection);
    }
  }

  override async destroy(): Promise<void> {
    await Promise.allSettled(this.#opening);
    await super.destroy();
  }
}

export const postgresDialect = (pool: PostgresPool): Dialect =>
  Object.assign(new PostgresDialect({ pool }), { createDriver: () => new Driver({ pool }) });
