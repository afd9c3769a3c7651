import type { Endpoint } from './webhooks.store.ts';

// Endpoints in words, for people who are not their owners.

/** The rest of an address may hold a key. */
export const hostOf = (url: string): string => URL.parse(url)?.host ?? 'an address that cannot be read';

/** What a hint quotes of an answer may be a whole address: its host says enough. */
export const withHostsOnly = (text: string): string => text.replaceAll(/\bhttps?:\/\/\S+/gi, (url) => hostOf(url));

type Judged = Pick<Endpoint, 'status' | 'disabledReason' | 'health' | 'isListenedTo'>;

export function sinceOf({ status, health }: Pick<Judged, 'status' | 'health'>): Date | null {
  const since = status === 'disabled' ? (health.disabledAt ?? health.failingSince) : health.failingSince;
  return since === null || status === 'active' ? null : new Date(since);
}

export function whyOf({ status, disabledReason, health, isListenedTo }: Judged): string {
  const last = health.last ? ` Last: ${withHostsOnly(health.last.problem)}` : '';
  const inARow = `${health.failures} ${health.failures === 1 ? 'call' : 'calls'} in a row failed.`;
  switch (status) {
    case 'active':
      return health.failures > 0 ? `It delivers, but ${inARow.toLowerCase()}${last}` : 'It delivers.';
    case 'failing':
      return `${inARow} It is still called.${last}`;
    case 'broken':
      return `${inARow} What comes is held, and one call tries it now and then.${last}`;
    case 'paused':
      return isListenedTo
        ? 'Paused by its owner, who fetches its calls to their own machine.'
        : 'Paused by its owner. What comes is held for 30 days.';
    case 'disabled':
      return `${disabledWords[disabledReason ?? 'failures']} What comes is held for 30 days.${last}`;
  }
}

const disabledWords = {
  failures: 'Disabled after five days without a success.',
  gone: 'Disabled: its server answered 410, “gone”.',
  receiver: 'Disabled: an answer of its server asked for it.',
};
