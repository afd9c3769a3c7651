import { defineFindings, reasonOf, requirements, type CheckContext, type Finding } from './finding.ts';

const { types, report } = defineFindings({
  'check.failed': {
    level: 'error',
    cause: 'A check ended with an error that it does not know. Other checks are not affected.',
    fix: 'Read the message. If it does not help, report it as a bug.',
  },
});
export const runFindings = types;

export type Check = (ctx: CheckContext) => Promise<Finding[]>;

export const defaults: Pick<CheckContext, 'now' | 'requirements' | 'timeoutMs' | 'dnsServers'> = {
  now: Date.now,
  requirements,
  timeoutMs: 3_000,
};

/** Concurrently. */
export async function run(ctx: CheckContext, checks: readonly Check[]): Promise<Finding[]> {
  const failed = (error: unknown) => [report('check.failed', [], `A check failed: ${reasonOf(error)}.`)];
  return (await Promise.all(checks.map((check) => check(ctx).catch(failed)))).flat();
}
