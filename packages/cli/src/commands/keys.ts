import { each } from '@parley/sdk';
import type { Command } from 'commander';
import { parseTime, parseList, take, integerBetween } from '../arguments.ts';
import { confirm } from '../prompt.ts';
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
      const list = table(['ID', 'TYPE', 'STATUS', 'ENDS IN', 'LAST USED', 'NAME'], rows);
      out.result({ data }, data.length > 0 ? list : 'No keys yet.');
    });

  keys
    .command('create')
    .description('create a key; the secret is shown only once')
    .argument('<name>', 'key name')
    .option('--widget <bot>', 'create a public key for this bot’s widget instead of a server key')
    .option('-p, --permission <names>', 'permissions of a server key (default: none)', parseList, [])
    .option('--environment <id>', 'limit the key to this environment')
    .option('--workspace <id>', 'limit the key to this workspace')
    .option('--expires <date>', 'expiry date', parseTime)
    .addHelpText('after', '\nExample:\n  $ parley keys create "shop backend" -p conversation.view -p webhook.view')
    .action(async (name: string, options: CreateOptions, command: Command) => {
      const { parley, out } = await openSession(command);
      const { widget, permission, environment, workspace, expires } = options;
      const created = await parley.createApiKey({
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
      out.result(
        created,
        fields({ id: created.apiKey.id, name, type: created.apiKey.keyType, secret: created.secret }),
      );
      out.note('Copy the secret now. It won’t be shown again.');
    });

  keys
    .command('rotate')
    .description('create a new secret; the old one keeps working for a while')
    .argument('<key>')
    .option('--overlap <seconds>', 'how long the old secret keeps working', integerBetween(0, 604_800))
    .action(async (id: string, { overlap }: { overlap?: number }, command: Command) => {
      const { parley, out } = await openSession(command);
      const body = overlap === undefined ? {} : { overlapSeconds: overlap };
      const created = await parley.rotateApiKey({ path: { id }, body });
      out.result(created, fields({ id, secret: created.secret, 'old secret expires': created.previousExpiresAt }));
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
      await confirm(`Revoke “${apiKey.name}”? Anything that uses it stops working within 5 seconds.`, yes);
      out.result(await parley.revokeApiKey({ path: { id } }), `Revoked ${apiKey.name}.`);
    });
}

interface CreateOptions {
  widget?: string;
  permission: string[];
  environment?: string;
  workspace?: string;
  expires?: string;
}
