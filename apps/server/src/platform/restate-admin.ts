import { z } from 'zod';
import { bearerOf, measureRestate } from './restate-client.ts';

/** Restate's admin API: lists and controls invocations. Not configured in every deployment. */
export interface RestateAdmin {
  isConfigured: boolean;
  /** The number of registered deployments. */
  deployments(): Promise<number>;
  /** The number of invocations that have not completed, by Restate's status. */
  countOpen(): Promise<Record<string, number>>;
  /** The number of invocations that have been paused or retried for more than ten minutes, up to 100. */
  countStuck(): Promise<number>;
  listOpen(filter: InvocationFilter): Promise<Invocation[]>;
  find(id: string): Promise<Invocation | undefined>;
  act(id: string, action: 'resume' | 'cancel' | 'kill'): Promise<ActionResult>;
}

export interface InvocationFilter {
  /** Restate's statuses; empty means all. */
  statuses: readonly string[];
  service?: string | undefined;
  /** Cursor. Sorted by creation time, newest first, then by id. */
  after?: { createdAt: string; id: string } | undefined;
  limit: number;
}

/** `gone`: completed or unknown. `early`: scheduled, or waiting for another invocation with the same key. */
export type ActionResult = 'done' | 'gone' | 'early';

const text = z.string().nullish();
const Row = z.object({
  id: z.string(),
  target_service_name: z.string(),
  target_service_key: text,
  target_handler_name: z.string(),
  status: z.string(),
  retry_count: z.number().nullish(),
  created_at: z.string(),
  modified_at: text,
  next_retry_at: text,
  scheduled_start_at: text,
  last_failure: text,
  last_failure_error_code: text,
});
const columns = Object.keys(Row.shape).join(', ');
const PausedEvent = z.object({
  last_failure: z.object({ error_message: text, restate_doc_error_code: text }).nullish(),
});

const stuckMs = 600_000;

export interface Invocation {
  id: string;
  service: string;
  key: string | null;
  handler: string;
  status: string;
  retries: number | null;
  createdAt: string;
  changedAt: string | null;
  nextAt: string | null;
  failure: string | null;
  failureCode: string | null;
}

const identifier = /^[\w-]{1,80}$/;
/** Restate's SQL has no parameters, so values are validated before they are inserted. */
export function quoted(word: string): string {
  if (!identifier.test(word)) throw new Error('invalid Restate identifier');
  return `'${word}'`;
}
const timestamp = (at: string) => `to_timestamp_millis(${Date.parse(at)})`;

/** Requests to Restate's admin API, and queries of its state. */
export function adminRequests(adminUrl: string | undefined, token: string | undefined, timeoutMs: number) {
  const request = async (
    path: string,
    init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
  ): Promise<Response> => {
    if (adminUrl === undefined) throw new Error('RESTATE_ADMIN_URL is not set');
    return measureRestate(
      'admin',
      fetch(`${adminUrl.replace(/\/$/, '')}${path}`, {
        ...init,
        headers: { ...init.headers, ...bearerOf(token) },
        signal: AbortSignal.timeout(timeoutMs),
      }),
    );
  };
  const query = async <S extends z.ZodType>(row: S, statement: string): Promise<z.output<S>[]> => {
    const response = await request('/query', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query: statement }),
    });
    if (!response.ok) throw await unexpected(response);
    return z.object({ rows: z.array(row) }).parse(await response.json()).rows;
  };
  return { request, query };
}

export const unexpected = async (response: Response): Promise<Error> =>
  new Error(`Restate returned ${response.status}: ${(await response.text()).slice(0, 500)}`);

export function openRestateAdmin(adminUrl: string | undefined, token?: string, timeoutMs = 1_200): RestateAdmin {
  const { request, query } = adminRequests(adminUrl, token, timeoutMs);

  /** Adds the last failure of paused invocations, which is in the journal only. */
  async function withFailures(rows: z.output<typeof Row>[]): Promise<Invocation[]> {
    const paused = rows.filter(({ status, last_failure: failure }) => status === 'paused' && !failure);
    const events =
      paused.length === 0
        ? []
        : await query(
            z.object({ id: z.string(), event_json: z.string() }),
            `select id, event_json from sys_journal_events where event_type = 'Paused' and id in (${paused
              .map(({ id }) => quoted(id))
              .join(', ')}) order by appended_at`,
          );
    const failures = new Map(
      events.map(({ id, event_json: json }) => [id, PausedEvent.safeParse(JSON.parse(json)).data?.last_failure]),
    );
    return rows.map((row) => ({
      id: row.id,
      service: row.target_service_name,
      key: row.target_service_key ?? null,
      handler: row.target_handler_name,
      status: row.status,
      retries: row.retry_count ?? null,
      createdAt: row.created_at,
      changedAt: row.modified_at ?? null,
      nextAt: row.next_retry_at ?? row.scheduled_start_at ?? null,
      failure: row.last_failure ?? failures.get(row.id)?.error_message ?? null,
      failureCode: row.last_failure_error_code ?? failures.get(row.id)?.restate_doc_error_code ?? null,
    }));
  }

  return {
    isConfigured: adminUrl !== undefined,
    deployments: async () => {
      const response = await request('/deployments');
      if (!response.ok) throw new Error(`Restate returned ${response.status}`);
      return z.object({ deployments: z.array(z.unknown()) }).parse(await response.json()).deployments.length;
    },
    countOpen: async () => {
      const rows = await query(
        z.object({ status: z.string(), n: z.number() }),
        "select status, count(*) as n from sys_invocation where status <> 'completed' group by status",
      );
      return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
    },
    countStuck: async () => {
      const before = timestamp(new Date(Date.now() - stuckMs).toISOString());
      const rows = await query(
        z.object({ id: z.string() }),
        `select id from sys_invocation where status in ('paused', 'backing-off') and created_at < ${before} limit 100`,
      );
      return rows.length;
    },
    listOpen: async ({ statuses, service, after, limit }) => {
      const conditions = [
        statuses.length === 0 ? "status <> 'completed'" : `status in (${statuses.map(quoted).join(', ')})`,
        ...(service === undefined ? [] : [`target_service_name = ${quoted(service)}`]),
        ...(after === undefined
          ? []
          : [
              `(created_at < ${timestamp(after.createdAt)} or (created_at = ${timestamp(after.createdAt)} and id < ${quoted(after.id)}))`,
            ]),
      ];
      const rows = await query(
        Row,
        `select ${columns} from sys_invocation where ${conditions.join(' and ')} order by created_at desc, id desc limit ${Math.trunc(limit)}`,
      );
      return withFailures(rows);
    },
    find: async (id) => {
      const rows = await query(Row, `select ${columns} from sys_invocation where id = ${quoted(id)}`);
      return (await withFailures(rows)).find(({ status }) => status !== 'completed');
    },
    act: async (id, action) => {
      const response = await request(`/invocations/${encodeURIComponent(id)}/${action}`, { method: 'PATCH' });
      if (response.ok) return 'done';
      if (response.status === 425) return 'early';
      if ([400, 404, 409].includes(response.status)) return 'gone';
      throw await unexpected(response);
    },
  };
}
