/**
 * Every minor release, oldest first. A release adds its own line. Two neighbours can run at the same time, each on the schema
 * of the newer one: tests prove that for the previous release, and for no older one (docs/runbooks/upgrade.md).
 */
const releases = ['0.1'];

const minorOf = (version: string): string => /^(\d+\.\d+)\.\d+/.exec(version)?.[1] ?? '';
const byNumber = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true });

/** The minor releases to install on the way, in order, without the last. Empty: the upgrade can be done directly. */
export function upgradePath(from: string, to: string, known: readonly string[] = releases): string[] {
  const [first, last] = [minorOf(from), minorOf(to)];
  if (!first || !last) throw new Error('A version looks like 1.2.0.');
  if (byNumber(from, to) > 0)
    throw new Error(`${from} is newer than ${to}. To go back to the previous version, roll back.`);
  return [...new Set([...known, first, last])]
    .filter((one) => byNumber(one, first) > 0 && byNumber(one, last) < 0)
    .toSorted(byNumber);
}

export function checkUpgrade(from: string | undefined, to: string, print: (line: string) => void): void {
  if (!from) throw new Error('Missing version. Add --from with the version that is running');
  const path = upgradePath(from, to);
  if (path.length > 0)
    throw new Error(
      `${to} cannot follow ${from} directly: the two cannot run at the same time. Upgrade to the latest ${path.map((minor) => `${minor}.x`).join(', then to the latest ')}, then to ${to}.`,
    );
  print(`${to} can follow ${from}.`);
}
