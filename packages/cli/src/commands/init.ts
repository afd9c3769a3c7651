import { each, ParleyError } from '@parley/sdk';
import type { Command } from 'commander';
import { take } from '../arguments.ts';
import { prompt } from '../prompt.ts';
import { environmentOf } from '../environments.ts';
import { hasParleyLines, writeEnvFile } from '../env-file.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { isInteractive, paint } from '../out.ts';
import { openSession, type Session } from '../session.ts';

interface Options {
  bot?: string;
  environment: string;
  webhookUrl?: string;
  file: string;
  force?: true;
}

export function define(init: Command): void {
  init
    .option('--bot <id>', 'bot ID (optional if you have only one)')
    .option('--environment <name>', 'environment', 'test')
    .option('--webhook-url <url>', 'also create a webhook endpoint with this URL')
    .option('--file <path>', 'file to write', '.env')
    .option('--force', 'replace existing PARLEY_ variables')
    .addHelpText(
      'after',
      `
Creates a server key (if you have permission) and a webhook endpoint (with --webhook-url),
and writes PARLEY_ variables to .env. Other variables are not changed.

Example:
  $ parley init --bot bot_01… --webhook-url https://shop.example/parley`,
    )
    .action(async (options: Options, command: Command) => {
      const { file, force } = options;
      const session = await openSession(command);
      // Checked before anything is created: a key that could not be written would be lost.
      if (!force && (await hasParleyLines(file)))
        throw new CliError(
          exitCodes.refused,
          'env_already_configured',
          `${file} already has PARLEY_ variables. Nothing was changed.`,
          'Use --force to replace them, or --file to write to another file.',
        );
      const { ids, names, missing } = await setUp(session, options);
      session.out.result(
        { file, ...ids },
        [`${paint('green', '✓')} ${file}: ${names.join(', ')}`, ...nextSteps(ids)].join('\n'),
      );
      for (const line of missing) session.out.note(line);
    });
}

async function setUp(session: Session, { bot: requestedId, environment: name, webhookUrl, file }: Options) {
  const { parley, apiUrl } = session;
  const { tenantId } = await parley.getMe();
  const { id: botId, workspaceId } = await resolveBot(session, requestedId);
  const environmentId = await environmentOf(session, workspaceId, name);
  const lines: Record<string, string> = {};
  /** Written immediately: the next step may fail, and a secret is shown only once. */
  const save = (more: Record<string, string>) => writeEnvFile(file, Object.assign(lines, more));
  await save({
    PARLEY_API_URL: apiUrl,
    PARLEY_TENANT_ID: tenantId,
    PARLEY_WORKSPACE_ID: workspaceId,
    PARLEY_ENVIRONMENT_ID: environmentId,
    PARLEY_BOT_ID: botId,
  });
  const missing: string[] = [];
  const key = await ifAllowed(missing, 'No server key was created', () =>
    parley.createApiKey({
      body: {
        name: `parley init (${name})`,
        keyType: 'secret_server',
        workspaceId,
        environmentId,
        permissions: ['tenant.view', 'bot.view', 'conversation.view', 'webhook.view', 'session.create'],
      },
    }),
  );
  if (key) await save({ PARLEY_KEY_ID: key.apiKey.id, PARLEY_KEY: key.secret });
  const hook =
    webhookUrl === undefined
      ? undefined
      : await ifAllowed(missing, 'No webhook endpoint was created', () =>
          parley.createWebhook({ body: { url: webhookUrl, eventTypes: ['*'], environmentId, botIds: [botId] } }),
        );
  if (hook) await save({ PARLEY_WEBHOOK_ID: hook.webhook.id, PARLEY_WEBHOOK_SECRET: hook.secret });
  const ids = { tenantId, workspaceId, environmentId, botId, keyId: key?.apiKey.id, webhookId: hook?.webhook.id };
  return { ids, names: Object.keys(lines), missing };
}

async function resolveBot({ parley }: Session, requestedId: string | undefined) {
  if (requestedId !== undefined) return (await parley.getBot({ path: { id: requestedId } })).bot;
  const bots = await take(each(parley.listBots, { query: { limit: 100, status: 'active' } }));
  const [only] = bots;
  if (!only) throw new CliError(exitCodes.notFound, 'no_bot', 'You have no bots.', 'Create one in the portal.');
  if (bots.length === 1) return only;
  if (!isInteractive())
    throw new CliError(
      exitCodes.usage,
      'multiple_bots',
      'You have more than one bot.',
      'Choose one with --bot. To list them, run `parley bots list`.',
    );
  process.stderr.write(`${bots.map(({ name, id }, n) => `${n + 1}  ${name} (${id})`).join('\n')}\n`);
  const chosen = bots[Number(await prompt('Which bot?', '1')) - 1];
  if (!chosen) throw new CliError(exitCodes.usage, 'invalid_choice', 'That number isn’t in the list.');
  return chosen;
}

/** Skips what the person may not create, and reports it. */
async function ifAllowed<T>(missing: string[], what: string, create: () => Promise<T>): Promise<T | undefined> {
  try {
    return await create();
  } catch (error) {
    if (!(error instanceof ParleyError) || error.status !== 403) throw error;
    missing.push(`${what}: ${error.message}`);
    return undefined;
  }
}

const nextSteps = ({ keyId, webhookId }: { keyId: string | undefined; webhookId: string | undefined }) => [
  '',
  'Next:',
  ...(keyId ? [] : ['  ask an owner for a server key and add PARLEY_KEY_ID and PARLEY_KEY']),
  webhookId
    ? `  parley trigger ping --webhook ${webhookId}`
    : '  parley listen --forward-to http://localhost:3000/parley',
  '  keep .env out of git, because it contains secrets',
];
