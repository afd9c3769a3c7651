import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, exitCodes } from './exit-codes.ts';
import { settings } from './settings.ts';

/** One sign-in. */
export interface Profile {
  apiUrl: string;
  issuer: string;
  accessToken: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
  refreshToken: string;
}
type Profiles = Record<string, Profile>;

const file = () => join(settings().configDir, 'credentials.json');

export async function readProfile(name: string): Promise<Profile | undefined> {
  return (await readAll())[name];
}

async function readAll(): Promise<Profiles> {
  const text = await readFile(file(), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  try {
    return JSON.parse(text) as Profiles;
  } catch {
    throw new CliError(
      exitCodes.failed,
      'credentials_invalid',
      `${file()} is not valid JSON.`,
      'Delete it and run `parley login`.',
    );
  }
}

/** Changes a profile under a lock: what `change` returns is written, or the profile is removed if it is undefined. */
export async function changeProfile<T extends Profile | undefined>(
  name: string,
  change: (current: Profile | undefined) => Promise<T>,
): Promise<T> {
  await mkdir(settings().configDir, { recursive: true, mode: 0o700 });
  return withLock(`${file()}.lock`, async () => {
    const profiles = await readAll();
    const current = profiles[name];
    const changed = await change(current);
    if (changed === current) return changed;
    const { [name]: _before, ...others } = profiles;
    // Written to a temporary file and renamed: readers see the old or the new file, and a full disk loses neither.
    const temporary = `${file()}.${process.pid}`;
    await writeFile(temporary, `${JSON.stringify(changed ? { ...others, [name]: changed } : others, null, 2)}\n`, {
      mode: 0o600,
    });
    await rename(temporary, file());
    return changed;
  });
}

/** Longer than refreshing a token takes: a lock that is older belongs to a dead process. */
const staleAfterMs = 30_000;

async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + staleAfterMs; // in case the file's timestamp is wrong
  for (;;) {
    const handle = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return undefined;
      throw error;
    });
    if (handle) {
      try {
        return await work();
      } finally {
        await handle.close();
        await rm(path, { force: true });
      }
    }
    const age = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0, // just released
    );
    if (age > staleAfterMs || Date.now() > deadline) await rm(path, { force: true });
    else await sleep(50);
  }
}
