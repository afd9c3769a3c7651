import { expect } from 'vitest';
import { countInvocations } from '../../apps/server/src/platform/deployments.ts';
import type { Records } from './load.ts';
import type { Session } from './documented.ts';
import { listContainers, startOnMachine } from './machine.ts';
import type { aStopwatch } from './table.ts';

type Stopwatch = ReturnType<typeof aStopwatch>;

const versionsIn = async ({ deployments }: Records) => (await deployments.list()).map(({ version }) => version);
const latestOf = async ({ deployments }: Records) =>
  (await deployments.list()).find(({ isLatest }) => isLatest)?.version;

/** Invocations that would still go to a version other than this one. */
async function pinnedElse({ deployments }: Records, version: string) {
  const others = (await deployments.listWithInvocations()).filter((one) => one.version !== version);
  return others.reduce((sum, one) => sum + countInvocations(one), 0);
}

/** Within two minutes, nothing waits for a version that is gone, and Restate knows the new one only. */
export async function expectOnly(records: Records, version: string) {
  await expect.poll(() => pinnedElse(records, version), { timeout: 120_000 }).toBe(0);
  await expect.poll(() => versionsIn(records), { timeout: 120_000 }).toEqual([version]);
}

export async function upgrade(records: Records, session: Session, version: string, watch: Stopwatch) {
  console.log(await watch.step(`upgrade to ${version}`, () => session.run('upgrade')));
  await expectOnly(records, version);
}

export async function rollBack(records: Records, session: Session, version: string, watch: Stopwatch) {
  console.log(await watch.step(`roll back to ${version}`, () => session.run('rollback')));
  await expectOnly(records, version);
}

/**
 * As soon as the new worker gets new work, the upgrade and the old worker are killed. Then the upgrade is started again.
 * Returns how many invocations the old worker had in flight.
 */
export async function upgradeWithKill(records: Records, session: Session, version: string, watch: Stopwatch) {
  const worker = (await listContainers()).find(({ service }) => service.startsWith('worker-'));
  if (!worker) throw new Error('no worker runs');
  const interrupted = startOnMachine('bash', ['-euc', session.script('upgrade')], { cwd: session.cwd() });
  const stranded = await watch.step('upgrade until the new worker gets new work, then kill -9', async () => {
    await expect.poll(() => latestOf(records), { timeout: 300_000, interval: 50 }).toBe(version);
    interrupted.kill();
    process.kill(worker.pid, 'SIGKILL');
    const count = await pinnedElse(records, version);
    await interrupted.ended;
    return count;
  });
  await watch.step('continue the upgrade', () => session.run('upgrade'));
  await expectOnly(records, version);
  return stranded;
}

/** Calls the handler that only the next version has. */
export async function callNewHandler({ ingressUrl }: Records): Promise<string> {
  const response = await fetch(`${ingressUrl}/DrillGreeter/greet`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify('Ada'),
  });
  return `${response.status} ${await response.text()}`;
}
