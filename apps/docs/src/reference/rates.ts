import type { Source } from '../errors/reasons.ts';

export interface Rate {
  name: string;
  points: number;
  seconds: number;
}

const declared = /\{ name: ['`]([a-z-]+)['`], points: ([\d_]+), seconds: ([\d_]+) \}/g;

/** Every rate limit, as declared by the routes. */
export function ratesOf(sources: readonly Source[]): Rate[] {
  const found = sources.flatMap(({ text }) =>
    [...text.matchAll(declared)].map(([, name = '', points = '', seconds = '']) => ({
      name,
      points: Number(points.replaceAll('_', '')),
      seconds: Number(seconds.replaceAll('_', '')),
    })),
  );
  return [...new Map(found.map((rate) => [rate.name, rate])).values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** What each limit applies to. A test fails when one is missing. */
export const rateLabels: Record<string, string> = {
  'contact-erasures': 'Erasures of contacts, per tenant',
  'crawl-plans': 'Plans of a crawl, per tenant',
  'account-emails': 'Requested emails, such as password resets, per IP address',
  'action-calls': 'Action tests and reconciliations, per tenant',
  'agent-assist': 'Drafts and summaries for agents, per tenant',
  'api-key-changes': 'API key changes, per tenant',
  'impersonation-links': 'Impersonation links, per operator or IP address',
  'invitation-emails': 'Invitations, per tenant',
  'key-exposed': 'Notifications about a server key used in a browser, per key',
  'knowledge-changes': 'Knowledge changes, per tenant',
  'knowledge-syncs': 'Knowledge syncs, per tenant',
  'knowledge-tests': 'Knowledge tests, per tenant',
  'knowledge-uploads': 'File uploads, per tenant',
  'messages-bot': 'Visitor messages, per bot',
  'messages-ip': 'Visitor messages, per IP address',
  'messages-session': 'Visitor messages, per session',
  'messages-tenant': 'Visitor messages, per tenant',
  'model-tests': 'Questions to a model from a draft, per tenant',
  oidc: 'OpenID Connect requests, per IP address',
  'owner-invitation-emails': 'Owner invitations, per operator',
  'profile-changes': 'Profile changes, per user',
  'sign-in-options': 'Requests for sign-in options, per IP address',
  'sign-in-pages': 'Sign-in pages, per IP address',
  'sign-in-requests': 'Sign-ins, per IP address',
  'support-requests': 'Support access requests, per operator',
  'webhook-changes': 'Webhook endpoint changes, per tenant',
  'webhook-inbound': 'Inbound requests, per endpoint',
  'webhook-listening': 'Polls by `parley listen`, per tenant',
  'webhook-tests': 'Webhook endpoint tests, per tenant',
  'welcome-emails': 'Welcome emails to operators, per operator',
  'widget-actions': 'Visitor actions other than messages, per session',
  'widget-erasures': 'Data erasures by visitors, per session',
  'widget-exports': 'Data exports by visitors, per session',
  'widget-refreshes': 'Session refreshes, per session',
  'widget-sessions': 'New sessions, per IP address and key',
  'widget-setup': 'Widget configuration requests, per IP address',
  'sign-up-resends': 'Repeated confirmation emails, per sign-up',
  'sign-up-challenges': 'Sign-up challenges, per IP address',
  'sign-up-challenges-network': 'Sign-up challenges, per network (IPv4 /24, IPv6 /48)',
  'sign-ups-network': 'Sign-ups, per network (IPv4 /24, IPv6 /48)',
};
