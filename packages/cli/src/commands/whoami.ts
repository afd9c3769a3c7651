import type { Command } from 'commander';
import { fields } from '../out.ts';
import { openSession } from '../session.ts';

export function define(whoami: Command): void {
  whoami.action(async (_options: object, command: Command) => {
    const { parley, apiUrl, out } = await openSession(command);
    const me = await parley.getMe();
    const text = fields({
      [me.actor.type === 'api_key' ? 'API key' : 'account']: me.email ?? me.actor.id,
      organisation: `${me.tenantName} (${me.tenantId})`,
      plan: me.plan,
      roles: me.roles.join(', '),
      permissions: me.permissions.join(', '),
      'API URL': apiUrl,
    });
    out.result({ apiUrl, ...me }, text);
  });
}
