// CPU time of this thread, which depends little on the load of the machine, so that two costs of one run can be compared,
// such as for eight times the input. The resolution is milliseconds, so each operation runs many times.
// The least of three rounds counts: time that a virtual machine was not given can be part of one.

const enoughMs = 30;
const rounds = 3;

function startClock() {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  };
}

function costOfRound(work: () => unknown): number {
  const spent = startClock();
  let runs = 0;
  while (spent() < enoughMs) {
    work();
    runs++;
  }
  return spent() / runs;
}

/** Milliseconds of one run. */
export function costOf(work: () => unknown): number {
  work(); // warm up
  return Math.min(...Array.from({ length: rounds }, () => costOfRound(work)));
}

/** For async work. Includes everything else that this thread does meanwhile. */
export async function costOfAsync(work: () => Promise<unknown>): Promise<number> {
  await work();
  const costs: number[] = [];
  while (costs.length < rounds) {
    const spent = startClock();
    let runs = 0;
    while (spent() < enoughMs) {
      await work();
      runs++;
    }
    costs.push(spent() / runs);
  }
  return Math.min(...costs);
}
