import type { Measured, ScaledPart } from './measured.ts';
import type { Machine, Prices } from './prices.ts';

/** What an operator knows or decides. */
export interface Demand {
  messagesPerDay: number;
  deliveriesPerMessage: number;
  /** The busiest minutes of the day against its average. */
  peakFactor: number;
  /** Share of the CPU that the busiest minutes may use: above it, waiting times grow fast. */
  utilization: number;
  /** Of conversations, as bots have it. */
  retentionDays: number;
  /** Days that backups go back: so many of WAL, and a full backup for each week of it. */
  backupDays: number;
  /** How long a restore of a cell may take. */
  restoreHours: number;
  /** Disk against the data on it: for vacuum, WAL, indexes that are built, and the growth until someone looks. */
  diskFactor: number;
  isHighlyAvailable: boolean;
}

export const defaults: Omit<Demand, 'messagesPerDay' | 'deliveriesPerMessage' | 'isHighlyAvailable'> = {
  peakFactor: 3,
  utilization: 0.6,
  retentionDays: 90,
  backupDays: 28,
  restoreHours: 4,
  diskFactor: 1.5,
};

/** Retention of the partitions of events and deliveries, and the day that is not over. */
const partitionDays = 31;
const hoursPerMonth = 730;
const daysPerMonth = 30.4;
const gb = 1e9;

/** CPU time for a message with this many deliveries. */
export function cpuMsOf(measured: Measured, deliveriesPerMessage: number, part: ScaledPart): number {
  const more = deliveriesPerMessage - measured.perMessage.deliveries;
  return Math.max(0, measured.cpuMsPerMessage[part] + more * (measured.cpuMsPerDelivery[part] ?? 0));
}

/** vCPUs that a part needs in the busiest minutes. */
const vcpusOf = (measured: Measured, demand: Demand, part: ScaledPart): number =>
  (peakPerSecond(demand) * cpuMsOf(measured, demand.deliveriesPerMessage, part)) / 1_000 / demand.utilization;

export const peakPerSecond = ({ messagesPerDay, peakFactor }: Pick<Demand, 'messagesPerDay' | 'peakFactor'>): number =>
  (messagesPerDay / 86_400) * peakFactor;

/** Bytes in PostgreSQL once the retention periods are over, without what is never deleted. */
export function storedBytes(measured: Measured, demand: Demand): number {
  const { bytesPerMessage, bytesPerDelivery } = measured;
  const { messagesPerDay, deliveriesPerMessage, retentionDays } = demand;
  const perDay = {
    conversations: messagesPerDay * bytesPerMessage.conversation,
    recent: messagesPerDay * (bytesPerMessage.events + deliveriesPerMessage * bytesPerDelivery.log),
  };
  return perDay.conversations * retentionDays + perDay.recent * partitionDays;
}

export const walBytesPerDay = (
  { bytesPerMessage, bytesPerDelivery }: Measured,
  { messagesPerDay, deliveriesPerMessage }: Pick<Demand, 'messagesPerDay' | 'deliveriesPerMessage'>,
): number => messagesPerDay * (bytesPerMessage.wal + deliveriesPerMessage * bytesPerDelivery.wal);

export interface Line {
  name: string;
  count: number;
  unit: string;
  month: number;
}

export interface Plan {
  demand: Demand;
  cells: number;
  /** Of each cell. */
  peak: { messages: number; deliveries: number; streams: number };
  storedBytes: number;
  walBytesPerDay: number;
  processes: { api: number; worker: number };
  vcpus: number;
  lines: Line[];
  month: number;
}

const smallest = (machines: readonly Machine[], vcpus: number): Machine | undefined =>
  machines.find((one) => one.vcpus >= vcpus);

