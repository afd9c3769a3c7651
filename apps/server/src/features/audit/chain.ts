import { createHash } from 'node:crypto';
import { firstId } from '../../platform/ids.ts';

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

/** The newest entry at the time of signing. */
export interface Head {
  sequence: number;
  entryId: string;
  hash: string;
  signedAt: Date;
}

export interface ChainEnd {
  sequence: number;
  id: string;
  hash: Buffer;
}

export interface Problem {
  sequence: number;
  entryId: string;
  what: string;
}

/** Same as `directory.audit_entry_hash`. Not called in the database, where an attacker could replace the function. */
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

/** Not read from the database, where an attacker could change it. A test compares the two. */
export const retentionDays = 400;

/** Entries with a smaller id were dropped by retention, which works in whole months. */
export function droppedBefore(now: Date): string {
  const oldest = new Date(now.getTime() - retentionDays * 86_400_000);
  return firstId('auditEntry', Date.UTC(oldest.getUTCFullYear(), oldest.getUTCMonth()));
}

/** A head is due after a day, and the worker has another day to sign it. */
const signedWithinMs = 2 * 86_400_000;

const timeOf = ({ createdAtMicros }: ChainEntry) => Number(createdAtMicros) / 1_000;

interface WalkOptions {
  heads: readonly Head[];
  /** The first entry that must exist, unless retention dropped it. */
  from: number;
  now: Date;
  /** Entries older than two days must be covered by a signed head. False while signing. */
  mustBeSigned: boolean;
}

/** Takes entries in order of sequence and finds the first one that was changed. */
export function walkChain({ heads, from, now, mustBeSigned }: WalkOptions) {
  const headAt = new Map(heads.map((head) => [head.sequence, head]));
  const dropped = droppedBefore(now);
  const warnings: string[] = [];
  let count = 0;
  let last: ChainEntry | undefined;
  /** The first entry not covered by a head. */
  let unsigned: ChainEntry | undefined;
  let problem: Problem | undefined;

  const problemOf = (entry: ChainEntry): string | undefined => {
    if (!hashOf(entry).equals(entry.hash)) return 'its content does not match its hash';
    const expected = last ? last.sequence + 1 : from;
    if (entry.sequence < expected)
      return last ? 'another entry has the same position in the chain' : 'it is not part of the chain';
    if (entry.sequence > expected) {
      if (entry.previousId !== null && entry.previousId < dropped) return undefined;
      return `entries ${expected} to ${entry.sequence - 1} are missing before it`;
    }
    if (last && (entry.previousId !== last.id || !entry.previousHash.equals(last.hash)))
      return 'it does not link to the previous entry';
    if (entry.sequence === 1 && (entry.previousId !== null || entry.previousHash.length > 0))
      return 'it is the first entry, but links to a previous one';
    return undefined;
  };
  const differsFromHead = (entry: ChainEntry) => {
    const head = headAt.get(entry.sequence);
    return head && (head.hash !== entry.hash.toString('hex') || head.entryId !== entry.id)
      ? 'it differs from the signed head'
      : undefined;
  };
  /** A late head can mean that an attacker removed heads and let the worker sign a rewritten log. */
  const noteSigning = (entry: ChainEntry) => {
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
      const what = problemOf(entry) ?? differsFromHead(entry);
      if (what) problem = { sequence: entry.sequence, entryId: entry.id, what };
      if (problem) return false;
      noteSigning(entry);
      [last, count] = [entry, count + 1];
      return true;
    },
    /** `end`: the end of the chain before the first entry was read. `endNow`: after the last. */
    end(end: ChainEnd | undefined, endNow: ChainEnd | undefined) {
      const after = last?.sequence ?? 0;
      const missing = [...heads.map(({ sequence, entryId }) => ({ sequence, id: entryId })), ...(end ? [end] : [])]
        .filter(({ sequence, id }) => sequence > after && id >= dropped)
        .toSorted((a, b) => a.sequence - b.sequence)[0];
      if (!problem && missing)
        problem = { sequence: missing.sequence, entryId: missing.id, what: `it is missing: the log ends at ${after}` };
      if (!problem && last && end?.sequence === last.sequence && !end.hash.equals(last.hash))
        problem = { sequence: last.sequence, entryId: last.id, what: 'it differs from the end of the chain' };
      if (!problem && last && last.sequence > (endNow?.sequence ?? 0))
        problem = { sequence: last.sequence, entryId: last.id, what: 'it comes after the end of the chain' };
      if (!problem && mustBeSigned && unsigned && now.getTime() - timeOf(unsigned) > signedWithinMs)
        problem = {
          sequence: unsigned.sequence,
          entryId: unsigned.id,
          what: 'it is older than two days, but no signed head covers it; check that a worker is running',
        };
      return { count, last, warnings, problem };
    },
  };
}
