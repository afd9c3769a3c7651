import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { settings } from '../settings.ts';

/** The endpoint of this machine, with the secret that was shown once: reused on later runs. */
export interface SavedListener {
  id: string;
  secret: string;
}
const file = () => join(settings().configDir, 'listeners.json');

/** By API URL and environment. */
export const readListeners = async (): Promise<Record<string, SavedListener>> =>
  JSON.parse(await readFile(file(), 'utf8').catch(() => '{}')) as Record<string, SavedListener>;

export async function saveListener(key: string, listener: SavedListener): Promise<void> {
  await mkdir(settings().configDir, { recursive: true, mode: 0o700 });
  const temporary = `${file()}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify({ ...(await readListeners()), [key]: listener }, null, 2)}\n`, {
    mode: 0o600,
  });
  await rename(temporary, file());
}
