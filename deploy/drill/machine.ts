import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

// The empty machine, seen from outside: commands that someone types on it, and its Docker.

const setting = (name: string) => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: start the drill with deploy/drill/run`);
  return value;
};
/** For everything of this run; removed after it. */
export const dir = setting('DRILL_DIR');
export const machineIp = setting('MACHINE_IP');
export const outsideIp = setting('OUTSIDE_IP');
export const domain = setting('DRILL_DOMAIN');
export const tenantDomain = setting('TENANT_DOMAIN');

const inMachine = ['--net=/run/netns/machine', '--'];
const maxBuffer = 64 * 2 ** 20;

interface CommandOptions {
  cwd?: string;
  env?: Record<string, string>;
}

/** Runs a program on the machine and returns its output. */
export async function onMachine(
  program: string,
  args: readonly string[],
  { cwd = dir, env = {} }: CommandOptions = {},
) {
  try {
    const { stdout, stderr } = await promisify(execFile)('nsenter', [...inMachine, program, ...args], {
      cwd,
      maxBuffer,
      env: { ...process.env, ...env },
    });
    return { stdout, stderr };
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}\n${stderr}`.slice(-8_000), { cause: error });
  }
}

/** The same, for a program that is killed before it ends: it leads a process group. */
export function startOnMachine(program: string, args: readonly string[], { cwd = dir }: CommandOptions = {}) {
  const child: ChildProcess = spawn('nsenter', [...inMachine, program, ...args], { cwd, detached: true });
  let output = '';
  child.stdout?.on('data', (data) => (output += String(data)));
  child.stderr?.on('data', (data) => (output += String(data)));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    ended,
    output: () => output,
    /** With all that it started. */
    kill: () => process.kill(-(child.pid ?? 0), 'SIGKILL'),
  };
}

/** A shell line, as in the documentation. */
export const shell = (line: string, options: CommandOptions = {}) => onMachine('bash', ['-euc', line], options);

export const docker = async (...args: string[]) => (await onMachine('docker', args)).stdout.trim();

export interface Container {
  id: string;
  name: string;
  service: string;
  image: string;
  pid: number;
}

interface Inspected {
  Id: string;
  Name: string;
  State: { Pid: number };
  Config: { Image: string; Labels: Record<string, string>; User: string };
}

/** The running containers of the product. */
export async function listContainers(): Promise<Container[]> {
  const ids = (await docker('ps', '--quiet', '--no-trunc')).split('\n').filter(Boolean);
  if (ids.length === 0) return [];
  const inspected = JSON.parse(await docker('inspect', ...ids)) as Inspected[];
  return inspected
    .map(({ Id: id, Name: name, State, Config }) => ({
      id,
      name: name.slice(1),
      service: Config.Labels['com.docker.compose.service'] ?? name.slice(1),
      image: Config.Image,
      pid: State.Pid,
    }))
    .toSorted((a, b) => a.service.localeCompare(b.service));
}

/** What the containers wrote, one file for each, also of those that have ended. */
export async function saveLogs(into: string): Promise<void> {
  const names = (await docker('ps', '--all', '--format', '{{.Names}}')).split('\n').filter(Boolean);
  for (const name of names) await shell(`docker logs ${name} > ${join(into, `${name}.log`)} 2>&1`);
  await shell(`cp ${join(dir, 'logs')}/* ${into}`);
}

/** A port here that leads to one of a container, which only the machine itself reaches. */
export async function forwardTo(service: string, port: number) {
  const container = (await listContainers()).find((one) => one.service === service);
  if (!container) throw new Error(`${service} does not run`);
  const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}';
  const [ip = ''] = (await docker('inspect', '--format', format, container.id)).split(' ');
  const path = join(dir, `${service}-${port}.sock`);
  const relay = spawn(
    'nsenter',
    [...inMachine, process.execPath, join(import.meta.dirname, 'relay.ts'), path, ip, String(port)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  await new Promise((ready) => relay.stdout.once('data', ready));
  const server = createServer((from) => {
    const to = connect(path);
    from.on('error', () => to.destroy()).on('close', () => to.destroy());
    to.on('error', () => from.destroy()).on('close', () => from.destroy());
    from.pipe(to).pipe(from);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      relay.kill();
    },
  };
}
