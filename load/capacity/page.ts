import { commandOf, number, table } from '../report.ts';
import { scaledParts, type Measured, type ScaledPart } from './measured.ts';
import { cpuMsOf, defaults, messagesPerSecond, planFor, type Demand, type Plan } from './model.ts';
import type { Prices } from './prices.ts';

const usd = (value: number) => `$${number(value, value < 10 ? 2 : 0)}`;
const ms = (value: number) => `${number(value, value < 1 ? 2 : 1)} ms`;
const gb = (bytes: number) => {
  const value = bytes / 1e9;
  if (value < 0.1) return `${number(value * 1_000)} MB`;
  return value >= 1_000 ? `${number(value / 1_000, 1)} TB` : `${number(value, value < 10 ? 1 : 0)} GB`;
};

const scaling: Record<ScaledPart, string> = {
  API: 'more processes, a core each',
  worker: 'more processes, a core each; for deliveries at most as many as `WEBHOOK_LANES`',
  portal: 'more processes, a core each',
  PostgreSQL: 'a larger machine: one primary writes everything of a cell',
  Restate: 'more cores, then more nodes',
  Valkey: 'not needed',
};

const examples = [
  { name: '100,000 a day, one machine', messagesPerDay: 1e5, isHighlyAvailable: false },
  { name: '100,000 a day, highly available', messagesPerDay: 1e5, isHighlyAvailable: true },
  { name: '10 million a day', messagesPerDay: 1e7, isHighlyAvailable: true },
  { name: '1 billion a day', messagesPerDay: 1e9, isHighlyAvailable: true },
];

/** The generated part of docs/operators/capacity.md. */
export function capacityTables(measured: Measured, prices: Prices): string {
  const { steady, perMessage } = measured;
  const { utilization, peakFactor } = defaults;
  const share = `${100 * utilization} %`;
  return [
    '### CPU',
    `Per visitor’s message, with everything that came with it: its share of the visit, ${number(perMessage.deliveries, 1)} deliveries, an event stream, sign-ins, portal pages and reads of the API. Measured by \`${commandOf(steady)}\` on ${steady.date} (${steady.machine}); at ${share} of a core, which leaves room for the seconds that are busier than their minute.`,
    table(
      ['Part', 'CPU for a message', `Messages a second, with ${share} of a core`, 'It grows with'],
      scaledParts.map((part) => [
        part,
        ms(measured.cpuMsPerMessage[part]),
        number((utilization * 1_000) / measured.cpuMsPerMessage[part], 0),
        scaling[part],
      ]),
    ),
    `Each further delivery took ${ms(measured.cpuMsPerDelivery.worker ?? 0)} in the worker and ${ms(measured.cpuMsPerDelivery.PostgreSQL ?? 0)} in PostgreSQL, measured with a long queue (\`npm run bench -- storage\`). Single ones cost more: up to 2.5 ms together ([figures](../figures.md#webhooks-to-many-endpoints)).`,
    '### Cells by size',
    `Calculated from it, for all parts together, in the busiest minutes; a day has that many messages if they are ${peakFactor} times its average. Only the first row is near what was measured: larger cells have more processes on more machines, and then a message costs somewhat more (\`npm run bench -- scale\`).`,
    table(
      ['vCPUs', 'Messages a second', 'Deliveries a second', 'Open streams', 'Memory for them', 'Messages a day'],
      [2, 8, 32, 96].map((vcpus) => {
        const messages = messagesPerSecond(measured, vcpus, perMessage.deliveries, utilization);
        const streams = messages * perMessage.openStreamSeconds;
        return [
          String(vcpus),
          number(messages, 0),
          number(messages * perMessage.deliveries, 0),
          number(streams, 0),
          `${number(streams * measured.memoryMbPerStream, 0)} MB`,
          `${number((messages / peakFactor) * 86_400 * 1e-6, 1)} million`,
        ];
      }),
    ),
    '### Limits of a cell',
    limitsOf(measured, prices),
    '### Storage',
    `Measured by \`npm run bench -- storage\`, which sends real messages through the API and deliveries through the worker, and divides what everything grew by.`,
    storageTable(measured),
    '### Cost',
    `A month in US dollars, in the order of magnitude. Prices: ${prices.source}. The busiest minutes have ${peakFactor} times the average and use ${share} of the CPU; conversations are kept ${defaults.retentionDays} days; backups go back ${defaults.backupDays} days, with a full one each week, and count without compression, so they are smaller in reality; disks are ${defaults.diskFactor} times the data; a restore takes at most ${defaults.restoreHours} hours. Not included: models, emails, a CDN for the widget’s files, load balancers, traffic between zones, monitoring, support.`,
    costTable(
      examples.map(({ name, ...demand }) => ({
        name,
        plan: planFor(measured, { ...defaults, deliveriesPerMessage: perMessage.deliveries, ...demand }, prices),
      })),
    ),
  ].join('\n\n');
}

