// CPU time of this thread, which depends little on the load of the machine, so that two costs of one run can be compared,
// such as for eight times the input. The resolution is milliseconds, so each operation runs many times.

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
  work(); // warm up
  const spent = startClock();
  for (let runs = 1; ; runs++) {
    work();
    if (spent() >= enoughMs) return spent() / runs;
  }
}

/** For async work. Includes everything else that this thread does meanwhile. */
export async function costOfAsync(work: () => Promise<unknown>): Promise<number> {
  await work();
  const spent = startClock();
  for (let runs = 1; ; runs++) {
    await work();
    if (spent() >= enoughMs) return spent() / runs;
  }
}
