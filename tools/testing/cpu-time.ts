// Loaded with every test file: measures its CPU time, for the table at the end of a run.
import { readFileSync } from 'node:fs';
import { afterAll } from 'vitest';

/** Of this process and of its ended children, in milliseconds. Linux only; otherwise of this process alone. */
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

/** A process that runs several files passes its reading on; the first file includes the startup. */
const shared = globalThis as { cpuMsAtLastFile?: number };

// oxlint-disable-next-line no-empty-pattern -- vitest requires a destructuring pattern here, and no fixture is needed
afterAll(({}: object, file) => {
  const now = cpuMs();
  file.meta.cpuMs = now - (shared.cpuMsAtLastFile ?? 0);
  shared.cpuMsAtLastFile = now;
});
