import { z } from 'zod';

export const Verdict = z
  .enum(['ok', 'slow', 'degraded', 'away'])
  .describe('`slow`: works, but slowly. `degraded`: needs attention. `away`: not responding.');
export type Verdict = z.infer<typeof Verdict>;

const Advice = z.object({
  name: z.string().describe('The matching heading in the on-call runbook.'),
  text: z.string().describe('What to do, in one or two sentences.'),
});

const Figure = z.object({
  label: z.string(),
  value: z.number().nullable().describe('null: could not be measured.'),
  max: z.number().nullable().describe('The upper limit, if there is one.'),
  unit: z.enum(['ms', 'seconds', 'bytes', 'days', 'count']),
});
export type Figure = z.infer<typeof Figure>;

export const PartHealth = z
  .object({
    name: z.enum(['postgres', 'valkey', 'restate', 'processes', 'relay', 'sweeper', 'mailer']),
    label: z.string(),
    verdict: Verdict,
    figures: z.array(Figure),
    advice: z.array(Advice).describe('Worst first.'),
  })
  .meta({ id: 'PartHealth' });
export type PartHealth = z.infer<typeof PartHealth>;

export const Queue = z
  .object({
    name: z.string(),
    label: z.string(),
    waiting: z.int(),
    isMore: z.boolean().describe('There may be more: counting stopped at this number.'),
    oldestSeconds: z.number().nullable().describe('How long the oldest entry has been due. null: the queue is empty.'),
    alarmSeconds: z.number(),
    verdict: Verdict,
    advice: z.array(Advice),
  })
  .meta({ id: 'Queue' });
export type Queue = z.infer<typeof Queue>;

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
  version: z.string().describe('Product version. More than one while a roll-out is under way.'),
  apiVersion: z.string(),
  startedAt: z.string(),
  masterKeys: z.array(z.string()).describe('Ids of its master keys. The first one encrypts.'),
});

export const System = z
  .object({
    checkedAt: z.date(),
    verdict: Verdict.describe('The worst of all components and queues.'),
    parts: z.array(PartHealth),
    queues: z.array(Queue).nullable().describe('Pending work by queue. null: could not be read in time.'),
    sweeps: z.array(Sweep).nullable().describe('What the sweeper had to recover. null: could not be read in time.'),
    processes: z
      .array(RunningProcess)
      .nullable()
      .describe('Processes seen in the last 30 seconds. null: Valkey is unavailable.'),
  })
  .meta({ id: 'System' });
export type System = z.infer<typeof System>;
