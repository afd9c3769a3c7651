import { unitMs } from '../../../../platform/invocation-limits.ts';

/** Limits for one document. Documents are untrusted input. */
export const limits = {
  bytes: 25 * 1024 * 1024,
  characters: 200_000,
  pages: 300,
  entries: 65_535,
  unpackedBytes: 64 * 1024 * 1024,
  depth: 1_000,
  ms: unitMs,
  heapMegabytes: 256,
};
