// `npm run capacity -- --messages 2000000`: the cells, machines and cost for your numbers, by the model of
// docs/operators/capacity.md.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readMeasured } from './measured.ts';
import { defaults, planFor, type Demand } from './model.ts';
import { costTable, cpuLine } from './page.ts';
import { examplePrices, type Prices } from './prices.ts';

const usage = `npm run capacity -- --messages N [options]

  --messages N      visitors' messages a day
  --deliveries N    webhook deliveries for each message (default: as in the load suite)
  --peak N          the busiest minutes against the average (default ${defaults.peakFactor})
  --utilization N   of the CPU in these minutes (default ${defaults.utilization})
  --retention N     days that conversations are kept (default ${defaults.retentionDays})
  --backups N       days that backups go back (default ${defaults.backupDays})
  --restore N       hours that a restore may take (default ${defaults.restoreHours})
  --one-machine     everything on one machine, without a standby
  --prices FILE     your prices, as JSON: see load/capacity/prices.ts`;

function main(): void {
  const { values } = parseArgs({
    options: {
      messages: { type: 'string' },
      deliveries: { type: 'string' },
      peak: { type: 'string' },
      utilization: { type: 'string' },
      retention: { type: 'string' },
      backups: { type: 'string' },
      restore: { type: 'string' },
      'one-machine': { type: 'boolean', default: false },
      prices: { type: 'string' },
    },
  });
  const numberOf = (text: string | undefined, otherwise: number): number => {
    const value = text === undefined ? otherwise : Number(text);
    if (!(value > 0)) throw new Error(usage);
    return value;
  };
  const measured = readMeasured();
  const demand: Demand = {
    messagesPerDay: numberOf(values.messages, Number.NaN),
    deliveriesPerMessage: numberOf(values.deliveries, measured.perMessage.deliveries),
    peakFactor: numberOf(values.peak, defaults.peakFactor),
    utilization: numberOf(values.utilization, defaults.utilization),
    retentionDays: numberOf(values.retention, defaults.retentionDays),
    backupDays: numberOf(values.backups, defaults.backupDays),
    restoreHours: numberOf(values.restore, defaults.restoreHours),
    diskFactor: defaults.diskFactor,
    isHighlyAvailable: !values['one-machine'],
  };
  const prices =
    values.prices === undefined ? examplePrices : (JSON.parse(readFileSync(values.prices, 'utf8')) as Prices);
  const name = `${demand.messagesPerDay.toLocaleString('en')} a day`;
  console.log(costTable([{ name, plan: planFor(measured, demand, prices) }]));
  console.log(`\nCPU for a message: ${cpuLine(measured, demand)}.\nPrices: ${prices.source}.`);
}

try {
  main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
