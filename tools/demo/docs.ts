import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { repository } from './processes.ts';

/** Builds the documentation as files, from the service's contract, events and errors. */
export async function buildDocs(): Promise<void> {
  const build = spawn('npm', ['run', '--silent', 'build'], {
    cwd: join(repository, 'apps/docs'),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise<number | null>((done) => build.once('exit', done));
  if (code !== 0) throw new Error('documentation build failed');
}
