import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { writeFolder } from './folder.ts';
import type { Parts } from './parts.ts';

/** As git shows it: whoever keeps a bot in git has it, and reads its words every day. */
export async function showDiff(before: Parts, after: Parts): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'parley-diff-'));
  try {
    await writeFolder(join(dir, 'service'), before);
    await writeFolder(join(dir, 'files'), after);
    const colour = process.stdout.isTTY ? 'always' : 'never';
    const git = spawn('git', ['diff', '--no-index', '--no-prefix', `--color=${colour}`, 'service', 'files'], {
      cwd: dir,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const failed = new Promise<string>((told) => {
      git.once('error', () => told(namesOf(before, after)));
    });
    return (await Promise.race([text(git.stdout), failed])).trimEnd() || namesOf(before, after);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Where there is no git. */
const namesOf = (before: Parts, after: Parts): string =>
  [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .sort()
    .join('\n');
