import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';

export interface Machine {
  cores: number;
  model: string;
  /** CPU time that the host gave to other machines, of what this one wanted. Linux only; otherwise 0. */
  stealPercent: number;
  /** The load average of the minute before. */
  loadBefore: number;
}

const model = () => cpus()[0]?.model.replace(/\s+/g, ' ').trim() ?? 'unknown';

/** Ratios are compared between runs on the same kind of machine. */
export const machineKind = (): string => `${availableParallelism()} × ${model()}`;

/** Starts to measure; the result describes the machine until then. */
export function observeMachine(): () => Machine {
  const [before, [load = 0]] = [cpuTimes(), loadavg()];
  return () => {
    const after = cpuTimes();
    const [steal, used] = [after.steal - before.steal, after.used - before.used];
    return {
      cores: availableParallelism(),
      model: model(),
      stealPercent: Number(((100 * steal) / Math.max(1, used + steal)).toFixed(1)),
      loadBefore: Number(load.toFixed(1)),
    };
  };
}

function cpuTimes(): { used: number; steal: number } {
  try {
    const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = readFileSync('/proc/stat', 'utf8')
      .split('\n', 1)[0]!
      .trim()
      .split(/\s+/)
      .slice(1)
      .map(Number);
    return { used: user + nice + system + irq + softirq, steal };
  } catch {
    return { used: 0, steal: 0 };
  }
}

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();

/** The commit, and `+` if there are changes on top of it. */
export const currentCommit = (): string =>
  `${git('rev-parse', '--short=8', 'HEAD')}${git('status', '--porcelain', '--untracked-files=no') === '' ? '' : '+'}`;
