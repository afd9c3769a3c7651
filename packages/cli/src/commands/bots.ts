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
    .description('your bots')
    .action(async (_options: object, command: Command) => {
      const { parley, out } = await openSession(command);
      const data = await take(each(parley.listBots, { query: { limit: 100 } }));
      const rows = data.map(({ id, status, name }) => [id, status, name]);
      out.answer({ data }, data.length > 0 ? table(['ID', 'STATUS', 'NAME'], rows) : 'No bot yet.');
    });

  bots
    .command('pull')
    .description('a bot as files; what you changed here stays')
    .argument('[bot]', 'needed the first time')
    .option('-d, --dir <path>', 'the folder', '.')
    .option('--force', 'the service wins where both sides changed')
    .addHelpText(
      'after',
      `
Writes parley.bot.json, instructions.md, actions/<name>.json, knowledge/*.md,
knowledge.json (pages that are read) and parley.lock.json. Put all of it into git.
Exit code 5 when both sides changed the same; nothing is written then.

Example:
  $ parley bots pull bot_01… --dir bots/shop`,
    )
    .action(async (botId: string | undefined, options: SyncOptions, command: Command) =>
      pullFolder(await openSession(command), { botId, ...options }),
    );

  bots
    .command('diff')
    .description('how the files differ from the service; exit code 1 when they do')
    .option('-d, --dir <path>', 'the folder', '.')
    .action(async ({ dir }: SyncOptions, command: Command) => diffFolder(await openSession(command), dir));

  bots
    .command('push')
    .description('bring what you changed here into the draft of the service')
    .option('-d, --dir <path>', 'the folder', '.')
    .option('--dry-run', 'only show what would change')
    .option('--force', 'the files win where both sides changed')
    .option('-y, --yes', 'delete without asking')
    .addHelpText(
      'after',
      `
Exit code 5 when both sides changed the same: nothing is written then.
Where git has the last word, as in CI: --force --yes. What is only in the service stays.`,
    )
    .action(async (options: SyncOptions & PushOptions, command: Command) =>
      pushFolder(await openSession(command), options),
    );

  bots
    .command('publish')
    .description('freeze the draft as a version')
    .argument('[bot]', 'the one in this folder unless you say')
    .option('-d, --dir <path>', 'the folder', '.')
    .option('--notes <text>', 'what is new, for your colleagues', '')
    .option('--deploy <environment>', 'and have it answer there, such as test')
    .addHelpText('after', '\nExample:\n  $ parley bots publish --deploy test --notes "opening hours"')
    .action(async (botId: string | undefined, options: PublishOptions, command: Command) =>
      publishDraft(await openSession(command), { botId, ...options }),
    );

  bots
    .command('deploy')
    .description('have a version answer in an environment; also to roll back')
    .argument('<environment>', 'its name, such as test or live')
    .argument('[version]', 'its number or id; the newest unless you say')
    .option('--bot <id>', 'the one in this folder unless you say')
    .option('-d, --dir <path>', 'the folder', '.')
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
