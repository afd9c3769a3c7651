import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { AppError, conflict, invalid } from '../errors.ts';

/** An answer that is sent again as it was: its status and its bytes. */
export interface StoredResponse {
  status: number;
  body: string;
}

export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw invalid('invalid_idempotency_key', [
    { path: '/headers/idempotency-key', message: 'Use 1 to 255 printable ASCII characters.' },
  ]);
}

/** The same request, whatever the order of its fields: what the contract read, not the bytes that came. */
export const hashRequest = (operation: string, input: unknown) =>
  createHash('sha256').update(operation).update('\0').update(JSON.stringify(input)).digest();

/** Thrown out of the transaction, which has changed nothing: the answer is known already. */
export class Replay extends Error {
  readonly response: StoredResponse;

  constructor(response: StoredResponse) {
    super('answered before');
    this.response = response;
  }
}

export interface IdempotencyOptions {
  key: string;
  requestHash: Buffer;
  /** The answer as it is kept, or null when it showed a secret and must not be. */
  toStoredResponse: (result: unknown) => StoredResponse | null;
}

/**
 * Does the work once for each key. Because key, change and answer commit together, a request that failed or crashed
 * leaves no key behind, and one that succeeded cannot have been forgotten.
 */
export async function runOnce<T>(
  ctx: Context,
  { key, requestHash, toStoredResponse }: IdempotencyOptions,
  work: (ctx: Context) => Promise<T>,
): Promise<T> {
  const actorKey = `${ctx.actor.id} ${key}`; // a colleague's first response may hold what this caller must not see
  const first = await claimKey(ctx, actorKey, requestHash);
  if (first) throw new Replay(first);
  const result = await work(ctx);
  const stored = toStoredResponse(result);
  if (stored) await ctx.tx.updateTable('idempotencyKeys').set(stored).where('key', '=', actorKey).execute();
  return result;
}

async function claimKey({ tx }: Context, key: string, requestHash: Buffer): Promise<StoredResponse | null> {
  await sql`set local lock_timeout = '10s'`.execute(tx);
  await tx.deleteFrom('idempotencyKeys').where('createdAt', '<', dayAgo).execute();
  // A first request that is still running holds the row: this waits for it to commit or to fail.
  const claimed = await tx
    .insertInto('idempotencyKeys')
    .values({ key, requestHash })
    .onConflict((same) => same.columns(['tenantId', 'key']).doNothing())
    .returning('key')
    .executeTakeFirst()
    .catch((error: { code?: string }) => {
      throw error.code === '55P03'
        ? conflict(
            'request_in_progress',
            'The first request with this Idempotency-Key is still in progress. Try again in a moment.',
          )
        : error;
    });
  await sql`set local lock_timeout = 0`.execute(tx);
  if (claimed) return null;

  const first = await tx.selectFrom('idempotencyKeys').selectAll().where('key', '=', key).executeTakeFirstOrThrow();
  if (!first.requestHash.equals(requestHash)) {
    throw new AppError(
      'UNPROCESSABLE',
      'idempotency_key_reused',
      'This Idempotency-Key was already used with a different request. Use a new one.',
    );
  }
  if (first.status === null || first.body === null) {
    throw conflict(
      'secret_already_shown',
      'This request already succeeded. Its secret was returned once, in the first response, and is not stored.',
    );
  }
  return { status: first.status, body: first.body };
}

const dayAgo = sql<Date>`now() - interval '24 hours'`;
