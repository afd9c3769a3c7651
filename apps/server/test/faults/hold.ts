import { onTestFinished } from 'vitest';
import type { Tx } from '../../src/platform/db.ts';
import { admin } from '../harness.ts';

/** Keeps rows locked, so that whoever writes them waits, until they are let go or the test ends. */
export async function hold(lock: (tx: Tx) => Promise<unknown>): Promise<() => Promise<void>> {
  const [isHeld, mayGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const held = admin.transaction().execute(async (tx) => {
    await lock(tx);
    isHeld.resolve();
    await mayGo.promise;
  });
  await isHeld.promise;
  const letGo = async () => {
    mayGo.resolve();
    await held;
  };
  onTestFinished(letGo);
  return letGo;
}
