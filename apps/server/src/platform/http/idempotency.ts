import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { AppError, conflict, invalid } from '../errors.ts';

/** A response that can be replayed: its status and body. */
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

/** Hashes the parsed input, so that the order of fields does not matter. */
export const hashRequest = (operation: string, input: unknown) =>
  createHash('sha256').update(operation).update('\0').update(JSON.stringify(input)).digest();

/** Thrown to leave the transaction without changes when there is a stored response. */
export class Replay extends Error {
  readonly response: StoredResponse;

  constructor(response: StoredResponse) {
    super('stored response');
    this.response = response;
  }
}

export interface IdempotencyOptions {
  key: string;
  requestHash: Buffer;
  /** The response to store, or null if it contains a secret and must not be stored. */
  toStoredResponse: (result: unknown) => StoredResponse | null;
}

/**
 * Runs the work once per key. Key, change and response commit together: a failed or crashed request leaves no key, and
 * a successful one always leaves its response.
 */
export async function runOnce<T>(
  ctx: Context,
  { key, requestHash, toStoredResponse }: IdempotencyOptions,
  work: (ctx: Context) => Promise<T>,
): Promise<T> {
  const actorKey = `${ctx.actor.id} ${key}`; // another member's response may contain what this caller must not see
  const first = await claimKey(ctx, actorKey, requestHash);
  if (first) throw new Replay(first);
  const result = await work(ctx);
  const stored = toStoredResponse(result);
  if (stored) await storeResponse(ctx, actorKey, stored);
  return result;
}

/** What a visitor can have erased. Their responses must be found by these ids. */
const erasableIds = /\b(?:conv|msg)_[0-9a-z]{26}\b/g;

async function storeResponse({ tx }: Context, key: string, response: StoredResponse): Promise<void> {
  await tx.updateTable('idempotencyKeys').set(response).where('key', '=', key).execute();
  const subjectIds = new Set(response.body.match(erasableIds));
  if (subjectIds.size === 0) return;
  const references = [...subjectIds].map((subjectId) => ({ subjectId, key }));
  await tx.insertInto('idempotencyReferences').values(references).execute();
}

async function claimKey({ tx }: Context, key: string, requestHash: Buffer): Promise<StoredResponse | null> {
  await sql`set local lock_timeout = '10s'`.execute(tx);
  await tx.deleteFrom('idempotencyKeys').where('createdAt', '<', dayAgo).execute();
  // Waits for a first request that is still running to commit or roll back, because it locks the row.
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
