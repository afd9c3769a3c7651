import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { seedDemo } from '../seed.ts';

/** In its own process, since its clock is moved. */
export async function seedHistory(env: Record<string, string>): ReturnType<typeof seedDemo> {
  const { stdout } = await promisify(execFile)(process.execPath, [`${import.meta.dirname}/seed.ts`], {
    env: { ...process.env, ...env },
    maxBuffer: 16 * 1_024 * 1_024,
  });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Awaited<ReturnType<typeof seedDemo>>;
}
