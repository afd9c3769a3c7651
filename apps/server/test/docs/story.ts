import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { until } from '../chat/helpers.ts';
import { isShown, type DocsPage, type Fence } from './fences.ts';
import { aShell } from './shell.ts';

const where = ({ page, line }: Fence) => `${page}:${line}`;

/**
 * A page followed from its first line to its last, in an empty folder: files are written, commands run, and what they
 * print is what the page shows. `last` looks at what the page has made while its programs still run.
 */
export async function follow(
  { fences }: DocsPage,
  { folder, env, last }: { folder: string; env: Record<string, string>; last?: (() => Promise<void>) | undefined },
): Promise<void> {
  const shell = aShell(folder, env);
  let printed: () => string = () => '';
  const servers = new Map<string, () => string>();
  try {
    for (const fence of fences) {
      const { kind, file, name, code } = fence;
      if (kind === 'yours') assertKnown(fence, env);
      if (kind === 'file' && file) {
        const path = join((await shell.run('pwd')).trim(), file);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, code);
      }
      if (kind === 'run') {
        const text = await shell.run(code);
        printed = () => text;
      }
      if (kind === 'serve') {
        printed = await shell.serve(code, name);
        if (name) servers.set(name, printed);
      }
      if (kind === 'shows') {
        const said = name ? servers.get(name) : printed;
        if (!said) throw new Error(`${where(fence)}: there is no server '${name}'`);
        await until(() => isShown(code, said()), name ? 15_000 : 500).catch(() => {
          throw shell.trouble(`${where(fence)} shows\n${code}\nbut this was printed:\n${said()}`);
        });
      }
    }
    await last?.();
  } finally {
    await shell.close();
  }
}

/** What a reader sets to their own values, the test has set to its own. */
function assertKnown(fence: Fence, env: Record<string, string>) {
  for (const [, name = ''] of fence.code.matchAll(/^(?:export )?([A-Z_]+)=/gm))
    if (!(name in env)) throw new Error(`${where(fence)}: the tests have no ${name}`);
}
