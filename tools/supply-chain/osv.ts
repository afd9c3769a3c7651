import { z } from 'zod';
import type { Package } from './lockfiles.ts';

/** https://google.github.io/osv.dev/post-v1-querybatch/ */
const BatchResponse = z.object({
  results: z.array(
    z.object({
      vulns: z.array(z.object({ id: z.string() })).optional(),
      next_page_token: z.string().optional(),
    }),
  ),
});
const batch = 1_000; // its maximum
const timeoutMs = 20_000;

/** OSV is not reachable now. Building without a network must not fail. */
export class Unreachable extends Error {}

/** The known vulnerabilities of each package that has some. */
export async function findVulnerabilities(
  url: string,
  packages: readonly Package[],
): Promise<(Package & { ids: string[] })[]> {
  const found = new Map<Package, string[]>();
  let pending = packages.map((one) => ({ one, token: undefined as string | undefined }));
  while (pending.length > 0) {
    const now = pending.slice(0, batch);
    const results = await queryBatch(
      url,
      now.map(({ one: { name, version }, token }) => ({
        package: { name, ecosystem: 'npm' },
        version,
        ...(token && { page_token: token }),
      })),
    );
    const more = now.flatMap(({ one }, index) => {
      const { vulns = [], next_page_token: token } = results[index] ?? {};
      if (vulns.length > 0) found.set(one, [...(found.get(one) ?? []), ...vulns.map(({ id }) => id)]);
      return token ? [{ one, token }] : [];
    });
    pending = [...pending.slice(batch), ...more];
  }
  return [...found].map(([one, ids]) => ({ ...one, ids }));
}

async function queryBatch(url: string, queries: object[]) {
  const response = await fetch(`${url}/v1/querybatch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ queries }),
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: Error & { cause?: { code?: string } }) => {
    throw new Unreachable(error.cause?.code ?? error.name);
  });
  if (response.status >= 500 || response.status === 429) throw new Unreachable(`HTTP ${response.status}`);
  if (!response.ok) throw new Error(`OSV refused the query: HTTP ${response.status} ${await response.text()}`);
  const body: unknown = await response.json().catch(() => {
    throw new Unreachable('no JSON'); // a proxy's sign-in page, or a broken connection
  });
  const { results } = BatchResponse.parse(body);
  if (results.length !== queries.length) throw new Error('OSV returned a different number of results than queries');
  return results;
}
