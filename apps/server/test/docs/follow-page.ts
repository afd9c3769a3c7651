import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { until } from '../chat/helpers.ts';
import { isShown, type DocsPage, type Fence } from './fences.ts';
import { aShell } from './shell.ts';

const locationOf = ({ page, line }: Fence) => `${page}:${line}`;

/**
 * Follows a page from start to end in an empty folder: writes its files, runs its commands, and compares their output
 * with what the page shows. `last` checks the result while its programs still run.
 */
export async function follow(
  { fences }: DocsPage,
  { folder, env, last }: { folder: string; env: Record<string, string>; last?: (() => Promise<void>) | undefined },
): Promise<void> {
  const shell = aShell(folder, env);
  let printed: () => string = () => '';
  let isRunning = false;
  const servers = new Map<string, () => string>();
  try {
    for (const fence of fences) {
      const { kind, file, name, code } = fence;
      if (kind === 'yours') assertSet(fence, env);
      if (kind === 'file' && file) {
        const path = join((await shell.run('pwd')).trim(), file);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, code);
      }
      if (kind === 'run') {
        const text = await shell.run(code);
        printed = () => text;
        isRunning = false;
      }
      if (kind === 'serve') {
        printed = await shell.serve(code, name);
        isRunning = true;
        if (name) servers.set(name, printed);
      }
      if (kind === 'shows') {
        const output = name ? servers.get(name) : printed;
        if (!output) throw new Error(`${locationOf(fence)}: no server '${name}'`);
        // A command has ended and printed everything; a server may still be about to.
        await until(() => isShown(code, output()), name || isRunning ? 60_000 : 0).catch(() => {
          throw shell.failure(`${locationOf(fence)} shows\n${code}\nbut this was printed:\n${output()}`);
        });
      }
    }
    await last?.();
  } finally {
    await shell.close();
  }
}

/** Variables that a reader sets must be set in the test too. */
function assertSet(fence: Fence, env: Record<string, string>) {
  for (const [, name = ''] of fence.code.matchAll(/^(?:export )?([A-Z_]+)=/gm))
    if (!(name in env)) throw new Error(`${locationOf(fence)}: the tests have no ${name}`);
}
