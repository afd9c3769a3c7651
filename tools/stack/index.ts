import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { dirname, join, resolve } from 'node:path';
import { startPostgres, type Postgres } from './postgres.ts';
import { startRestate, type Restate } from './restate.ts';
import { startValkey, type Valkey } from './valkey.ts';
import { programsWithVector } from './vector.ts';

export { freePort } from './processes.ts';
export { startRestate, startRestateCluster } from './restate.ts';
export { startValkey } from './valkey.ts';
export { startPostgres } from './postgres.ts';
export type { Postgres, Restate, Valkey };

export interface Stack {
  dir: string;
  postgres: Pick<Postgres, 'adminUrl'>;
  valkey: Pick<Valkey, 'url'>;
  restate: Pick<Restate, 'ingressUrl' | 'adminUrl' | 'identityKey'>;
  /** Those that were started here, to stop and start them again. */
  servers: { postgres?: Postgres; valkey?: Valkey; restate?: Restate };
  stop(): Promise<void>;
}

const repository = resolve(import.meta.dirname, '../..');

/**
 * Real servers for development and tests: each is taken from its URL in the environment, or started on a free port with
 * its own data. `keep` keeps the data after the process ends, `durable` after a crash of the machine.
 */
export async function startStack(
  name: string,
  { keep, durable = keep }: { keep: boolean; durable?: boolean },
): Promise<Stack> {
  const dir = stackDir(keep ? name : `${name}-${process.pid}`);
  if (keep) await endAbandoned(dir);
  else dropAbandoned(dir, name);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'owner.pid'), String(process.pid));

  const env = process.env;
  const started: { stop(): Promise<void> }[] = [];
  const starting = <T extends { stop(): Promise<void> }>(server: Promise<T>) =>
    server.then((ready) => {
      started.push(ready);
      return ready;
    });
  const stop = async () => {
    await Promise.all(started.map((server) => server.stop()));
    if (keep) return;
    for (const pid of serversIn(dir)) process.kill(pid, 'SIGKILL'); // started by tests
    rmSync(dir, { recursive: true, force: true });
  };

  // Tests use the vector extension where it is available; kept data stays with the machine's own programs.
  const programs = keep ? undefined : programsWithVector(stackDir('pgvector'));
  try {
    const [postgres, valkey, restate] = await Promise.all([
      env['STACK_POSTGRES_URL']
        ? { adminUrl: env['STACK_POSTGRES_URL'] }
        : starting(startPostgres(join(dir, 'postgres'), { durable, programs })),
      env['STACK_VALKEY_URL'] ? { url: env['STACK_VALKEY_URL'] } : starting(startValkey(join(dir, 'valkey'))),
      env['STACK_RESTATE_INGRESS_URL']
        ? {
            ingressUrl: env['STACK_RESTATE_INGRESS_URL'],
            adminUrl: env['STACK_RESTATE_ADMIN_URL'] ?? '',
            identityKey: env['STACK_RESTATE_IDENTITY_KEY'] ?? '',
          }
        : starting(startRestate(join(dir, 'restate'), { partitions: keep ? 128 : 8 })),
    ]);
    const servers = {
      ...('pid' in postgres && { postgres }),
      ...('pid' in valkey && { valkey }),
      ...('pid' in restate && { restate }),
    };
    return { dir, postgres, valkey, restate, servers, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** `.stack/` in the repository, unless PostgreSQL's account cannot reach it there (such as a clone below /root). */
export function stackDir(name: string): string {
  const digest = createHash('sha256').update(repository).digest('hex').slice(0, 8);
  const base = isOpenToAll(repository) ? join(repository, '.stack') : join(tmpdir(), `parley-stack-${digest}`);
  return join(base, name);
}

function isOpenToAll(path: string): boolean {
  if (process.getuid?.() !== 0) return true; // everything runs under one account
  for (let folder = path; folder !== '/'; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
  }
  return true;
}

/** Removes the servers and folders of killed test runs. */
function dropAbandoned(dir: string, name: string) {
  const base = dirname(dir);
  if (!existsSync(base)) return;
  for (const entry of readdirSync(base)) {
    const pidFile = join(base, entry, 'owner.pid');
    if (!entry.startsWith(`${name}-`) || !existsSync(pidFile)) continue;
    if (isAlive(Number(readFileSync(pidFile, 'utf8')))) continue;
    for (const pid of serversIn(join(base, entry))) process.kill(pid, 'SIGKILL');
    rmSync(join(base, entry), { recursive: true, force: true });
  }
}

/** The same for a stack with kept data: its servers would lock the data, and the next start would fail. */
async function endAbandoned(dir: string) {
  const pidFile = join(dir, 'owner.pid');
  if (!existsSync(pidFile)) return;
  const owner = Number(readFileSync(pidFile, 'utf8'));
  if (isAlive(owner)) throw new Error(`Already running as process ${owner}. Stop it first.`);
  for (const pid of serversIn(dir)) process.kill(pid, 'SIGINT'); // a clean shutdown
  for (let waited = 0; waited < 100 && serversIn(dir).length > 0; waited++) await sleep(100);
  for (const pid of serversIn(dir)) process.kill(pid, 'SIGKILL');
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Processes whose working folder is in `dir`: every server of a stack is started there. Linux only; otherwise none. */
function serversIn(dir: string): number[] {
  if (!existsSync('/proc')) return [];
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 1 && pid !== process.pid && workingFolder(pid).startsWith(`${dir}/`));
}

function workingFolder(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}
