import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Reports the process that was started instead of running it. */
const report = `if (/(api|worker)\\.ts$/.test(process.argv[1])) {
  console.log(JSON.stringify({ pid: process.pid, flags: process.execArgv, file: process.argv[1] }));
  process.exit();
}`;

test.each([
  ['api', ['--min-semi-space-size=16', '--max-semi-space-size=16']],
  ['worker', []],
])('`parley-server %s` becomes that program, with its process ID and flags', async (name, flags) => {
  const cli = join(import.meta.dirname, 'cli.ts');
  const preload = `data:text/javascript,${encodeURIComponent(report)}`;
  const child = spawn(process.execPath, ['--import', preload, cli, name], { stdio: ['ignore', 'pipe', 'inherit'] });
  const started = JSON.parse(await text(child.stdout)) as object;
  expect(started).toEqual({
    pid: child.pid,
    flags: [...flags, '--import', preload],
    file: join(import.meta.dirname, `${name}.ts`),
  });
});
