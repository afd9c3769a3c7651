import { parseArgs } from 'node:util';
import type { Fault } from './fault.ts';

export const usage = `npm run drill:alerts -- [options]

  --only NAME,NAME   only these faults, and the dashboards only with \`panels\`
  --silent MINUTES   no fault: steady load with the rules as they are, and nothing may fire
  --list             lists the faults
  --table            prints the table of the last result of each fault
  --built            does not build first`;

export interface DrillOptions {
  faults: readonly Fault[];
  hasPanels: boolean;
  silentMinutes: number | undefined;
  isList: boolean;
  isTable: boolean;
  isBuilt: boolean;
}

/** Throws with what is wrong. */
export function readOptions(args: readonly string[], all: readonly Fault[]): DrillOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      silent: { type: 'string' },
      list: { type: 'boolean', default: false },
      table: { type: 'boolean', default: false },
      built: { type: 'boolean', default: false },
    },
  });
  const names = values.only?.split(',') ?? [...all.map(({ name }) => name), 'panels'];
  const unknown = names.filter((name) => name !== 'panels' && !all.some((fault) => fault.name === name));
  if (unknown.length > 0) throw new Error(`There is no fault ${unknown.join(', ')}. See --list.`);
  const minutes = values.silent === undefined ? undefined : Number(values.silent);
  if (minutes !== undefined && !(minutes > 0)) throw new Error('--silent must be a number of minutes');
  return {
    faults: minutes === undefined ? all.filter(({ name }) => names.includes(name)) : [],
    hasPanels: minutes !== undefined || names.includes('panels'),
    silentMinutes: minutes,
    isList: values.list,
    isTable: values.table,
    isBuilt: values.built,
  };
}
