import { expect, test } from 'vitest';
import type { Measured } from '../../../../load/capacity/measured.ts';
import { defaults, messagesPerSecond, planFor, storedBytes, type Demand } from '../../../../load/capacity/model.ts';
import type { Prices } from '../../../../load/capacity/prices.ts';

// With round numbers, so that the results can be calculated by hand.

const measured = {
  cpuMsPerMessage: { API: 10, worker: 12, portal: 2, PostgreSQL: 12, Restate: 6, Valkey: 0 },
  perMessage: { deliveries: 2, events: 2, openStreamSeconds: 10 },
  cpuMsPerDelivery: { worker: 1, PostgreSQL: 2 },
  bytesPerMessage: { conversation: 5_000, events: 2_000, left: 100, wal: 20_000, traffic: 4_000 },
  bytesPerDelivery: { log: 500, wal: 3_000, traffic: 2_000 },
  memoryMbPerStream: 0.1,
  restoreBytesPerSecond: 1e8,
} as unknown as Measured;

const prices: Prices = {
  source: 'a test',
  machines: [{ name: 'm', vcpus: 8, memoryGb: 32, hour: 1 }],
  databaseMachines: [
    { name: 'd8', vcpus: 8, memoryGb: 64, hour: 2 },
    { name: 'd32', vcpus: 32, memoryGb: 256, hour: 8 },
  ],
  ssdGbMonth: 0.1,
  objectStorageGbMonth: 0.01,
  trafficGb: 0.1,
};

const demand = (more: Partial<Demand>): Demand => ({
  ...defaults,
  messagesPerDay: 8_640_000, // 300 a second in the busiest minutes
  deliveriesPerMessage: 2,
  isHighlyAvailable: true,
  ...more,
});
const lineOf = (plan: ReturnType<typeof planFor>, name: string) => plan.lines.find((one) => one.name === name);

test('CPU: what a message costs in all parts, divided by how much of the cores may be used', () => {
  expect(messagesPerSecond(measured, 7, 2, 0.6)).toBeCloseTo(100); // 42 ms
  expect(messagesPerSecond(measured, 7, 5, 0.6)).toBeCloseTo(4_200 / 51); // three more deliveries: 9 ms
});

test('storage: conversations for their retention period, events and deliveries for 31 days', () => {
  const bytes = storedBytes(measured, demand({ messagesPerDay: 1e6 }));
  expect(bytes).toBe(1e6 * (5_000 * 90 + (2_000 + 2 * 500) * 31));
});

test('backups: a full one for each week, and the WAL of all days', () => {
  const plan = planFor(measured, demand({ messagesPerDay: 1e6, isHighlyAvailable: false }), prices);
  const [stored, wal] = [543_000e6, 26_000e6];
  expect(lineOf(plan, 'object storage for backups')?.count).toBe((stored * 4 + wal * 28) / 1e9);
});

test('a cell gets the smallest machines that carry its busiest minutes, and one more of each kind', () => {
  const plan = planFor(measured, demand({ retentionDays: 10 }), prices);
  expect(plan.cells).toBe(1);
  expect(plan.peak).toEqual({ messages: 300, deliveries: 600, streams: 3_000 });
  expect(lineOf(plan, 'PostgreSQL and its standby')).toMatchObject({ count: 2, unit: '× d8', month: 2 * 2 * 730 }); // 6 vCPUs
  expect(lineOf(plan, 'API, workers and portals')).toMatchObject({ count: 3 }); // 12 vCPUs on two, and one
  expect(plan.processes).toEqual({ api: 5, worker: 6 });
  expect(plan.month).toBeCloseTo(plan.lines.reduce((sum, { month }) => sum + month, 0));
});

test('another cell is needed when PostgreSQL outgrows its machine, or the time of a restore', () => {
  // 12 ms × 1,800 a second / 0.6 = 36 of 32 vCPUs
  expect(
    planFor(measured, demand({ messagesPerDay: 51_840_000, retentionDays: 1, restoreHours: 1_000 }), prices).cells,
  ).toBe(2);
  // 4.69 TB, of which 1.44 TB are restored in four hours
  expect(planFor(measured, demand({}), prices).cells).toBe(4);
  expect(planFor(measured, demand({ restoreHours: 40 }), prices).cells).toBe(1);
});

test('one machine carries everything, or the plan says that it is too small', () => {
  const plan = planFor(measured, demand({ messagesPerDay: 1e6, isHighlyAvailable: false }), prices);
  expect(plan.lines.map(({ name }) => name)).toEqual([
    'everything',
    'SSD',
    'object storage for backups',
    'traffic to the internet',
  ]);
  expect(() => planFor(measured, demand({ isHighlyAvailable: false }), prices)).toThrow('too small');
});