function limitsOf(measured: Measured, { databaseMachines }: Prices): string {
  const { perMessage, eventsPerSecondOfTenant, restoreBytesPerSecond } = measured;
  const vcpus = databaseMachines.at(-1)?.vcpus ?? 0;
  const { utilization, restoreHours, peakFactor } = defaults;
  const ofDatabase = (vcpus * utilization * 1_000) / measured.cpuMsPerMessage.PostgreSQL;
  return [
    `- PostgreSQL with ${vcpus} vCPUs: ${number(ofDatabase)} messages a second, ${number(((ofDatabase / peakFactor) * 86_400) / 1e6)} million a day. Not measured at that size: locks and the disk may be a limit before.`,
    `- A restore within ${restoreHours} hours: ${gb(restoreBytesPerSecond * restoreHours * 3_600)}, at the ${number(restoreBytesPerSecond / 1e6)} MB a second of the last measured one ([figures](../figures.md#recovery)), on two busy cores. Measure your own.`,
    `- One tenant: a message has ${number(perMessage.events, 1)} events, so ${number(eventsPerSecondOfTenant / perMessage.events)} messages a second.`,
  ].join('\n');
}

function storageTable({ bytesPerMessage, bytesPerDelivery }: Measured): string {
  const perMillion = (bytes: number) => gb(bytes * 1e6);
  return table(
    ['For a million', 'Size', 'Until'],
    [
      [
        'messages with their replies: conversations, log, search index',
        perMillion(bytesPerMessage.conversation),
        'the bot’s `retentionDays` are over: rows are deleted, their space is used again',
      ],
      [
        'their events',
        perMillion(bytesPerMessage.events),
        '30 days: the partition is dropped, the disk gets its space back',
      ],
      ['what is left of them', perMillion(bytesPerMessage.left), 'visitors and contacts are erased'],
      ['deliveries', perMillion(bytesPerDelivery.log), '30 days: the partition is dropped'],
      ['messages: WAL', perMillion(bytesPerMessage.wal), 'archived; backups keep it as long as you decide'],
      ['deliveries: WAL, without their events', perMillion(bytesPerDelivery.wal), 'the same'],
      ['messages: traffic to visitors, staff and backends', perMillion(bytesPerMessage.traffic), ''],
      ['deliveries: traffic to endpoints', perMillion(bytesPerDelivery.traffic), ''],
    ],
  );
}

export function costTable(plans: readonly { name: string; plan: Plan }[]): string {
  const names = [...new Set(plans.flatMap(({ plan }) => plan.lines.map(({ name }) => name)))];
  const row = (name: string, cell: (plan: Plan) => string) => [name, ...plans.map(({ plan }) => cell(plan))];
  return table(
    ['', ...plans.map(({ name }) => name)],
    [
      row('Cells', ({ cells }) => number(cells)),
      row('In the busiest minutes, each: messages a second', ({ peak }) => number(peak.messages, 1)),
      row('… deliveries a second', ({ peak }) => number(peak.deliveries, 1)),
      row('… open streams', ({ peak }) => number(peak.streams)),
      row('… vCPUs for that', ({ vcpus }) => number(vcpus, 1)),
      row('API processes and workers, each at least', ({ processes }) => `${processes.api} and ${processes.worker}`),
      row('In PostgreSQL', ({ storedBytes }) => gb(storedBytes)),
      row('WAL a day', ({ walBytesPerDay }) => gb(walBytesPerDay)),
      ...names.map((name) =>
        row(name, ({ lines }) => {
          const line = lines.find((one) => one.name === name);
          return line ? `${number(line.count)} ${line.unit}: ${usd(line.month)}` : '–';
        }),
      ),
      row('**A month**', ({ month }) => `**${usd(month)}**`),
      row('A million messages', ({ month, demand }) => usd(month / ((demand.messagesPerDay * 30.4) / 1e6))),
    ],
  );
}

/** For the command line: the same for one demand. */
export const cpuLine = (measured: Measured, { deliveriesPerMessage }: Demand): string =>
  scaledParts.map((part) => `${part} ${ms(cpuMsOf(measured, deliveriesPerMessage, part))}`).join(', ');
