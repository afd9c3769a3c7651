import { each } from '@parley/sdk';
import { environmentOf } from '../environments.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { fields } from '../out.ts';
import type { Session } from '../session.ts';
import { botIdOf, readFolder } from './folder.ts';

interface PublishInput {
  botId: string | undefined;
  dir: string;
  notes: string;
  deploy?: string;
}

export async function publishDraft(session: Session, { botId, dir, notes, deploy: environment }: PublishInput) {
  const { parley, out } = session;
  const id = botId ?? botIdOf(await readFolder(dir));
  // Checked first: a misspelt environment must not leave a version behind.
  const environmentId = environment === undefined ? undefined : await environmentOfBot(session, id, environment);
  const { version } = await parley.publishBot({ path: { id }, body: { notes } });
  const { content: _content, ...shown } = version;
  const deployed = environmentId && (await deploy(session, id, environmentId, version.id));
  out.result(
    { version: shown, ...(deployed && { deployment: deployed }) },
    fields({ version: version.number, id: version.id, deployed: environment }),
  );
}

interface DeployInput {
  botId: string | undefined;
  dir: string;
  environment: string;
  version: string | undefined;
}

export async function deployVersion(session: Session, { botId, dir, environment, version }: DeployInput) {
  const { parley, out } = session;
  const id = botId ?? botIdOf(await readFolder(dir));
  const environmentId = await environmentOfBot(session, id, environment);
  const isRequested = (one: { id: string; number: number | null }) =>
    version === undefined ? one.number !== null : one.id === version || String(one.number) === version;
  let found: { id: string; number: number | null } | undefined;
  for await (const one of each(parley.listBotVersions, { path: { id }, query: { limit: 100 } })) {
    if (!isRequested(one)) continue;
    found = one;
    break;
  }
  if (!found)
    throw new CliError(
      exitCodes.notFound,
      'version_not_found',
      version === undefined ? 'No version has been published yet.' : `Version ${version} not found.`,
      'Publish one with `parley bots publish`.',
    );
  const deployment = await deploy(session, id, environmentId, found.id);
  out.result({ deployment }, fields({ version: found.number, environment }));
}

async function deploy({ parley }: Session, id: string, environmentId: string, versionId: string) {
  return (await parley.deployBot({ path: { id }, body: { environmentId, versionId } })).deployment;
}

async function environmentOfBot(session: Session, id: string, name: string): Promise<string> {
  const { bot } = await session.parley.getBot({ path: { id } });
  return environmentOf(session, bot.workspaceId, name);
}
