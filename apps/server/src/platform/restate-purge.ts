import { setTimeout as sleep } from 'node:timers/promises';
import { bearerOf } from './restate-client.ts';

interface PurgeResult {
  invocations: number;
  states: number;
  /** Nothing remains. */
  isDone: boolean;
}

const page = 200;
/** Changes become visible in queries after a short delay. */
const settleMs = 200;
const concurrency = 10;

interface AdminConnection {
  url: string | undefined;
  token?: string | undefined;
}

/**
 * Kills and purges all invocations whose keys have this prefix, including their journals, and clears the state of
 * objects. Stops after `forMs`; the next run continues.
 */
export async function purgeInvocations(admin: AdminConnection, prefix: string, forMs = 15_000): Promise<PurgeResult> {
  if (admin.url === undefined) throw new Error('data in Restate cannot be erased without RESTATE_ADMIN_URL');
  if (!/^[a-z]+_[0-9a-z]+\/$/.test(prefix)) throw new Error('not a prefix of our keys');
  const until = Date.now() + forMs;
  const purged = { invocations: new Set<string>(), states: new Set<string>() };
  const counts = () => ({ invocations: purged.invocations.size, states: purged.states.size });
  for (;;) {
    const calls = await query<{ id: string; status: string }>(
      admin,
      `select id, status from sys_invocation where target_service_key like '${prefix}%' or idempotency_key like '${prefix}%' limit ${page}`,
    );
    const states = await query<{ service: string; key: string }>(
      admin,
      `select distinct service_name as service, service_key as key from state where service_key like '${prefix}%' limit ${page}`,
    );
    if (calls.length === 0 && states.length === 0) return { ...counts(), isDone: true };
    if (Date.now() > until) return { ...counts(), isDone: false };
    await each(calls, ({ id, status }) => {
      purged.invocations.add(id);
      return change(admin, 'PATCH', `invocations/${id}/${status === 'completed' ? 'purge' : 'kill'}`);
    });
    // After all invocations ended, because a running one could write its state again.
    if (calls.length === 0)
      await each(states, ({ service, key }) => {
        purged.states.add(`${service} ${key}`);
        return change(admin, 'POST', `services/${service}/state`, { object_key: key, new_state: {} });
      });
    await sleep(settleMs);
  }
}

async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let n = 0; n < items.length; n += concurrency) await Promise.all(items.slice(n, n + concurrency).map(work));
}

async function query<Row>(admin: AdminConnection, text: string): Promise<Row[]> {
  const response = await fetch(`${admin.url}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...bearerOf(admin.token) },
    body: JSON.stringify({ query: text }),
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) throw new Error(`Restate returned ${response.status}: ${(await response.text()).slice(0, 500)}`);
  return ((await response.json()) as { rows: Row[] }).rows;
}

/** Ignores 404 (already gone) and 409 (already completed): the next query returns the new state. */
async function change(admin: AdminConnection, method: string, path: string, body?: object): Promise<void> {
  const response = await fetch(`${admin.url}/${path}`, {
    method,
    headers: { ...(body && { 'content-type': 'application/json' }), ...bearerOf(admin.token) },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(10_000),
  });
  const text = await response.text();
  if (!response.ok && response.status !== 404 && response.status !== 409)
    throw new Error(`Restate returned ${response.status}: ${text.slice(0, 500)}`);
}
