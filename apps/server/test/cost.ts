// CPU time of this thread: what else the machine does counts for little, so that two costs of one run can be compared, such
// as with eight times the input, or with the bare operation. Read in ticks of milliseconds, so each is done many times.

const enoughMs = 60;

function startClock() {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  };
}

/** Milliseconds of one run. */
export function costOf(work: () => unknown): number {
  work(); // compiled by now
  const spent = startClock();
  for (let runs = 1; ; runs++) {
    work();
    if (spent() >= enoughMs) return spent() / runs;
  }
}

/** Of something that takes several turns: whatever else this thread does meanwhile is counted too. */
export async function costOfAsync(work: () => Promise<unknown>): Promise<number> {
  await work();
  const spent = startClock();
  for (let runs = 1; ; runs++) {
    await work();
    if (spent() >= enoughMs) return spent() / runs;
  }
}