/** The cells that a demand needs, and what they cost in a month. */
export function planFor(measured: Measured, demand: Demand, prices: Prices): Plan {
  const cells = demand.isHighlyAvailable ? cellsFor(measured, demand, prices) : 1;
  const own: Demand = { ...demand, messagesPerDay: demand.messagesPerDay / cells };
  const vcpus = (...parts: ScaledPart[]) => parts.reduce((sum, part) => sum + vcpusOf(measured, own, part), 0);
  const all = vcpus('API', 'worker', 'portal', 'PostgreSQL', 'Restate', 'Valkey');
  const stored = storedBytes(measured, own);
  const wal = walBytesPerDay(measured, own);
  const machines = demand.isHighlyAvailable
    ? machinesOfCell(
        { stateless: vcpus('API', 'worker', 'portal'), postgres: vcpus('PostgreSQL'), restate: vcpus('Restate') },
        prices,
      )
    : oneMachine(all, prices);
  const copies = demand.isHighlyAvailable ? 2 : 1;
  const diskGb = Math.max(20, Math.ceil((stored * demand.diskFactor) / gb)) * copies;
  const restateGb = demand.isHighlyAvailable ? 3 * restateDiskGb : 0;
  const backupGb = Math.ceil((stored * Math.ceil(demand.backupDays / 7) + wal * demand.backupDays) / gb);
  const { perMessage, bytesPerMessage, bytesPerDelivery } = measured;
  const trafficGb =
    (own.messagesPerDay *
      daysPerMonth *
      (bytesPerMessage.traffic + demand.deliveriesPerMessage * bytesPerDelivery.traffic)) /
    gb;
  const lines: Line[] = [
    ...machines,
    { name: 'SSD', count: diskGb + restateGb, unit: 'GB', month: (diskGb + restateGb) * prices.ssdGbMonth },
    { name: 'object storage for backups', count: backupGb, unit: 'GB', month: backupGb * prices.objectStorageGbMonth },
    { name: 'traffic to the internet', count: Math.ceil(trafficGb), unit: 'GB', month: trafficGb * prices.trafficGb },
  ];
  const messages = peakPerSecond(own);
  const perProcess = (part: 'API' | 'worker') =>
    Math.max(demand.isHighlyAvailable ? 2 : 1, Math.ceil(vcpusOf(measured, own, part)));
  return {
    demand,
    cells,
    peak: {
      messages,
      deliveries: messages * demand.deliveriesPerMessage,
      streams: messages * perMessage.openStreamSeconds,
    },
    storedBytes: stored,
    walBytesPerDay: wal,
    processes: { api: perProcess('API'), worker: perProcess('worker') },
    vcpus: all,
    lines,
    month: cells * lines.reduce((sum, { month }) => sum + month, 0),
  };
}

/** PostgreSQL is the part of a cell that can't be more than one machine: its CPU and the time of a restore decide. */
function cellsFor(measured: Measured, demand: Demand, prices: Prices): number {
  const largest = prices.databaseMachines.at(-1)?.vcpus ?? 1;
  const maxBytes = measured.restoreBytesPerSecond * demand.restoreHours * 3_600;
  return Math.max(
    1,
    Math.ceil(vcpusOf(measured, demand, 'PostgreSQL') / largest),
    Math.ceil(storedBytes(measured, demand) / maxBytes),
  );
}

/** For its log and state; the journals of ended invocations are deleted after a day. */
const restateDiskGb = 50;

function oneMachine(vcpus: number, { machines }: Prices): Line[] {
  const fits = smallest(machines, vcpus);
  if (!fits) throw new Error('one machine is too small for this');
  return [linesOf('everything', fits, 1)];
}

/** Every part survives the loss of one machine, and what is left carries the busiest minutes. */
function machinesOfCell(
  vcpus: { stateless: number; postgres: number; restate: number },
  { machines, databaseMachines }: Prices,
): Line[] {
  const database = smallest(databaseMachines, vcpus.postgres) ?? databaseMachines.at(-1);
  const [valkey] = machines;
  const node = smallest(machines, vcpus.restate / 2) ?? machines.at(-1);
  const worker = smallest(machines, vcpus.stateless) ?? machines.at(-1);
  if (!database || !valkey || !node || !worker) throw new Error('there are no machines');
  return [
    linesOf('PostgreSQL and its standby', database, 2),
    linesOf('Restate', node, Math.max(3, Math.ceil(vcpus.restate / node.vcpus) + 1)),
    linesOf('Valkey and its replica', valkey, 2),
    linesOf('API, workers and portals', worker, Math.ceil(vcpus.stateless / worker.vcpus) + 1),
  ];
}

const linesOf = (name: string, { name: type, hour }: Machine, count: number): Line => ({
  name,
  count,
  unit: `× ${type}`,
  month: count * hour * hoursPerMonth,
});

/** Messages a second that so many vCPUs carry at this utilization, with all parts on them. */
export function messagesPerSecond(
  measured: Measured,
  vcpus: number,
  deliveriesPerMessage: number,
  utilization: number,
) {
  const parts: ScaledPart[] = ['API', 'worker', 'portal', 'PostgreSQL', 'Restate', 'Valkey'];
  const ms = parts.reduce((sum, part) => sum + cpuMsOf(measured, deliveriesPerMessage, part), 0);
  return (vcpus * utilization * 1_000) / ms;
}
