import type { Source } from '../errors/reasons.ts';

export interface Rate {
  name: string;
  points: number;
  seconds: number;
}

const declared = /\{ name: ['`]([a-z-]+)['`], points: ([\d_]+), seconds: ([\d_]+) \}/g;

/** Every limit on how often, from where the routes declare it. */
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

/** What each is counted for, in words. A test fails when one is missing. */
export const rateWords: Record<string, string> = {
  'action-calls': 'Trying and reconciling actions, by tenant',
  'api-key-changes': 'Changes of API keys, by tenant',
  handovers: 'Ways into the customer portal in somebody’s place, by operator or address',
  'invitation-letters': 'Invitations, by tenant',
  'key-exposed': 'Telling you that a server key was seen in a browser, by key',
  'knowledge-asks': 'Asking what a bot would find, by tenant',
  'knowledge-changes': 'Changes of knowledge, by tenant',
  'knowledge-syncs': 'Syncs of knowledge, by tenant',
  'knowledge-uploads': 'Uploads of files, by tenant',
  letters: 'Letters that somebody asks for, by address',
  'messages-address': 'Messages of visitors, by address',
  'messages-bot': 'Messages of visitors, by bot',
  'messages-session': 'Messages of visitors, by session',
  'messages-tenant': 'Messages of visitors, by tenant',
  oidc: 'Sign-in by OpenID Connect, by address',
  'owner-letters': 'Invitations of owners, by operator',
  'profile-changes': 'Changes of one’s profile, by person',
  'sign-in-options': 'Asking how somebody signs in, by address',
  'sign-in-pages': 'Pages to sign in at, by address',
  'sign-in-requests': 'Sign-ins, by address',
  'webhook-changes': 'Changes of endpoints, by tenant',
  'webhook-inbound': 'Inbound calls, by endpoint',
  'webhook-listening': 'Polls of `parley listen`, by tenant',
  'webhook-tests': 'Tests of endpoints, by tenant',
  'welcome-letters': 'Letters to new operators, by operator',
  'widget-actions': 'What a visitor does beside writing, by session',
  'widget-erasures': 'Deleting one’s conversations, by session',
  'widget-exports': 'Downloading one’s conversations, by session',
  'widget-refreshes': 'Renewing a session, by session',
  'widget-sessions': 'Opening a session, by address and key',
  'widget-setup': 'Reading how a bot looks, by address',
};
