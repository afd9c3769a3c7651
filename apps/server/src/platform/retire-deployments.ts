import { countInvocations, type Deployments } from './deployments.ts';
import type { Processes } from './processes.ts';
import type { Log } from './telemetry.ts';

interface RetireDeps {
  deployments: Pick<Deployments, 'list' | 'listWithInvocations' | 'moveStranded' | 'remove'>;
  listProcesses: Processes['list'];
  log: Log;
}

/**
 * After an upgrade: moves the invocations of workers that are gone to the latest version, and removes versions that have
 * neither invocations nor workers. Only lists the versions while there is just one.
 */
export async function retireDeployments({ deployments, listProcesses, log }: RetireDeps): Promise<void> {
  if ((await deployments.list()).length < 2) return;
  const moved = await deployments.moveStranded();
  if (moved > 0) log.warn({ invocations: moved }, 'moved invocations of a worker that is gone to the latest version');

  const running = new Set((await listProcesses()).map(({ version }) => version));
  for (const deployment of await deployments.listWithInvocations()) {
    const { id, version, isLatest, onlyHere } = deployment;
    if (isLatest || onlyHere.length > 0 || countInvocations(deployment) > 0) continue;
    if (version === null || running.has(version)) continue;
    await deployments.remove(id);
    log.info({ version }, 'removed a version from Restate that has neither invocations nor workers');
  }
}
