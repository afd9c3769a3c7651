import { Command, CommanderError } from 'commander';
import { exitCodes, toErrorReport } from './exit-codes.ts';
import { printError } from './out.ts';
import { disableColours } from './settings.ts';
import { version } from './version.ts';

interface CommandEntry {
  description: string;
  /** Loaded only when it is called, to start fast. */
  load: () => Promise<{ define: (command: Command) => void }>;
}

const commands: Record<string, CommandEntry> = {
  login: { description: 'sign in with your browser', load: () => import('./commands/login.ts') },
  logout: { description: 'sign out and delete stored credentials', load: () => import('./commands/logout.ts') },
  whoami: {
    description: 'show the current account, organisation and permissions',
    load: () => import('./commands/whoami.ts'),
  },
  init: {
    description: 'set up a project: server key, webhook endpoint and .env',
    load: () => import('./commands/init.ts'),
  },
  bots: {
    description: 'manage bots as files: pull, diff, push, publish, deploy',
    load: () => import('./commands/bots.ts'),
  },
  keys: { description: 'manage API keys', load: () => import('./commands/keys.ts') },
  webhooks: { description: 'manage webhook endpoints and deliveries', load: () => import('./commands/webhooks.ts') },
  listen: {
    description: 'forward events and actions from the test environment to localhost',
    load: () => import('./commands/listen.ts'),
  },
  trigger: { description: 'send a sample event to an endpoint', load: () => import('./commands/trigger.ts') },
  replay: {
    description: 'send a past delivery, or a range of them, again',
    load: () => import('./commands/replay.ts'),
  },
  events: { description: 'list events, oldest first', load: () => import('./commands/events.ts') },
  doctor: { description: 'find out why the chat isn’t showing on a page', load: () => import('./commands/doctor.ts') },
};

const completionCommands = ['completion', 'complete'];

async function buildProgram(isJson: boolean, isCompletion: boolean): Promise<Command> {
  const program = new Command('parley')
    .description('The Parley command line.')
    .version(version, '-V, --version')
    .option('--json', 'print JSON to stdout, and errors as JSON to stderr')
    .option('--api-url <url>', 'API URL (PARLEY_API_URL)')
    .option('--profile <name>', 'profile to use (PARLEY_PROFILE)')
    .option('--no-color', 'disable colours')
    .addHelpText('after', examples)
    .showHelpAfterError('Run with --help for usage.')
    .exitOverride()
    .configureOutput(isJson ? { outputError: () => {}, writeErr: () => {} } : {}) // printed as JSON instead
    .on('option:no-color', disableColours);
  for (const [name, { description }] of Object.entries(commands)) program.command(name).description(description);
  if (isCompletion) {
    for (const command of program.commands)
      await commands[command.name()]?.load().then(({ define }) => define(command));
    (await import('./completion.ts')).addCompletion(program);
    return program;
  }
  program.command('completion').description('print a completion script for bash, zsh or fish');
  program.hook('preSubcommand', async (_program, command) => {
    const found = commands[command.name()];
    if (found) (await found.load()).define(command);
  });
  return program;
}

const examples = `
Examples:
  $ parley login --api-url https://api.example.com
  $ parley init --bot bot_01…
  $ parley trigger conversation.created
  $ parley bots pull bot_01… && parley bots diff
  $ PARLEY_KEY_ID=… PARLEY_KEY=… parley webhooks list --json

Exit codes: 0 success, 1 failure, 2 invalid usage, 3 not signed in or not allowed,
4 not found, 5 rejected or conflict, 6 API or network unavailable, 130 interrupted.`;

export async function run(argv: readonly string[]): Promise<void> {
  // A pipe that is closed early (`| head`) is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  process.once('SIGINT', () => process.exit(exitCodes.interrupted));
  const isJson = argv.includes('--json');
  try {
    const program = await buildProgram(isJson, completionCommands.includes(argv[2] ?? ''));
    await program.parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return; // --help or --version
    const report = toErrorReport(error);
    if (isJson || !(error instanceof CommanderError)) printError(report, isJson);
    process.exitCode = report.exitCode;
  }
}
