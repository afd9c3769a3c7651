import { readFile, writeFile } from 'node:fs/promises';

const read = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });

const isOurs = (line: string): boolean => /^\s*(export\s+)?PARLEY_/.test(line);

export const hasParleyLines = async (file: string): Promise<boolean> => (await read(file)).split('\n').some(isOurs);

/** Our lines at the end, in place of those that were there; all others as they were. */
export async function writeEnvFile(file: string, lines: Record<string, string>): Promise<void> {
  const others = (await read(file)).split('\n').filter((line) => !isOurs(line));
  const kept = others.join('\n').trimEnd();
  const ours = Object.entries(lines).map(([name, value]) => `${name}=${value}`);
  await writeFile(file, `${kept}${kept && '\n\n'}${ours.join('\n')}\n`, { mode: 0o600 });
}
