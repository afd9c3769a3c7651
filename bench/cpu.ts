import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** CPU milliseconds of the stack's servers and these processes so far, ended children included. */
export function cpuMs(dir: string, ...ours: number[]): number {
  const pids = readdirSync('/proc').filter((pid) => ours.includes(Number(pid)) || isIn(dir, pid));
  return pids.reduce((sum, pid) => sum + cpuMsOf(pid), 0);
}

/** The same of one process. */
export function cpuMsOf(pid: string | number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * 10;
  } catch {
    return 0; // ended meanwhile
  }
}

function isIn(dir: string, pid: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(`${dir}/`);
  } catch {
    return false;
  }
}

export interface Usage {
  cpuMs: number;
  residentMb: number;
}

/** Servers run in their own folder. */
export const processesIn = (dir: string): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 1 && readlinkSync(`/proc/${pid}/cwd`).startsWith(dir);
      } catch {
        return false; // ended meanwhile
      }
    });

/** CPU time with that of ended children, and memory without what the processes of a part share. */
export function usageOf(pids: readonly number[]): Usage {
  const usage = { cpuMs: 0, residentMb: 0 };
  for (const pid of pids) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      usage.cpuMs += fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) * 10;
      const pss = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
      usage.residentMb += Number(pss) / 1_024;
    } catch {
      continue; // ended meanwhile
    }
  }
  return usage;
}
