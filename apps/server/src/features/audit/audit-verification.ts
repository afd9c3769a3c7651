import type { JWK } from 'jose';
import { asSystem, inTenant, type Context, type Services } from '../../platform/context.ts';
import type { Id } from '../../platform/ids.contract.ts';
import * as store from './audit-chain.store.ts';
import { verifyHead } from './audit-heads.ts';
import { createChainVerifier, type ChainEntry, type Head, type Problem } from './chain.ts';

export interface Verification {
  tenantId: Id<'tenant'>;
  /** Verified entries. */
  count: number;
  lastHead: (Head & { kid: string }) | undefined;
  lastEntry: ChainEntry | undefined;
  warnings: string[];
  /** The first bad entry. */
  problem: Problem | undefined;
  isBeingErased: boolean;
}

/**
 * Verifies a tenant's chain against its signed heads: all of it, or the entries since the newest head. Each batch is a
 * separate transaction, so that a long log blocks nothing.
 */
export async function verifyTenant(
  services: Services,
  keys: readonly JWK[],
  tenantId: Id<'tenant'>,
  { now = new Date(), sinceHead = false, batchSize = 2_000 } = {},
): Promise<Verification> {
  const read = <T>(work: (ctx: Context) => Promise<T>) =>
    inTenant(services, asSystem(tenantId, 'audit-verify'), work, { readOnly: true });
  // Read before the entries, so that entries written in the meantime come after the end.
  const { endBefore, storedHeads, isBeingErased } = await read(async ({ tx }) => ({
    endBefore: await store.readChainEnd(tx),
    storedHeads: await store.readHeads(tx, ...(sinceHead ? [1] : [])),
    isBeingErased: await store.isBeingErased(tx),
  }));
  const empty = { tenantId, count: 0, lastEntry: undefined, warnings: [] };
  const heads: (Head & { kid: string })[] = [];
  for (const row of storedHeads) {
    const head = await verifyHead(keys, tenantId, row);
    if (head) heads.push(head);
    else {
      const [entry] = await read(({ tx }) => store.entriesAfter(tx, { sequence: row.sequence, id: '' }, 1));
      const entryId = entry?.sequence === row.sequence ? entry.id : 'missing';
      const problem = { sequence: row.sequence, entryId, reason: 'the signature of its head is invalid' };
      return { ...empty, lastHead: heads.at(-1), isBeingErased, problem };
    }
  }
  const firstSequence = sinceHead ? (heads.at(-1)?.sequence ?? 1) : 1;
  const verifier = createChainVerifier({ heads, firstSequence, now, mustBeSigned: !sinceHead });
  // A full verification starts before sequence 1, to find entries that were inserted there.
  let position: store.ChainPosition | undefined = sinceHead ? { sequence: firstSequence, id: '' } : undefined;
  for (let hasMore = true; hasMore;) {
    const entries = await read(({ tx }) => store.entriesAfter(tx, position, batchSize));
    hasMore = entries.every((entry) => verifier.add(entry)) && entries.length === batchSize;
    position = entries.at(-1);
  }
  const endAfter = await read(({ tx }) => store.readChainEnd(tx));
  const { count, last, warnings, problem } = verifier.finish({ endBefore, endAfter });
  return { tenantId, count, lastHead: heads.at(-1), lastEntry: last, warnings, problem, isBeingErased };
}
