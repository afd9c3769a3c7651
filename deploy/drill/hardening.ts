import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { docker, listContainers, machineIp, shell, type Container } from './machine.ts';

// What the kernel says about the running containers, instead of what compose.yaml asks for.

interface Inspected {
  RestartCount: number;
  State: {
    StartedAt: string;
    Restarting: boolean;
    Health?: { Status: string; Log?: { Start: string; ExitCode: number }[] };
  };
  HostConfig: { ReadonlyRootfs: boolean; Privileged: boolean; Memory: number; RestartPolicy: { Name: string } };
}

export interface ContainerFacts {
  service: string;
  user: number;
  capabilities: string;
  isReadOnly: boolean;
  hasNoNewPrivileges: boolean;
  memoryBytes: number;
  memoryLimit: number;
  /** Until its health check passed, or null without one. */
  readyMs: number | null;
  problems: string[];
}

/** The processes of a container, by the ids that they have on the machine. */
const processesOf = async ({ id }: Container) =>
  (await docker('top', id, '-eo', 'pid'))
    .split('\n')
    .slice(1)
    .map((line) => Number(line.trim()));

const statusOf = (pid: number) => readFileSync(`/proc/${pid}/status`, 'utf8');
const field = (status: string, name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1] ?? '';

/** Whether a write to the root file system fails, as seen in the mounts of its first process. */
const isRootReadOnly = (pid: number) =>
  readFileSync(`/proc/${pid}/mounts`, 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, path]) => path === '/')
    .every(([, , , options]) => options?.split(',').includes('ro'));

export async function inspectContainer(container: Container): Promise<ContainerFacts> {
  const [inspected] = JSON.parse(await docker('inspect', container.id)) as [Inspected];
  if (inspected.State.Restarting) throw new Error(`${container.service} ends again and again: see its log`);
  const processes = (await processesOf(container)).map(statusOf);
  const first = statusOf(container.pid);
  const memoryBytes = processes.reduce((sum, status) => sum + Number(field(status, 'VmRSS')) * 1_024, 0);
  const startedAt = Date.parse(inspected.State.StartedAt);
  const passed = inspected.State.Health?.Log?.find(({ ExitCode }) => ExitCode === 0);
  const facts = {
    service: container.service,
    user: Number(field(first, 'Uid')),
    capabilities: field(first, 'CapEff'),
    isReadOnly: isRootReadOnly(container.pid),
    hasNoNewPrivileges: processes.every((status) => field(status, 'NoNewPrivs') === '1'),
    memoryBytes,
    memoryLimit: inspected.HostConfig.Memory,
    readyMs: passed ? Date.parse(passed.Start) - startedAt : null,
  };
  const problems = [
    processes.some((status) => field(status, 'Uid') === '0') && 'runs as root',
    processes.some((status) => /[1-9a-f]/.test(field(status, 'CapEff') + field(status, 'CapPrm'))) &&
      'has capabilities',
    inspected.RestartCount > 0 && `was restarted ${inspected.RestartCount} times`,
    !facts.isReadOnly && 'can write to its root file system',
    !facts.hasNoNewPrivileges && 'can gain privileges',
    inspected.HostConfig.Privileged && 'is privileged',
    facts.memoryLimit === 0 && 'has no memory limit',
    inspected.HostConfig.RestartPolicy.Name === 'no' && 'is not restarted',
    inspected.State.Health !== undefined && inspected.State.Health.Status !== 'healthy' && 'is not healthy',
  ].filter((problem) => typeof problem === 'string');
  return { ...facts, problems };
}

export const inspectContainers = async () => Promise.all((await listContainers()).map(inspectContainer));

const isOpen = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ host: machineIp, port, timeout: 2_000 });
    const end = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket
      .once('connect', () => end(true))
      .once('error', () => end(false))
      .once('timeout', () => end(false));
  });

/** The TCP ports of the machine that somebody outside can connect to. */
export async function scanPorts(): Promise<number[]> {
  const open: number[] = [];
  const all = Array.from({ length: 65_535 }, (_, at) => at + 1);
  for (let at = 0; at < all.length; at += 512) {
    const some = all.slice(at, at + 512);
    const results = await Promise.all(some.map(isOpen));
    open.push(...some.filter((_, index) => results[index]));
  }
  return open;
}

/** What Compose says about its file: nothing, unless a setting is missing or unknown. Images never float. */
export async function checkComposeFile(compose: string): Promise<string[]> {
  const { stdout, stderr } = await shell('docker compose --profile "*" config', { cwd: compose });
  const floating = [...stdout.matchAll(/^\s*image: (\S+)$/gm)]
    .map(([, image = '']) => image)
    .filter((image) => !/:[^/:]+$/.test(image) || image.endsWith(':latest'));
  return [...stderr.split('\n').filter(Boolean), ...floating.map((image) => `${image} has no fixed version`)];
}
