import { each } from '@parley/sdk';
import type { Command } from 'commander';
import { take } from '../arguments.ts';
import { deployVersion, publishDraft } from '../bots/publish.ts';
import { diffFolder, pullFolder, pushFolder } from '../bots/sync.ts';
import { table } from '../out.ts';
import { openSession } from '../session.ts';

export function define(bots: Command): void {
  bots
    .command('list')
    .description('list bots')
    .action(async (_options: object, command: Command) => {
      const { parley, out } = await openSession(command);
      const data = await take(each(parley.listBots, { query: { limit: 100 } }));
      const rows = data.map(({ id, status, name }) => [id, status, name]);
      out.result({ data }, data.length > 0 ? table(['ID', 'STATUS', 'NAME'], rows) : 'No bots yet.');
    });

  bots
    .command('pull')
    .description('download a bot as files; local changes are kept')
    .argument('[bot]', 'bot ID, required the first time')
    .option('-d, --dir <path>', 'bot folder', '.')
    .option('--force', 'overwrite local files in case of conflict')
    .addHelpText(
      'after',
      `
Writes parley.bot.json, instructions.md, actions/<name>.json, knowledge/*.md,
knowledge.json (websites and sitemaps) and parley.lock.json. Commit all of them.
On a conflict, exits with 5 and writes nothing.

Example:
  $ parley bots pull bot_01… --dir bots/shop`,
    )
    .action(async (botId: string | undefined, options: SyncOptions, command: Command) =>
      pullFolder(await openSession(command), { botId, ...options }),
    );

  bots
    .command('diff')
    .description('compare the files with the draft; exits with 1 if they differ')
    .option('-d, --dir <path>', 'bot folder', '.')
    .action(async ({ dir }: SyncOptions, command: Command) => diffFolder(await openSession(command), dir));

  bots
    .command('push')
    .description('update the draft with your local changes')
    .option('-d, --dir <path>', 'bot folder', '.')
    .option('--dry-run', 'show what would change without changing it')
    .option('--force', 'overwrite the draft in case of conflict')
    .option('-y, --yes', 'delete without confirmation')
    .addHelpText(
      'after',
      `
On a conflict, exits with 5 and writes nothing.
In CI, where git is the source of truth, use --force --yes. Remote-only changes are kept.`,
    )
    .action(async (options: SyncOptions & PushOptions, command: Command) =>
      pushFolder(await openSession(command), options),
    );

  bots
    .command('publish')
    .description('publish the draft as a version')
    .argument('[bot]', 'bot ID (default: the bot in this folder)')
    .option('-d, --dir <path>', 'bot folder', '.')
    .option('--notes <text>', 'release notes for your team', '')
    .option('--deploy <environment>', 'also deploy it to this environment, such as test')
    .addHelpText('after', '\nExample:\n  $ parley bots publish --deploy test --notes "opening hours"')
    .action(async (botId: string | undefined, options: PublishOptions, command: Command) =>
      publishDraft(await openSession(command), { botId, ...options }),
    );

  bots
    .command('deploy')
    .description('deploy or roll back to a version')
    .argument('<environment>', 'environment name, such as test or live')
    .argument('[version]', 'version number or ID (default: latest)')
    .option('--bot <id>', 'bot ID (default: the bot in this folder)')
    .option('-d, --dir <path>', 'bot folder', '.')
    .action(async (environment: string, version: string | undefined, options: DeployOptions, command: Command) => {
      const { bot: botId, dir } = options;
      await deployVersion(await openSession(command), { botId, dir, environment, version });
    });
}

interface SyncOptions {
  dir: string;
  force?: true;
}
interface PushOptions {
  dryRun?: true;
  yes?: true;
}
interface PublishOptions {
  dir: string;
  notes: string;
  deploy?: string;
}
interface DeployOptions {
  dir: string;
  bot?: string;
}
