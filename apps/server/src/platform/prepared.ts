import type { Writable } from 'node:stream';
import {
  RawNode,
  SelectModifierNode,
  type Kysely,
  type KyselyPlugin,
  type PostgresPool,
  type PostgresPoolClient,
  type RootOperationNode,
} from 'kysely';
import type { ClientBase, DatabaseError, Pool, PoolClient } from 'pg';
import type { DB } from './db-types.ts';
import { secondsSince } from './metrics/histogram.ts';
import { watchPool } from './metrics/pool-metrics.ts';
import { statementDone, statementFailed } from './metrics/server-calls.ts';
import { RolledBack } from './pipeline.ts';

/**
 * Prepares the statement once per connection: `prepared(tx).selectFrom(…)` or `` sql`…`.execute(prepared(tx)) ``. For
 * statements that run with every message, delivery or key lookup, because planning costs more than executing most of
 * them. Not for the tables of a pool: under another search_path, the same text would need another plan.
 */
export const prepared = <T extends Kysely<DB>>(db: T): T => db.withPlugin(marking) as T;

/** Kysely passes nothing but the text to `pg`, so the text says it. */
const mark = '/* prepared */';
const marking: KyselyPlugin = {
  transformQuery: ({ node }) => marked(node),
  transformResult: ({ result }) => Promise.resolve(result),
};

function marked(node: RootOperationNode): RootOperationNode {
  switch (node.kind) {
    case 'RawNode': {
      const [first = '', ...rest] = node.sqlFragments;
      return { ...node, sqlFragments: [`${mark} ${first}`, ...rest] };
    }
    case 'SelectQueryNode': {
      const modifier = SelectModifierNode.createWithExpression(RawNode.createWithSql(mark));
      return { ...node, endModifiers: [...(node.endModifiers ?? []), modifier] };
    }
    case 'InsertQueryNode':
    case 'UpdateQueryNode':
    case 'DeleteQueryNode':
      return { ...node, endModifiers: [...(node.endModifiers ?? []), RawNode.createWithSql(mark)] };
    default:
      return node;
  }
}

/** The names of the statements. A text that depends on its input, such as a list of search terms, has several. */
const names = new Map<string, string>();
const maxNames = 500;

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= maxNames) return known;
  const name = `p${names.size}`;
  names.set(text, name);
  return name;
}

/** The connections of the pool as Kysely uses them, which send marked statements by name. */
export function withPreparedStatements(pool: Pool, label: string): PostgresPool {
  const clients = new WeakMap<PoolClient, PostgresPoolClient>();
  const watched = watchPool(pool, label);
  return {
    options: pool.options,
    connect: async () => {
      const startedAt = performance.now();
      const client = await pool.connect().catch((error: unknown) => {
        watched.failed(error);
        throw error;
      });
      watched.waited.observe(secondsSince(startedAt));
      const known = clients.get(client);
      if (known) return known;
      const preparing = preparingClient(client, await isDirect(client));
      clients.set(client, preparing);
      return preparing;
    },
    end: () => {
      watched.stop();
      return pool.end();
    },
  };
}

function preparingClient(client: PoolClient, isDirectConnection: boolean): PostgresPoolClient {
  let canPrepare = isDirectConnection;
  const query = async (text: string, values: readonly unknown[]) => {
    const name = canPrepare && text.includes(mark) ? nameOf(text) : undefined;
    const startedAt = performance.now();
    sendTogether(client);
    try {
      const result = await (name === undefined
        ? client.query(text, [...values])
        : client.query({ name, text, values: [...values] }));
      statementDone.observe(secondsSince(startedAt));
      if (text === 'commit' && result.command === 'ROLLBACK') throw new RolledBack();
      return result;
    } catch (error) {
      if (!(error instanceof RolledBack)) statementFailed(error).observe(secondsSince(startedAt));
      // A migration changed the result type ("cached plan must not change"): stop preparing on this connection.
      if (name !== undefined) canPrepare &&= (error as DatabaseError).code !== '0A000';
      throw error;
    }
  };
  return { query: query as unknown as PostgresPoolClient['query'], release: () => client.release() };
}

/** Statements that start without waiting for each other become one packet. */
function sendTogether(client: PoolClient) {
  const { stream } = (client as PoolClient & { connection: { stream: Writable } }).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** Behind a pooler such as PgBouncer, one client connection uses several server connections. */
export async function isDirect(client: ClientBase): Promise<boolean> {
  const { processID } = client as ClientBase & { processID?: number };
  const { rows } = await client
    .query<{ pid: number }>('select pg_backend_pid() as pid')
    .catch(() => ({ rows: [] as { pid: number }[] })); // a lost connection fails the query that needs it
  return rows[0]?.pid === processID && processID !== undefined;
}
