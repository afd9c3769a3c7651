import { readFile, writeFile } from 'node:fs/promises';

const read = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });

const isParleyLine = (line: string): boolean => /^\s*(export\s+)?PARLEY_/.test(line);

export const hasParleyLines = async (file: string): Promise<boolean> =>
  (await read(file)).split('\n').some(isParleyLine);

/** Our lines at the end, replacing earlier ones; all other lines are unchanged. */
export async function writeEnvFile(file: string, lines: Record<string, string>): Promise<void> {
  const others = (await read(file)).split('\n').filter((line) => !isParleyLine(line));
  const otherText = others.join('\n').trimEnd();
  const ours = Object.entries(lines).map(([name, value]) => `${name}=${value}`);
  await writeFile(file, `${otherText}${otherText && '\n\n'}${ours.join('\n')}\n`, { mode: 0o600 });
}
