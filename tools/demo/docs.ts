import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { repository } from './processes.ts';

/** The documentation, as files. It reads the service's own contract, events and errors while it is built. */
export async function buildDocs(): Promise<void> {
  const build = spawn('npm', ['run', '--silent', 'build'], {
    cwd: join(repository, 'apps/docs'),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise<number | null>((done) => build.once('exit', done));
  if (code !== 0) throw new Error('documentation build failed');
}
