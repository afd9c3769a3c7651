import type { Endpoint } from './webhooks.store.ts';

// Descriptions of endpoints for operators, who must not see what a tenant keeps secret.

/** The rest of a URL may contain a secret. */
export const hostOf = (url: string): string => URL.parse(url)?.host ?? 'an unreadable URL';

/** A hint can quote a full URL from a response: only its host is shown. */
export const withHostsOnly = (text: string): string => text.replaceAll(/\bhttps?:\/\/\S+/gi, (url) => hostOf(url));

type EndpointState = Pick<Endpoint, 'status' | 'disabledReason' | 'health' | 'isListenedTo'>;

export function problemSince({ status, health }: Pick<EndpointState, 'status' | 'health'>): Date | null {
  const since = status === 'disabled' ? (health.disabledAt ?? health.failingSince) : health.failingSince;
  return since === null || status === 'active' ? null : new Date(since);
}

export function describeStatus({ status, disabledReason, health, isListenedTo }: EndpointState): string {
  const last = health.last ? ` Last failure: ${withHostsOnly(health.last.problem)}` : '';
  const inARow = `${health.failures} ${health.failures === 1 ? 'request' : 'requests'} in a row failed.`;
  switch (status) {
    case 'active':
      return health.failures > 0 ? `Delivering, but ${inARow.toLowerCase()}${last}` : 'Delivering.';
    case 'failing':
      return `${inARow} Still being called.${last}`;
    case 'broken':
      return `${inARow} New events are queued, and the endpoint is probed from time to time.${last}`;
    case 'paused':
      return isListenedTo
        ? 'Paused by the tenant, and being fetched with `parley listen`.'
        : 'Paused by the tenant. New events are queued for 30 days.';
    case 'disabled':
      return `${disabledReasons[disabledReason ?? 'failures']} New events are queued for 30 days.${last}`;
  }
}

const disabledReasons = {
  failures: 'Disabled after five days without a successful delivery.',
  gone: 'Disabled: the server returned 410 Gone.',
  receiver: 'Disabled at the request of the server.',
};
