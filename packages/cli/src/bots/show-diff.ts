import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { writeFolder } from './folder.ts';
import type { BotFiles } from './bot-files.ts';

/** In git's diff format. Falls back to a list of names without git. */
export async function showDiff(before: BotFiles, after: BotFiles): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'parley-diff-'));
  try {
    await writeFolder(join(dir, 'service'), before);
    await writeFolder(join(dir, 'files'), after);
    const colour = process.stdout.isTTY ? 'always' : 'never';
    const git = spawn('git', ['diff', '--no-index', '--no-prefix', `--color=${colour}`, 'service', 'files'], {
      cwd: dir,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const failed = new Promise<string>((resolve) => {
      git.once('error', () => resolve(namesOf(before, after)));
    });
    return (await Promise.race([text(git.stdout), failed])).trimEnd() || namesOf(before, after);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Used without git. */
const namesOf = (before: BotFiles, after: BotFiles): string =>
  [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .sort()
    .join('\n');
