import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { settings } from '../settings.ts';

/** The endpoint that this machine listens by, with the secret that was shown once: it stays the same from day to day. */
export interface Remembered {
  id: string;
  secret: string;
}
const file = () => join(settings().configDir, 'listeners.json');

/** By service and environment. */
export const readListeners = async (): Promise<Record<string, Remembered>> =>
  JSON.parse(await readFile(file(), 'utf8').catch(() => '{}')) as Record<string, Remembered>;

export async function rememberListener(place: string, one: Remembered): Promise<void> {
  await mkdir(settings().configDir, { recursive: true, mode: 0o700 });
  const beside = `${file()}.${process.pid}`;
  await writeFile(beside, `${JSON.stringify({ ...(await readListeners()), [place]: one }, null, 2)}\n`, {
    mode: 0o600,
  });
  await rename(beside, file());
}
