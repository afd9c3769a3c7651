import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { docker, listContainers, machineIp, shell, startOnMachine, type Container } from './machine.ts';

// What the kernel says about the running containers, instead of what compose.yaml asks for.

interface Inspected {
  RestartCount: number;
  State: { Restarting: boolean; Health?: { Status: string } };
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

async function inspectContainer(container: Container, readyMs: (id: string) => number | null): Promise<ContainerFacts> {
  const [inspected] = JSON.parse(await docker('inspect', container.id)) as [Inspected];
  if (inspected.State.Restarting) throw new Error(`${container.service} ends again and again: see its log`);
  // Without those that have ended since, such as health checks.
  const processes = (await processesOf(container)).filter((pid) => existsSync(`/proc/${pid}/status`)).map(statusOf);
  const first = statusOf(container.pid);
  const memoryBytes = processes.reduce((sum, status) => sum + Number(field(status, 'VmRSS')) * 1_024, 0);
  const facts = {
    service: container.service,
    user: Number(field(first, 'Uid')),
    capabilities: field(first, 'CapEff'),
    isReadOnly: isRootReadOnly(container.pid),
    hasNoNewPrivileges: processes.every((status) => field(status, 'NoNewPrivs') === '1'),
    memoryBytes,
    memoryLimit: inspected.HostConfig.Memory,
    readyMs: readyMs(container.id),
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

/** Follows starts and health checks from now on. Docker keeps only its last events, and a health check makes many. */
export function followStarts() {
  const filters = ['type=container', 'event=start', 'event=health_status'].flatMap((one) => ['--filter', one]);
  const events = startOnMachine('docker', ['events', ...filters, '--format', '{{.TimeNano}} {{.ID}} {{.Status}}']);
  const times = (id: string, status: string) =>
    events
      .output()
      .split('\n')
      .filter((line) => line.includes(id) && line.endsWith(` ${status}`))
      .map((line) => Number(line.split(' ')[0]) / 1e6);
  return {
    /** From the start of a container until its health check passed, or null without one. */
    readyMs: (id: string): number | null => {
      const [started] = times(id, 'start');
      const [healthy] = times(id, 'health_status: healthy');
      return started === undefined || healthy === undefined ? null : healthy - started;
    },
    stop: events.kill,
  };
}
type Starts = ReturnType<typeof followStarts>;

export const inspectContainers = async ({ readyMs }: Starts) =>
  Promise.all((await listContainers()).map((container) => inspectContainer(container, readyMs)));

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

/** The TCP ports of the machine that someone outside can connect to. */
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
