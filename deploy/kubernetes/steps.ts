import { readdirSync, readFileSync } from 'node:fs';
import { openDeployments } from '../../apps/server/src/platform/deployments.ts';
import { merge, type Values } from '../helm/test/render.ts';
import { kubectl, listPods, openRelease, waitUntil, type Pod } from './kubectl.ts';

// What an operator or a bad day does to an installation. Each waits until everything is as it should be again.

export function openInstallation(base: Values, restateAdminUrl: string) {
  const release = openRelease();
  const deployments = openDeployments(restateAdminUrl);
  let values = base;
  const change = (more: Values) => release.upgrade((values = merge(values, more)));
  const upgrade = async (more: Values) => {
    await change(more);
    await release.waitUntilDone();
  };
  const restateKnowsOnly = (only: string) =>
    waitUntil(`Restate knows only ${only}`, async () =>
      (await deployments.list()).every(({ version }) => version === only),
    );
  /** A command of parley-server. */
  const cli = (version: string, ...args: string[]) =>
    kubectl(['exec', `deployment/${workerOf(version)}`, '--', 'node', '/app/dist/cli.js', ...args]);

  return {
    upgrade,
    cli,

    /** Both applies of an upgrade, with the wait for the drain between them. */
    roll: async (from: string, to: string): Promise<void> => {
      await upgrade({ version: to, worker: { previousVersions: [from] } });
      await upgrade({ worker: { previousVersions: [] } });
      await restateKnowsOnly(to);
    },

    /** As docs/operators/kubernetes.md describes it. */
    rollBack: async (from: string, to: string): Promise<void> => {
      await change({ version: to, worker: { previousVersions: [from] } });
      await kubectl(['rollout', 'status', `deployment/${workerOf(to)}`, '--timeout=300s']);
      await cli(to, 'deployments', 'activate', to);
      await release.waitUntilDone();
      await upgrade({ worker: { previousVersions: [] } });
      await cli(to, 'deployments', 'remove', from, '--drop-services');
      await restateKnowsOnly(to);
    },

    /** One replica more, and back. */
    scale: async (component: 'api' | 'worker'): Promise<void> => {
      await upgrade({ [component]: { replicas: 3 } });
      await upgrade({ [component]: { replicas: 2 } });
    },

    /** Returns how often the eviction of a pod had to wait for another one. */
    drain: async (node: string): Promise<number> => {
      const { stdout, stderr } = await kubectl(['drain', node, '--delete-emptydir-data', '--timeout=300s']);
      await release.waitUntilDone();
      const left = (await listPods()).filter((pod) => pod.node === node);
      if (left.length > 0) throw new Error(`still on ${node}: ${left.map(({ name }) => name).join(', ')}`);
      await kubectl(['uncordon', node]);
      return (stdout + stderr).split('disruption budget').length - 1;
    },

    deleteOne: async (component: string): Promise<void> => {
      await kubectl(['delete', 'pod', (await podOf(component)).name, '--wait=false']);
      await release.waitUntilDone();
    },

    /** Kills its process, as for a lack of memory. Kubernetes starts it again in the same pod. */
    kill: async (component: string): Promise<void> => {
      const { name, uid, restarts } = await podOf(component);
      for (const pid of pidsWhere((one) => isOurs(one, uid))) process.kill(pid, 'SIGKILL');
      await waitUntil(`${name} was started again`, async () =>
        (await listPods()).some((one) => one.name === name && one.isReady && one.restarts > restarts),
      );
    },
  };
}

const workerOf = (version: string) => `parley-worker-${version.replaceAll('.', '-')}`;

async function podOf(component: string): Promise<Pod> {
  const pod = (await listPods()).find((one) => one.component === component && one.isReady && !one.isEnding);
  if (!pod) throw new Error(`no pod of ${component} is ready`);
  return pod;
}

/** Whether it is our process in this pod, and not the one that holds the pod's namespaces. */
const isOurs = (pid: number, podUid: string) =>
  readFileSync(`/proc/${pid}/cgroup`, 'utf8').includes(podUid) &&
  readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('/app/');

/** Processes of this machine and of the containers for which this is true. */
export const pidsWhere = (is: (pid: number) => boolean): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 1 && is(pid);
      } catch {
        return false; // ended meanwhile
      }
    });
