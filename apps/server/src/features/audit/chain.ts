import { createHash } from 'node:crypto';
import { firstId } from '../../platform/ids.ts';

// Makes tampering visible (docs/adr/0037-audit-chain.md): each entry contains the hash of the entry before it, and a signed
// head names the newest entry once a day. Rewriting the log unnoticed needs a forged signature too.

/** An audit entry as it is hashed: values as text from the database, so that no precision is lost. */
export interface ChainEntry {
  tenantId: string;
  sequence: number;
  id: string;
  eventId: string;
  action: string;
  subjectId: string;
  actorType: string;
  actorId: string;
  requestId: string | null;
  data: string;
  createdAtMicros: string;
  previousId: string | null;
  previousHash: Buffer;
  hash: Buffer;
}

/** The content of a signed head: the newest entry at the time of signing. */
export interface Head {
  sequence: number;
  entryId: string;
  hash: string;
  signedAt: Date;
}

/** The newest entry, as the database counts it. */
export interface ChainEnd {
  sequence: number;
  id: string;
  hash: Buffer;
}

export interface Problem {
  sequence: number;
  entryId: string;
  reason: string;
}

/** The same as `directory.audit_entry_hash`, computed here because an attacker could replace that function. */
export const hashOf = (entry: ChainEntry): Buffer =>
  createHash('sha256')
    .update(
      [
        'parley-audit-1',
        entry.tenantId,
        String(entry.sequence),
        entry.id,
        entry.eventId,
        entry.action,
        entry.subjectId,
        entry.actorType,
        entry.actorId,
        entry.requestId,
        entry.data,
        entry.createdAtMicros,
        entry.previousId,
        entry.previousHash.toString('hex'),
      ]
        .map((value) => (value === null ? '-,' : `${Buffer.byteLength(value)}:${value},`))
        .join(''),
    )
    .digest();

/** The same as in the database, where an attacker could change it. A test compares the two. */
export const retentionDays = 400;

/** Entries with a smaller id were dropped by retention, which drops whole months. */
export function oldestKeptId(now: Date): string {
  const oldest = new Date(now.getTime() - retentionDays * 86_400_000);
  return firstId('auditEntry', Date.UTC(oldest.getUTCFullYear(), oldest.getUTCMonth()));
}

/** A head is due after a day, and the worker has another day to sign it. */
const signedWithinMs = 2 * 86_400_000;

const timeOf = ({ createdAtMicros }: ChainEntry) => Number(createdAtMicros) / 1_000;

interface VerifierOptions {
  heads: readonly Head[];
  /** The first entry that must exist, unless retention dropped it. */
  firstSequence: number;
  now: Date;
  /** Entries older than two days must be covered by a signed head. False while signing. */
  mustBeSigned: boolean;
}

/** Finds the first entry that was changed. Entries are added in the order of their sequence. */
export function createChainVerifier({ heads, firstSequence, now, mustBeSigned }: VerifierOptions) {
  const headAt = new Map(heads.map((head) => [head.sequence, head]));
  const keptFrom = oldestKeptId(now);
  const warnings: string[] = [];
  let count = 0;
  let last: ChainEntry | undefined;
  /** The first entry that no head covers yet. */
  let unsigned: ChainEntry | undefined;
  let problem: Problem | undefined;

  const problemInChain = (entry: ChainEntry): string | undefined => {
    if (!hashOf(entry).equals(entry.hash)) return 'its content does not match its hash';
    const expected = last ? last.sequence + 1 : firstSequence;
    if (entry.sequence < expected)
      return last ? 'another entry has the same position in the chain' : 'it is not part of the chain';
    if (entry.sequence > expected) {
      if (entry.previousId !== null && entry.previousId < keptFrom) return undefined;
      return `entries ${expected} to ${entry.sequence - 1} are missing before it`;
    }
    if (last && (entry.previousId !== last.id || !entry.previousHash.equals(last.hash)))
      return 'it does not link to the previous entry';
    if (entry.sequence === 1 && (entry.previousId !== null || entry.previousHash.length > 0))
      return 'it is the first entry, but links to a previous one';
    return undefined;
  };
  const problemWithHead = (entry: ChainEntry) => {
    const head = headAt.get(entry.sequence);
    return head && (head.hash !== entry.hash.toString('hex') || head.entryId !== entry.id)
      ? 'it differs from the signed head'
      : undefined;
  };
  /** Warns about a late head: an attacker may have removed heads and let the worker sign a rewritten log. */
  const checkSigningTime = (entry: ChainEntry) => {
    unsigned ??= entry;
    const head = headAt.get(entry.sequence);
    if (!head) return;
    const lateMs = head.signedAt.getTime() - timeOf(unsigned);
    if (lateMs > signedWithinMs)
      warnings.push(
        `entries ${unsigned.sequence} to ${entry.sequence} were signed ${Math.floor(lateMs / 86_400_000)} days after the first of them was written`,
      );
    unsigned = undefined;
  };

  return {
    /** Returns false when it found a problem. */
    add(entry: ChainEntry): boolean {
      const reason = problemInChain(entry) ?? problemWithHead(entry);
      if (reason) problem = { sequence: entry.sequence, entryId: entry.id, reason };
      if (problem) return false;
      checkSigningTime(entry);
      last = entry;
      count += 1;
      return true;
    },
    /** Compares the entries with the end of the chain, as it was before the first entry was read and after the last. */
    finish({ endBefore, endAfter }: { endBefore: ChainEnd | undefined; endAfter: ChainEnd | undefined }) {
      const lastSequence = last?.sequence ?? 0;
      const missing = [
        ...heads.map(({ sequence, entryId }) => ({ sequence, id: entryId })),
        ...(endBefore ? [endBefore] : []),
      ]
        .filter(({ sequence, id }) => sequence > lastSequence && id >= keptFrom)
        .toSorted((a, b) => a.sequence - b.sequence)[0];
      if (!problem && missing)
        problem = {
          sequence: missing.sequence,
          entryId: missing.id,
          reason: `it is missing: the log ends at ${lastSequence}`,
        };
      if (!problem && last && endBefore?.sequence === last.sequence && !endBefore.hash.equals(last.hash))
        problem = { sequence: last.sequence, entryId: last.id, reason: 'it differs from the end of the chain' };
      if (!problem && last && last.sequence > (endAfter?.sequence ?? 0))
        problem = { sequence: last.sequence, entryId: last.id, reason: 'it comes after the end of the chain' };
      if (!problem && mustBeSigned && unsigned && now.getTime() - timeOf(unsigned) > signedWithinMs)
        problem = {
          sequence: unsigned.sequence,
          entryId: unsigned.id,
          reason: 'it is older than two days, but no signed head covers it; check that a worker is running',
        };
      return { count, last, warnings, problem };
    },
  };
}
