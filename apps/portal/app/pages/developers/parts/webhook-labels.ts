import type { Routes, Schemas } from '@parley/portal-kit/service';

export type Webhook = Schemas['Webhook'];
export type Delivery = Schemas['WebhookDelivery'];
export type Attempt = Schemas['WebhookAttempt'];
export type EventPattern = Routes['/webhooks']['POST']['input']['body']['eventTypes'][number];
export type EventType = NonNullable<Routes['/webhooks/{webhookId}/test']['POST']['input']['body']['type']>;

type Tone = 'good' | 'warn' | 'bad' | 'idle';

export const statusLabels: Record<Webhook['status'], { tone: Tone; label: string }> = {
  active: { tone: 'good', label: 'Active' },
  failing: { tone: 'warn', label: 'Failing' },
  broken: { tone: 'bad', label: 'Broken' },
  disabled: { tone: 'bad', label: 'Disabled' },
  paused: { tone: 'idle', label: 'Paused' },
};

/** New deliveries are on hold. */
export const isOnHold = ({ status }: Pick<Webhook, 'status'>): boolean =>
  status === 'paused' || status === 'disabled' || status === 'broken';

export const deliveryStatusLabels: Record<Delivery['status'], { tone: Tone; label: string }> = {
  pending: { tone: 'warn', label: 'Pending' },
  succeeded: { tone: 'good', label: 'Delivered' },
  exhausted: { tone: 'bad', label: 'Failed' },
  aborted: { tone: 'bad', label: 'Cancelled' },
  expired: { tone: 'bad', label: 'Expired' },
};

export const deliveryStatuses = Object.keys(deliveryStatusLabels) as Delivery['status'][];
export const isDeliveryStatus = (value: string | null): value is Delivery['status'] =>
  value !== null && value in deliveryStatusLabels;

export const pluralize = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** The endpoint’s state, its cause, and the next step. */
export function describeHealth({ status, disabledReason, health, autoRecover, isListenedTo }: Webhook): {
  summary: string;
  next: string;
} {
  const { consecutiveFailures: failures, waiting, lastSuccessAt, nextProbeAt } = health;
  const deliveries = pluralize(waiting, 'delivery', 'deliveries');
  const onHold = waiting === 0 ? 'No deliveries are on hold.' : `${deliveries} on hold.`;
  switch (status) {
    case 'active':
      if (failures > 0)
        return {
          summary: `${failures === 1 ? 'The last request' : `The last ${failures} requests`} failed.`,
          next: 'Failed deliveries are retried automatically. After five failures in a row, the endpoint is marked as failing.',
        };
      if (!lastSuccessAt)
        return { summary: 'No events sent yet.', next: 'Send a test event to check that your server responds.' };
      return {
        summary: 'Deliveries are succeeding.',
        next: waiting > 0 ? `${deliveries} pending.` : 'No action needed.',
      };
    case 'failing':
      return {
        summary: `The last ${pluralize(failures, 'request')} failed. We’re still sending events.`,
        next: `${waiting > 0 ? `${deliveries} pending. ` : ''}After ten failures in a row, new deliveries are put on hold and kept for 30 days.`,
      };
    case 'broken':
      return {
        summary: `Too many requests failed. ${onHold} We keep deliveries for 30 days.`,
        next: nextProbeAt
          ? 'We try one delivery at a time. When your server accepts it, we send the rest.'
          : 'Fix your server, then resume the endpoint.',
      };
    case 'disabled':
      return {
        summary: `${disabledReasonLabels[disabledReason ?? 'failures']} ${onHold} We keep deliveries for 30 days.`,
        next:
          nextProbeAt && autoRecover
            ? 'We check your server from time to time. After two successful responses a minute apart, the endpoint is active again.'
            : 'We’ve stopped sending events. Fix your server, then resume the endpoint.',
      };
    case 'paused':
      if (isListenedTo)
        return {
          summary: 'A developer is receiving its events locally with `parley listen`.',
          next: 'When they stop, new deliveries are put on hold and kept for 30 days.',
        };
      return {
        summary: `Paused by a member of your organisation. ${onHold} We keep deliveries for 30 days.`,
        next: 'Resume the endpoint to start sending again, oldest first.',
      };
  }
}

const disabledReasonLabels = {
  failures: 'Disabled after five days without a successful delivery.',
  gone: 'Disabled because your server returned 410 Gone.',
  receiver: 'Disabled because your server responded with X-Service-Delivery: disable.',
};
