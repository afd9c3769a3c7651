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
