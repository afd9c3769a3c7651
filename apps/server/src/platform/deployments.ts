import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { adminRequests, quoted, unexpected } from './restate-admin.ts';

/** A version of the worker that is registered with Restate. Invocations stay on the version they started on. */
export interface Deployment {
  id: string;
  url: string;
  version: string | null;
  registeredAt: string;
  /** New work goes to it. */
  isLatest: boolean;
  /** Services that only this version has, so that their new work goes to it although it is not the latest. */
  onlyHere: string[];
  /** Invocations that started on it and have not completed, by Restate's status. */
  invocations: Record<string, number>;
}

export interface Registration {
  url: string;
  version: string;
  /** Registers a known URL again: reads its handlers anew and makes it the latest. */
  force: boolean;
}

const Listed = z.object({
  deployments: z.array(
    z.object({
      id: z.string(),
      uri: z.string().default(''),
      metadata: z.record(z.string(), z.string()).default({}),
      created_at: z.string(),
      services: z.array(z.object({ name: z.string() })),
    }),
  ),
});
const Services = z.object({ services: z.array(z.object({ name: z.string(), deployment_id: z.string() })) });
const Registered = z.object({
  services: z.array(z.object({ name: z.string(), handlers: z.array(z.object({ name: z.string() })) })),
});
const Invocation = z.object({ id: z.string() });

/** Each version of the worker has its own URL, even if it replaces the previous one at the same address. */
export const deploymentUrl = (workerUrl: string, version: string): string =>
  `${workerUrl.replace(/\/$/, '')}/v${encodeURIComponent(version)}`;

/** A dead worker: Restate could not connect, or the connection broke. */
const unreachable = 'RT0010';
/** Invocations moved at a time. */
const page = 500;

export type Deployments = ReturnType<typeof openDeployments>;

/** Restate has no transactions here; each function may be repeated. */
export function openDeployments(adminUrl: string | undefined, token?: string, timeoutMs = 10_000) {
  const { request, query } = adminRequests(adminUrl, token, timeoutMs);
  const read = async <S extends z.ZodType>(schema: S, path: string): Promise<z.output<S>> => {
    const response = await request(path);
    if (!response.ok) throw await unexpected(response);
    return schema.parse(await response.json());
  };

  async function list(): Promise<Omit<Deployment, 'invocations'>[]> {
    const [{ deployments }, { services }] = await Promise.all([
      read(Listed, '/deployments'),
      read(Services, '/services'),
    ]);
    const latest = new Map(services.map(({ name, deployment_id: id }) => [name, id]));
    return deployments
      .map(({ id, uri, metadata, created_at: registeredAt, services: own }) => {
        const newest = own.filter(({ name }) => latest.get(name) === id).map(({ name }) => name);
        const isLatest = newest.length === own.length;
        return {
          id,
          url: uri.replace(/\/$/, ''),
          version: metadata['version'] ?? null,
          registeredAt,
          isLatest,
          onlyHere: isLatest ? [] : newest,
        };
      })
      .toSorted((a, b) => b.registeredAt.localeCompare(a.registeredAt));
  }

  /** Completed invocations that Restate still stores do not count. Scheduled and queued ones belong to no version yet. */
  async function listWithInvocations(): Promise<Deployment[]> {
    const counted = await query(
      z.object({ id: z.string(), status: z.string(), n: z.number() }),
      `select pinned_deployment_id as id, status, count(*) as n from sys_invocation
       where pinned_deployment_id is not null and status <> 'completed' group by pinned_deployment_id, status`,
    );
    return (await list()).map((deployment) => ({
      ...deployment,
      invocations: Object.fromEntries(
        counted.filter(({ id }) => id === deployment.id).map(({ status, n }) => [status, n]),
      ),
    }));
  }

  /**
   * Moves one invocation to the latest version, which continues it from its journal. Restate moves only what does not run
   * and is not about to: an invocation that waits for its next attempt is paused first.
   */
  async function move(id: string): Promise<boolean> {
    for (let attempts = 0; attempts < 10; attempts++) {
      const resumed = await request(`/invocations/${id}/resume?deployment=latest`, { method: 'PATCH' });
      if (resumed.ok) return true;
      if (resumed.status !== 409) return false; // it has completed
      await request(`/invocations/${id}/pause`, { method: 'PATCH' });
      await sleep(50);
    }
    return false; // it runs again: left to the next round
  }

  async function moveWhere(condition: string): Promise<number> {
    const invocations = await query(Invocation, `select id from sys_invocation where ${condition} limit ${page}`);
    let moved = 0;
    for (const { id } of invocations) if (await move(id)) moved++;
    return moved;
  }

  return {
    list,
    listWithInvocations,

    /** The handlers that Restate now knows at this URL, by service. */
    register: async ({ url, version, force }: Registration): Promise<Map<string, string[]>> => {
      const response = await request('/deployments', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ uri: url, force, metadata: { version } }),
      });
      if (!response.ok) throw await unexpected(response);
      const { services } = Registered.parse(await response.json());
      return new Map(services.map(({ name, handlers }) => [name, handlers.map((handler) => handler.name)]));
    },

    /** Lets Restate read the handlers at this URL, as when it registers them, without registering anything. */
    probe: async (url: string): Promise<void> => {
      const response = await request('/deployments', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ uri: url, force: true, dry_run: true }),
      });
      if (!response.ok) throw await unexpected(response);
    },

    /** Moves the invocations that are not running now. Those that run end within seconds. */
    moveWaiting: (id: string) =>
      moveWhere(`pinned_deployment_id = ${quoted(id)} and status in ('suspended', 'paused', 'backing-off')`),

    /**
     * Moves the invocations that wait for a worker that is gone, and those that a move left paused. Returns how many.
     * Queries nothing while all deployments are the latest, as they are except during an upgrade.
     */
    moveStranded: async (): Promise<number> => {
      const old = (await list()).filter(({ isLatest }) => !isLatest);
      if (old.length === 0) return 0;
      return moveWhere(`pinned_deployment_id in (${old.map(({ id }) => quoted(id)).join(', ')})
        and (status = 'paused' or (status = 'backing-off' and last_failure_error_code = '${unreachable}'))`);
    },

    /** Restate does not refuse this while invocations are in flight: check first. */
    remove: async (id: string): Promise<void> => {
      const response = await request(`/deployments/${id}?force=true`, { method: 'DELETE' });
      if (!response.ok && response.status !== 404) throw await unexpected(response);
    },
  };
}

export const countInvocations = ({ invocations }: Pick<Deployment, 'invocations'>): number =>
  Object.values(invocations).reduce((sum, n) => sum + n, 0);
