import { each } from '@parley/sdk';
import { take } from './arguments.ts';
import { CliError, exitCodes } from './exit-codes.ts';
import type { Session } from './session.ts';

/** The id of an environment, by name or id. */
export async function environmentOf({ parley }: Session, workspaceId: string, name: string): Promise<string> {
  const all = await take(each(parley.listEnvironments, { query: { limit: 100, workspaceId } }));
  const found = all.find((one) => one.name === name || one.id === name);
  if (found) return found.id;
  throw new CliError(
    exitCodes.notFound,
    'environment_not_found',
    `Environment “${name}” not found in this workspace.`,
    `Available environments: ${all
      .map((one) => one.name)
      .toSorted()
      .join(', ')}.`,
  );
}
