import { each } from '@parley/sdk';
import type { Command } from 'commander';
import { moment, several, take, wholeNumber } from '../arguments.ts';
import { confirmed } from '../ask.ts';
import { fields, table } from '../out.ts';
import { openSession, type Session } from '../session.ts';

type NewKey = Parameters<Session['parley']['createApiKey']>[0]['body'];

export function define(keys: Command): void {
  keys
    .command('list')
    .description('list keys, without their secrets')
    .action(async (_options: object, command: Command) => {
      const { parley, out } = await openSession(command);
      const data = await take(each(parley.listApiKeys, { query: { limit: 100 } }));
      const rows = data.map(({ id, keyType, status, hint, lastUsedAt, name }) => [
        id,
        keyType,
        status,
        `…${hint}`,
        lastUsedAt ?? 'never',
        name,
      ]);
      const words = table(['ID', 'TYPE', 'STATUS', 'ENDS IN', 'LAST USED', 'NAME'], rows);
      out.answer({ data }, data.length > 0 ? words : 'No keys yet.');
    });

  keys
    .command('create')
    .description('create a key; the secret is shown only once')
    .argument('<name>', 'key name')
    .option('--widget <bot>', 'create a public key for this bot’s widget instead of a server key')
    .option('-p, --permission <names>', 'permissions of a server key (default: none)', several, [])
    .option('--environment <id>', 'limit the key to this environment')
    .option('--workspace <id>', 'limit the key to this workspace')
    .option('--expires <date>', 'expiry date', moment)
    .addHelpText('after', '\nExample:\n  $ parley keys create "shop backend" -p conversation.view -p webhook.view')
    .action(async (name: string, options: CreateOptions, command: Command) => {
      const { parley, out } = await openSession(command);
      const { widget, permission, environment, workspace, expires } = options;
      const made = await parley.createApiKey({
        body: {
          name,
          keyType: widget === undefined ? 'secret_server' : 'public_widget',
          ...(widget && { boundBotId: widget }),
          ...(permission.length > 0 && { permissions: permission as NewKey['permissions'] }),
          ...(environment && { environmentId: environment }),
          ...(workspace && { workspaceId: workspace }),
          ...(expires && { expiresAt: expires }),
        } as NewKey,
      });
      out.answer(made, fields({ id: made.apiKey.id, name, type: made.apiKey.keyType, secret: made.secret }));
      out.note('Copy the secret now. It won’t be shown again.');
    });

  keys
    .command('rotate')
    .description('create a new secret; the old one keeps working for a while')
    .argument('<key>')
    .option('--overlap <seconds>', 'how long the old secret keeps working', wholeNumber(0, 604_800))
    .action(async (id: string, { overlap }: { overlap?: number }, command: Command) => {
      const { parley, out } = await openSession(command);
      const body = overlap === undefined ? {} : { overlapSeconds: overlap };
      const made = await parley.rotateApiKey({ path: { id }, body });
      out.answer(made, fields({ id, secret: made.secret, 'old secret expires': made.previousExpiresAt }));
      out.note('Copy the secret now. It won’t be shown again.');
    });

  keys
    .command('revoke')
    .description('revoke a key permanently')
    .argument('<key>')
    .option('-y, --yes', 'skip confirmation')
    .action(async (id: string, { yes }: { yes?: true }, command: Command) => {
      const { parley, out } = await openSession(command);
      const { apiKey } = await parley.getApiKey({ path: { id } });
      await confirmed(`Revoke “${apiKey.name}”? Anything that uses it stops working within 5 seconds.`, yes);
      out.answer(await parley.revokeApiKey({ path: { id } }), `Revoked ${apiKey.name}.`);
    });
}

interface CreateOptions {
  widget?: string;
  permission: string[];
  environment?: string;
  workspace?: string;
  expires?: string;
}
