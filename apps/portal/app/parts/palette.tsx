import { api, type PaletteItem } from '@parley/portal-kit/ui';
import { IconMessage, IconPlus, IconRobot, IconUser } from '@tabler/icons-react';
import { nameOf } from '../pages/contacts/people.ts';

// The command palette: the pages below the main menu, actions, and what the API finds.

/** Not the URL alone, which is the ID of an item of the menu. */
const page = (to: string, label: string, detail: string): PaletteItem => ({
  id: `page:${to}`,
  group: 'Pages',
  to,
  label,
  detail,
});
const action = (to: string, label: string): PaletteItem => ({
  id: `action:${to}`,
  group: 'Actions',
  to,
  label,
  icon: <IconPlus size={18} aria-hidden />,
});

export const commands: readonly PaletteItem[] = [
  page('/organisation', 'Members', 'Organisation'),
  page('/developers/keys', 'API keys', 'Developers'),
  page('/developers/webhooks', 'Webhooks', 'Developers'),
  page('/developers/events', 'Events', 'Developers'),
  page('/developers/runs', 'Action runs', 'Developers'),
  page('/organisation/workspaces', 'Workspaces', 'Organisation'),
  page('/organisation/inbox', 'Inbox settings', 'Organisation'),
  page('/organisation/plan', 'Plan and usage', 'Organisation'),
  page('/organisation/plans', 'Plans', 'Organisation'),
  page('/organisation/audit', 'Audit log', 'Organisation'),
  page('/organisation/settings', 'Settings', 'Organisation'),
  page('/profile', 'Profile', 'You'),
  action('/setup?new', 'Set up a new bot'),
];

const maxPerGroup = 5;

/** Bots and contacts by name, and conversations by what was said. What the member may not see is left out. */
export async function search(query: string): Promise<PaletteItem[]> {
  const found = await Promise.all([findBots(query), findContacts(query), findConversations(query)]);
  return found.flat();
}

async function findBots(query: string): Promise<PaletteItem[]> {
  const { data } = await api.GET('/bots', { params: { query: { limit: maxPerGroup, q: query } } });
  return (data?.data ?? []).map(({ id, name }) => ({
    id,
    group: 'Bots',
    label: name,
    to: `/bots/${id}`,
    icon: <IconRobot size={18} aria-hidden />,
  }));
}

async function findContacts(query: string): Promise<PaletteItem[]> {
  const { data } = await api.GET('/contacts', { params: { query: { limit: maxPerGroup, q: query } } });
  return (data?.data ?? []).map((contact) => ({
    id: contact.id,
    group: 'Contacts',
    label: nameOf(contact),
    detail: contact.name ? contact.email : contact.externalUserId,
    to: `/contacts/${contact.id}`,
    icon: <IconUser size={18} aria-hidden />,
  }));
}

async function findConversations(query: string): Promise<PaletteItem[]> {
  const { data } = await api.GET('/conversations', { params: { query: { limit: maxPerGroup, q: query } } });
  return (data?.data ?? []).map(({ id, visitorPreview, preview, person }) => ({
    id,
    group: 'Conversations',
    label: visitorPreview || preview.replaceAll(/[*`#]/g, '') || 'No messages yet',
    detail: person.name,
    to: `/conversations/${id}`,
    icon: <IconMessage size={18} aria-hidden />,
  }));
}
