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
export function withPreparedStatements(pool: Pool): PostgresPool {
  const clients = new WeakMap<PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    connect: async () => {
      const client = await pool.connect();
      const known = clients.get(client);
      if (known) return known;
      const preparing = preparingClient(client, await isDirect(client));
      clients.set(client, preparing);
      return preparing;
    },
    end: () => pool.end(),
  };
}

function preparingClient(client: PoolClient, isDirectConnection: boolean): PostgresPoolClient {
  let canPrepare = isDirectConnection;
  const query = async (text: string, values: readonly unknown[]) => {
    const name = canPrepare && text.includes(mark) ? nameOf(text) : undefined;
    sendTogether(client);
    if (name === undefined) {
      const result = await client.query(text, [...values]);
      if (text === 'commit' && result.command === 'ROLLBACK') throw new RolledBack();
      return result;
    }
    try {
      return await client.query({ name, text, values: [...values] });
    } catch (error) {
      // A migration changed the result type ("cached plan must not change"): stop preparing on this connection.
      canPrepare &&= (error as DatabaseError).code !== '0A000';
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
