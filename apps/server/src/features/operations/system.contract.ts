import { z } from 'zod';

export const Verdict = z
  .enum(['ok', 'slow', 'degraded', 'away'])
  .describe('`slow`: works, and takes its time. `degraded`: somebody must look. `away`: does not answer.');
export type Verdict = z.infer<typeof Verdict>;

const Advice = z.object({
  name: z.string().describe('The heading in the runbook “When the pager rings” that says more.'),
  text: z.string().describe('What to do, in a sentence or two.'),
});

const Figure = z.object({
  label: z.string(),
  value: z.number().nullable().describe('null: could not be measured.'),
  most: z.number().nullable().describe('What it may be at the most, where there is such a limit.'),
  unit: z.enum(['ms', 'seconds', 'bytes', 'days', 'count']),
});
export type Figure = z.infer<typeof Figure>;

export const PartHealth = z
  .object({
    name: z.enum(['postgres', 'valkey', 'restate', 'processes', 'relay', 'sweeper', 'postman']),
    label: z.string(),
    verdict: Verdict,
    figures: z.array(Figure),
    advice: z.array(Advice).describe('Worst first.'),
  })
  .meta({ id: 'PartHealth' });
export type PartHealth = z.infer<typeof PartHealth>;

export const Lane = z
  .object({
    name: z.string(),
    label: z.string(),
    waiting: z.int(),
    isMore: z.boolean().describe('There are at least so many; nobody counted further.'),
    oldestSeconds: z.number().nullable().describe('How long the oldest has been due; null when nothing waits.'),
    alarmSeconds: z.number(),
    verdict: Verdict,
    advice: z.array(Advice),
  })
  .meta({ id: 'Lane' });
export type Lane = z.infer<typeof Lane>;

const Sweep = z.object({
  kind: z.string(),
  label: z.string(),
  lastHour: z.int(),
  lastDay: z.int(),
  lastAt: z.date(),
});
export type Sweep = z.infer<typeof Sweep>;

const RunningProcess = z.object({
  id: z.string(),
  role: z.enum(['api', 'worker']),
  host: z.string(),
  pid: z.int(),
  version: z.string(),
  startedAt: z.string(),
  masterKeys: z.array(z.string()).describe('Ids of the master keys it knows; the first one seals.'),
});

export const System = z
  .object({
    checkedAt: z.date(),
    verdict: Verdict.describe('The worst of all parts and lanes.'),
    parts: z.array(PartHealth),
    lanes: z.array(Lane).nullable().describe('What waits, oldest first within each. null: could not be read in time.'),
    sweeps: z.array(Sweep).nullable().describe('What the sweeper had to step in for. null: could not be read in time.'),
    processes: z.array(RunningProcess).nullable().describe('Heard of within half a minute. null: Valkey is away.'),
  })
  .meta({ id: 'System' });
export type System = z.infer<typeof System>;
