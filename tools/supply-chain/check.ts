import { packagesOf } from './lockfiles.ts';
import { findVulnerabilities, Unreachable } from './osv.ts';

/** Known and accepted until a date, by id: `{ "GHSA-…": { "until": "2027-01-31", "reason": "…" } }`. */
export type Accepted = Readonly<Record<string, { until: string; reason: string }>>;

export interface Outcome {
  lines: string[];
  isFailed: boolean;
}

/** Compares lockfiles with OSV. Without a network it says so in one line and does not fail. */
export async function checkLockfiles(
  lockfiles: readonly string[],
  { url, accepted, today }: { url: string; accepted: Accepted; today: string },
): Promise<Outcome> {
  const inFiles = new Map<string, { name: string; version: string; files: string[] }>();
  for (const file of lockfiles)
    for (const { name, version } of packagesOf(file)) {
      const key = `${name}@${version}`;
      const known = inFiles.get(key) ?? { name, version, files: [] };
      inFiles.set(key, { ...known, files: [...known.files, file] });
    }
  try {
    const found = await findVulnerabilities(url, [...inFiles.values()]);
    const open = found.flatMap(({ name, version, ids }) => {
      const notAccepted = ids.filter((id) => (accepted[id]?.until ?? '') < today);
      const files = inFiles.get(`${name}@${version}`)?.files ?? [];
      return notAccepted.length > 0 ? [`${name}@${version} (${files.join(', ')}): ${notAccepted.join(', ')}`] : [];
    });
    if (open.length === 0) return { lines: [`No known vulnerabilities in ${inFiles.size} packages.`], isFailed: false };
    return { lines: [...open, `${open.length} packages have known vulnerabilities: https://osv.dev`], isFailed: true };
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    return { lines: [`Skipped: ${url} cannot be reached (${error.message}).`], isFailed: false };
  }
}
