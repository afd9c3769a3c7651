import type { Schemas } from '@parley/portal-kit/service';

export type ApiKey = Schemas['ApiKey'];
export type KeyPermission = ApiKey['permissions'][number];

export const typeLabels: Record<ApiKey['keyType'], string> = { secret_server: 'Server', public_widget: 'Widget' };

/** Labels of the permissions a key can have, in display order. */
export const permissionLabels: Record<KeyPermission, string> = {
  'conversation.view': 'Read conversations',
  'conversation.reply': 'Reply in conversations',
  'conversation.assign': 'Assign conversations',
  'contact.view': 'Read contacts',
  'contact.update': 'Edit contacts',
  'contact.manage': 'Export and erase contacts',
  'session.create': 'Create widget sessions',
  'bot.view': 'Read bots',
  'bot.manage': 'Manage bots',
  'knowledge.manage': 'Manage knowledge',
  'webhook.view': 'Read webhooks and events',
  'webhook.manage': 'Manage webhooks',
  'analytics.view': 'Read insights',
  'integration.view': 'Read integrations',
  'integration.manage': 'Manage integrations',
  'tenant.view': 'Read organisation settings',
  'tenant.manage': 'Manage organisation settings',
  'audit.view': 'Read audit log',
};
export const keyPermissions = Object.keys(permissionLabels) as KeyPermission[];

const views = keyPermissions.filter((permission) => permission.endsWith('.view'));

/** Common sets of permissions. */
export const presets: { label: string; permissions: readonly KeyPermission[] }[] = [
  { label: 'Backend', permissions: ['session.create', 'conversation.view', 'conversation.reply', 'bot.view'] },
  { label: 'Webhooks', permissions: ['webhook.manage', ...views.filter((view) => view !== 'audit.view')] },
  { label: 'Read-only', permissions: views },
];

export const overlaps = [
  { value: '0', label: 'Immediately' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '24 hours' },
  { value: '604800', label: '7 days' },
];

/** "2 days 4 h", "3 h 12 min", "4 min 10 s": the two largest units. */
export function timeLeft(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), seconds >= 2 * 86_400 ? 'days' : 'day'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}
