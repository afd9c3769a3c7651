// Loaded with every test file: how much CPU time it took, for the table at the end of a run.
import { readFileSync } from 'node:fs';
import { afterAll } from 'vitest';

/** Of this process and of those it started and that have ended, in milliseconds. Linux only; elsewhere of this process. */
function cpuMs(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0); // utime, stime, cutime, cstime
    return ticks * 10;
  } catch {
    const { user, system } = process.cpuUsage();
    return Math.round((user + system) / 1_000);
  }
}

/** A process that runs several files hands its reading from one to the next; the first file pays for starting it. */
const shared = globalThis as { cpuMsAtLastFile?: number };

// oxlint-disable-next-line no-empty-pattern -- vitest requires a destructuring pattern here, and no fixture is needed
afterAll(({}: object, file) => {
  const now = cpuMs();
  file.meta.cpuMs = now - (shared.cpuMsAtLastFile ?? 0);
  shared.cpuMsAtLastFile = now;
});
