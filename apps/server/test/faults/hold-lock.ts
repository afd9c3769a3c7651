import { onTestFinished } from 'vitest';
import type { Tx } from '../../src/platform/db.ts';
import { admin } from '../harness.ts';

/** Keeps rows locked, so that writers wait, until they are released or the test ends. */
export async function holdLock(lock: (tx: Tx) => Promise<unknown>): Promise<() => Promise<void>> {
  const [acquired, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const transaction = admin.transaction().execute(async (tx) => {
    await lock(tx);
    acquired.resolve();
    await released.promise;
  });
  await acquired.promise;
  const release = async () => {
    released.resolve();
    await transaction;
  };
  onTestFinished(release);
  return release;
}
