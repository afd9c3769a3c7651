import { setTimeout as sleep } from 'node:timers/promises';
import { countInvocations, type Deployment, type Deployments } from './platform/deployments.ts';

type Print = (line: string) => void;

export async function listDeployments(deployments: Deployments, print: Print): Promise<void> {
  const known = await deployments.listWithInvocations();
  if (known.length === 0) return print('Restate knows no worker. Start one; it registers itself.');
  const rows = known.map((one) => [
    nameOf(one),
    one.isLatest ? 'yes' : one.onlyHere.length > 0 ? `only ${one.onlyHere.join(', ')}` : 'no',
    describeInvocations(one),
    one.registeredAt.slice(0, 19).replace('T', ' '),
    one.url,
  ]);
  for (const row of [['VERSION', 'NEW WORK', 'INVOCATIONS', 'REGISTERED (UTC)', 'URL'], ...rows])
    print(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
}
const widths = [16, 10, 28, 19];

export async function activateDeployment(
  deployments: Deployments,
  version: string | undefined,
  print: Print,
): Promise<void> {
  const one = found(await deployments.listWithInvocations(), version);
  await deployments.register({ url: one.url, version: nameOf(one), force: true });
  print(
    `New work goes to ${nameOf(one)}. Invocations that started on other versions stay there until you drain those.`,
  );
}

interface DrainOptions {
  timeoutSeconds: number;
  /** Also waits until another version gets new work. */
  waitsForSuccessor?: boolean;
  print: Print;
  pollMs?: number;
}

/** Running invocations end within seconds; all others continue on the latest version. */
export async function drainDeployment(
  deployments: Deployments,
  version: string | undefined,
  { timeoutSeconds, waitsForSuccessor = false, print, pollMs = 1_000 }: DrainOptions,
): Promise<void> {
  let printed = '';
  for (const deadline = Date.now() + timeoutSeconds * 1_000; ;) {
    const known = await deployments.listWithInvocations();
    const one = find(known, version);
    if (!one) return print(`${unknown(known, version)} There is nothing to drain.`);
    const isOver = Date.now() > deadline;
    if (one.isLatest && (isOver || !waitsForSuccessor))
      throw new Error(
        `New work goes to ${nameOf(one)}. Start the workers of another version first, or activate one: parley-server deployments activate VERSION`,
      );
    const progress = one.isLatest
      ? `Waiting until another version than ${nameOf(one)} gets new work.`
      : `${nameOf(one)}: ${describeInvocations(one)}`;
    if (progress !== printed) print(progress);
    printed = progress;
    if (!one.isLatest && countInvocations(one) === 0)
      return print(
        `${nameOf(one)} has no invocations. Stop its workers, then run: parley-server deployments remove ${nameOf(one)}`,
      );
    if (isOver)
      throw new Error(
        `${nameOf(one)} still has invocations after ${timeoutSeconds} s. Run this command again, or open Invocations in the admin portal to see what they wait for.`,
      );
    if (!one.isLatest) await deployments.moveWaiting(one.id);
    await sleep(pollMs);
  }
}

interface RemoveOptions {
  print: Print;
  /** Also if no other version has some of its services: after a roll-back, or if the new release has replaced them. */
  dropServices?: boolean;
}

export async function removeDeployment(
  deployments: Deployments,
  version: string | undefined,
  { print, dropServices = false }: RemoveOptions,
): Promise<void> {
  const known = await deployments.listWithInvocations();
  const one = find(known, version);
  // Versions without workers are removed automatically.
  if (!one) return print(`${unknown(known, version)} There is nothing to remove.`);
  if (one.isLatest) throw new Error(`New work goes to ${nameOf(one)}. Activate another version first.`);
  if (one.onlyHere.length > 0 && !dropServices)
    throw new Error(
      `Only ${nameOf(one)} has ${one.onlyHere.join(', ')}. New work of these services still goes to it. After a roll-back, or if the new release has replaced them, nothing calls them: parley-server deployments remove ${nameOf(one)} --drop-services`,
    );
  if (countInvocations(one) > 0)
    throw new Error(
      `${nameOf(one)} has invocations (${describeInvocations(one)}). Drain it first: parley-server deployments drain ${nameOf(one)}`,
    );
  await deployments.remove(one.id);
  print(`Removed ${nameOf(one)}.`);
}

function find(known: readonly Deployment[], which: string | undefined): Deployment | undefined {
  if (which === undefined) throw new Error('Missing version. Run: parley-server deployments list');
  const matching = known.filter(({ version, url }) => version === which || url === which);
  if (matching.length > 1)
    throw new Error(`Version ${which} is registered at ${matching.map(({ url }) => url).join(' and ')}. Name the URL.`);
  return matching[0];
}

function found(known: readonly Deployment[], which: string | undefined): Deployment {
  const one = find(known, which);
  if (!one)
    throw new Error(`${unknown(known, which)} If its workers are running, they register themselves within seconds.`);
  return one;
}

const unknown = (known: readonly Deployment[], which = '') =>
  `Restate knows no version ${which}. Known: ${known.map(nameOf).join(', ') || 'none'}.`;

const nameOf = ({ version, url }: Pick<Deployment, 'version' | 'url'>): string => version ?? url;

const describeInvocations = ({ invocations }: Pick<Deployment, 'invocations'>): string =>
  Object.entries(invocations)
    .map(([status, n]) => `${n} ${status}`)
    .join(', ') || 'no invocations';
