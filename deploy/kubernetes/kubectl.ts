import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { render, type Values } from '../helm/test/render.ts';

export const namespace = 'parley';

/** `input` is its standard input. */
export async function kubectl(args: readonly string[], input = '') {
  const running = promisify(execFile)('kubectl', ['--namespace', namespace, ...args], { maxBuffer: 64 * 2 ** 20 });
  running.child.stdin?.end(input);
  return running.catch((error: unknown) => {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`kubectl ${args.join(' ')} failed:\n${stdout}\n${stderr}`.slice(-4_000), { cause: error });
  });
}

/** In one call, in no particular order. */
export const apply = (items: readonly object[]) =>
  kubectl(['apply', '--filename=-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));

export interface Pod {
  name: string;
  uid: string;
  node: string;
  component: string;
  isReady: boolean;
  isEnding: boolean;
  restarts: number;
}

interface ListedPod {
  metadata: { name: string; uid: string; labels: Record<string, string>; deletionTimestamp?: string };
  spec: { nodeName?: string };
  status: { conditions?: { type: string; status: string }[]; containerStatuses?: { restartCount: number }[] };
}

/** All but those of jobs. */
export async function listPods(): Promise<Pod[]> {
  const { stdout } = await kubectl(['get', 'pods', '--output=json', '--selector=!job-name']);
  const { items } = JSON.parse(stdout) as { items: ListedPod[] };
  return items.map(({ metadata, spec, status }) => ({
    name: metadata.name,
    uid: metadata.uid,
    node: spec.nodeName ?? '',
    component: metadata.labels['app.kubernetes.io/component'] ?? '',
    isReady: status.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false,
    isEnding: metadata.deletionTimestamp !== undefined,
    restarts: status.containerStatuses?.reduce((sum, one) => sum + one.restartCount, 0) ?? 0,
  }));
}

export async function waitUntil(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < 300; waited++) {
    if (await isTrue()) return;
    await sleep(1_000);
  }
  throw new Error(`not within five minutes: ${what}`);
}

/** The release, as Helm keeps it: what was in it and no longer is gets deleted. */
export function openRelease() {
  let applied: string[] = [];

  /** Until everything is in the state that it should have, and what was replaced is gone. */
  async function waitUntilDone(): Promise<void> {
    const wait = applied.map(async (name) => {
      if (name.startsWith('Deployment/')) await kubectl(['rollout', 'status', name, '--timeout=300s']);
      if (name.startsWith('Job/')) await kubectl(['wait', '--for=condition=complete', name, '--timeout=300s']);
    });
    await Promise.all(wait);
    await waitUntil('no pod is about to end', async () => (await listPods()).every(({ isEnding }) => !isEnding));
  }

  return {
    /** `helm upgrade`. */
    upgrade: async (values: Values): Promise<void> => {
      const manifests = render(values, { kube: '1.20', namespace });
      const names = manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
      await apply(manifests);
      const removed = applied.filter((name) => !names.includes(name));
      if (removed.length > 0) await kubectl(['delete', '--wait=false', ...removed]);
      applied = names;
    },
    waitUntilDone,
  };
}

/** What explains a run that failed, in addition to the logs. */
export async function saveState(folder: string): Promise<void> {
  const save = async (file: string, ...args: string[]) =>
    writeFileSync(join(folder, file), (await kubectl(args)).stdout);
  await save('pods.txt', 'get', 'pods', '--output=wide');
  await save('events.txt', 'get', 'events', '--sort-by=.metadata.creationTimestamp');
}
