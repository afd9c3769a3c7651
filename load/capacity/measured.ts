import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { storageFigures } from '../../bench/storage-figures.ts';
import { cpuMsPerMessage, type LoadRun } from '../summary.ts';

const root = resolve(import.meta.dirname, '../..');
const readJson = (file: string): unknown => JSON.parse(readFileSync(`${root}/${file}`, 'utf8'));

interface BenchRun {
  results: { name: string; value: number; note?: string }[];
}

/** A published figure of a benchmark. Fails if there is none of this name, so that the model can't use an old one. */
function resultOf(bench: string, name: string) {
  const { results } = readJson(`bench/results/${bench}.json`) as BenchRun;
  const found = results.find((one) => one.name === name);
  if (!found) throw new Error(`bench/results/${bench}.json has no figure “${name}”`);
  return found;
}
const figureOf = (bench: string, name: string): number => resultOf(bench, name).value;

/** Of one API process, for each of 2,000 idle streams. Its note says what it had before the first one. */
function memoryMbPerStream(): number {
  const { value, note = '' } = resultOf('chat', 'resident memory of one API process with 2,000 idle streams open');
  return (value - Number(/^(\d+) MB of them before/.exec(note)?.[1])) / 2_000;
}

export const scaledParts = ['API', 'worker', 'portal', 'PostgreSQL', 'Restate', 'Valkey'] as const;
export type ScaledPart = (typeof scaledParts)[number];

export interface Measured {
  /** Where the figures per message are from. */
  steady: LoadRun;
  /** CPU time for a message with everything that comes with it: its visit, its deliveries, its share of sign-ins and pages. */
  cpuMsPerMessage: Record<ScaledPart, number>;
  /** How many of each come with a message in that load. */
  perMessage: { deliveries: number; events: number; openStreamSeconds: number };
  /** CPU time for each delivery beyond those. */
  cpuMsPerDelivery: Partial<Record<ScaledPart, number>>;
  bytesPerMessage: {
    conversation: number;
    events: number;
    left: number;
    wal: number;
    traffic: number;
  };
  bytesPerDelivery: { log: number; wal: number; traffic: number };
  memoryMbPerStream: number;
  /** Messages or other transactions with an event that one tenant can have in a second. */
  eventsPerSecondOfTenant: number;
  restoreBytesPerSecond: number;
}

export function readMeasured(): Measured {
  const steady = readJson('load/results/steady.json') as LoadRun;
  const { totals, bytes, parts, options } = steady;
  const messages = totals['messages accepted'] ?? Number.NaN;
  const stored = (name: keyof typeof storageFigures) => figureOf('storage', storageFigures[name]);
  return {
    steady,
    cpuMsPerMessage: Object.fromEntries(
      scaledParts.map((name) => {
        const part = parts[name];
        if (!part) throw new Error(`load/results/steady.json has no ${name}`);
        return [name, cpuMsPerMessage(steady, part)];
      }),
    ) as Record<ScaledPart, number>,
    perMessage: {
      deliveries: (totals['deliveries'] ?? Number.NaN) / messages,
      events: (steady.events?.committed ?? Number.NaN) / messages,
      openStreamSeconds: steady.maxOpenStreams / options.size,
    },
    cpuMsPerDelivery: { worker: stored('deliveryWorker'), PostgreSQL: stored('deliveryPostgres') },
    bytesPerMessage: {
      conversation: stored('message') - stored('messageEvents') - stored('messageLeft'),
      events: stored('messageEvents'),
      left: stored('messageLeft'),
      wal: stored('messageWal'),
      traffic: (bytes.api + bytes.portal) / messages,
    },
    bytesPerDelivery: {
      log: stored('delivery'),
      wal: stored('deliveryWal'),
      traffic: bytes.deliveries / (totals['deliveries'] ?? Number.NaN),
    },
    memoryMbPerStream: memoryMbPerStream(),
    eventsPerSecondOfTenant: figureOf('position-lock', 'events of one tenant, 16 transactions at a time'),
    restoreBytesPerSecond: restoredBytes / restoreSeconds,
  };
}

/** `TEST_SIZE=full FAULT_SEED=1 npm test -- test/faults/restore`: docs/figures.md, “Recovery”. */
const restoredBytes = 5e9;
const restoreSeconds = 40;
