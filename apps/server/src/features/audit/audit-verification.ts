import type { JWK } from 'jose';
import { asSystem, inTenant, type Context, type Services } from '../../platform/context.ts';
import type { Id } from '../../platform/ids.contract.ts';
import * as store from './audit-chain.store.ts';
import { openHead } from './audit-heads.ts';
import { walkChain, type ChainEntry, type Head, type Problem } from './chain.ts';

export interface Verification {
  tenantId: Id<'tenant'>;
  /** Entries that are as they were written. */
  count: number;
  lastHead: (Head & { kid: string }) | undefined;
  lastEntry: ChainEntry | undefined;
  warnings: string[];
  /** The first bad entry. */
  problem: Problem | undefined;
  isBeingErased: boolean;
}

/**
 * Verifies a tenant's chain against its signed heads: all of it, or what was written since the newest head. Each batch is
 * a transaction of its own, so that nothing waits for a long log.
 */
export async function verifyTenant(
  services: Services,
  keys: readonly JWK[],
  tenantId: Id<'tenant'>,
  { now = new Date(), sinceHead = false, batch = 2_000 } = {},
): Promise<Verification> {
  const read = <T>(work: (ctx: Context) => Promise<T>) =>
    inTenant(services, asSystem(tenantId, 'audit-verify'), work, { readOnly: true });
  // The end and the heads first: what is written meanwhile only comes after them.
  const { end, kept, isBeingErased } = await read(async ({ tx }) => ({
    end: await store.readEnd(tx),
    kept: await store.readHeads(tx, ...(sinceHead ? [1] : [])),
    isBeingErased: await store.isBeingErased(tx),
  }));
  const nothing = { tenantId, count: 0, lastEntry: undefined, warnings: [] };
  const heads: (Head & { kid: string })[] = [];
  for (const row of kept) {
    const head = await openHead(keys, tenantId, row);
    if (head) heads.push(head);
    else {
      const [entry] = await read(({ tx }) => store.entriesAfter(tx, { sequence: row.sequence, id: '' }, 1));
      const entryId = entry?.sequence === row.sequence ? entry.id : 'which is missing';
      const problem = { sequence: row.sequence, entryId, what: 'the signature of its head is invalid' };
      return { ...nothing, lastHead: heads.at(-1), isBeingErased, problem };
    }
  }
  const from = sinceHead ? (heads.at(-1)?.sequence ?? 1) : 1;
  const walk = walkChain({ heads, from, now, mustBeSigned: !sinceHead });
  // All of it begins before the first entry: what somebody put there is not part of the chain.
  let place: store.Place | undefined = sinceHead ? { sequence: from, id: '' } : undefined;
  for (let isGoingOn = true; isGoingOn;) {
    const entries = await read(({ tx }) => store.entriesAfter(tx, place, batch));
    isGoingOn = entries.every((entry) => walk.add(entry)) && entries.length === batch;
    place = entries.at(-1);
  }
  const { count, last, warnings, problem } = walk.end(end, await read(({ tx }) => store.readEnd(tx)));
  return { tenantId, count, lastHead: heads.at(-1), lastEntry: last, warnings, problem, isBeingErased };
}
