import { setTimeout as sleep } from 'node:timers/promises';
import { readJson } from './client.ts';
import type { Ledger } from './receiver.ts';
import { keyHeaders, type StaffDeps } from './staff.ts';
import type { Tenant } from './target.ts';

// Compares the events that the API lists with what the receiver got.

type FeedDeps = Pick<StaffDeps, 'target' | 'client'>;

interface EventPage {
  data: { id: string; type: string }[];
  nextCursor: string | null;
}

/** Events after a position, as the API lists them; `undefined` if it does not. */
async function readEvents(
  { target, client }: FeedDeps,
  tenant: Tenant,
  after?: string,
): Promise<{ ids: string[]; cursor: string | undefined } | undefined> {
  const headers = keyHeaders(tenant);
  if (!headers) return undefined;
  const ids: string[] = [];
  for (let cursor = after; ;) {
    const query = new URLSearchParams({ limit: '100', ...(cursor !== undefined && { after: cursor }) });
    const reply = await client.send({
      kind: 'api',
      url: `${target.apiUrl}/events?${query.toString()}`,
      headers,
      dueAt: performance.now(),
    });
    const page = reply?.status === 200 ? await readJson<EventPage>(reply) : undefined;
    if (!page) return undefined;
    ids.push(...page.data.map(({ id }) => id));
    cursor = page.nextCursor ?? cursor;
    if (page.data.length < 100) return { ids, cursor };
  }
}

/** The last event of each tenant that delivers to this run, before it. */
export async function positionsOf(deps: FeedDeps, tenants: readonly Tenant[], ledger: Ledger) {
  const cursors = new Map<Tenant, string | undefined>();
  for (const tenant of tenants.filter(({ tenantId }) => ledger.isExpected(tenantId))) {
    const read = await readEvents(deps, tenant);
    if (read) cursors.set(tenant, read.cursor);
  }
  return cursors;
}

/** Every event that was committed since must have arrived by now, or arrive soon. */
export async function compareEvents(
  deps: FeedDeps,
  {
    cursors,
    ledger,
    settleSeconds,
  }: { cursors: Map<Tenant, string | undefined>; ledger: Ledger; settleSeconds: number },
) {
  if (cursors.size === 0) return undefined;
  let committed = 0;
  const missing = new Set<string>();
  for (const [tenant, cursor] of cursors) {
    const read = await readEvents(deps, tenant, cursor);
    if (!read) return undefined;
    committed += read.ids.length;
    for (const id of read.ids) if (!ledger.has(id)) missing.add(id);
  }
  for (let waited = 0; missing.size > 0 && waited < settleSeconds; waited++) {
    await sleep(1_000);
    for (const id of missing) if (ledger.has(id)) missing.delete(id);
  }
  return { committed, lost: missing.size, examples: [...missing].slice(0, 5) };
}
