import type { paths, Schemas } from '@parley/portal-kit/service';

export type Webhook = Schemas['Webhook'];
export type Delivery = Schemas['WebhookDelivery'];
export type Attempt = Schemas['WebhookAttempt'];
export type EventPattern =
  paths['/webhooks']['post']['requestBody']['content']['application/json']['eventTypes'][number];
export type EventType = NonNullable<
  paths['/webhooks/{webhookId}/test']['post']['requestBody']['content']['application/json']['type']
>;

type Tone = 'good' | 'warn' | 'bad' | 'idle';

export const statusWords: Record<Webhook['status'], { tone: Tone; word: string }> = {
  active: { tone: 'good', word: 'Active' },
  failing: { tone: 'warn', word: 'Failing' },
  broken: { tone: 'bad', word: 'Broken' },
  disabled: { tone: 'bad', word: 'Disabled' },
  paused: { tone: 'idle', word: 'Paused' },
};

/** New deliveries are on hold. */
export const isHolding = ({ status }: Pick<Webhook, 'status'>): boolean =>
  status === 'paused' || status === 'disabled' || status === 'broken';

export const deliveryWords: Record<Delivery['status'], { tone: Tone; word: string }> = {
  pending: { tone: 'warn', word: 'Pending' },
  succeeded: { tone: 'good', word: 'Delivered' },
  exhausted: { tone: 'bad', word: 'Failed' },
  aborted: { tone: 'bad', word: 'Cancelled' },
  expired: { tone: 'bad', word: 'Expired' },
};

export const deliveryStatuses = Object.keys(deliveryWords) as Delivery['status'][];
export const isDeliveryStatus = (value: string | null): value is Delivery['status'] =>
  value !== null && value in deliveryWords;

export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** The endpoint’s state, its cause, and the next step. */
export function healthWords({ status, disabledReason, health, autoRecover, isListenedTo }: Webhook): {
  what: string;
  next: string;
} {
  const { consecutiveFailures: failures, waiting, lastSuccessAt, nextProbeAt } = health;
  const deliveries = counted(waiting, 'delivery', 'deliveries');
  const onHold = waiting === 0 ? 'No deliveries are on hold.' : `${deliveries} on hold.`;
  switch (status) {
    case 'active':
      if (failures > 0)
        return {
          what: `${failures === 1 ? 'The last request' : `The last ${failures} requests`} failed.`,
          next: 'Failed deliveries are retried automatically. After five failures in a row, the endpoint is marked as failing.',
        };
      if (!lastSuccessAt)
        return { what: 'No events sent yet.', next: 'Send a test event to check that your server responds.' };
      return {
        what: 'Deliveries are succeeding.',
        next: waiting > 0 ? `${deliveries} pending.` : 'No action needed.',
      };
    case 'failing':
      return {
        what: `The last ${counted(failures, 'request')} failed. We’re still sending events.`,
        next: `${waiting > 0 ? `${deliveries} pending. ` : ''}After ten failures in a row, new deliveries are put on hold and kept for 30 days.`,
      };
    case 'broken':
      return {
        what: `Too many requests failed. ${onHold} We keep deliveries for 30 days.`,
        next: nextProbeAt
          ? 'We try one delivery at a time. When your server accepts it, we send the rest.'
          : 'Fix your server, then resume the endpoint.',
      };
    case 'disabled':
      return {
        what: `${disabledWhy[disabledReason ?? 'failures']} ${onHold} We keep deliveries for 30 days.`,
        next:
          nextProbeAt && autoRecover
            ? 'We check your server from time to time. After two successful responses a minute apart, the endpoint is active again.'
            : 'We’ve stopped sending events. Fix your server, then resume the endpoint.',
      };
    case 'paused':
      if (isListenedTo)
        return {
          what: 'A developer is receiving its events locally with `parley listen`.',
          next: 'When they stop, new deliveries are put on hold and kept for 30 days.',
        };
      return {
        what: `Paused by a member of your organisation. ${onHold} We keep deliveries for 30 days.`,
        next: 'Resume the endpoint to start sending again, oldest first.',
      };
  }
}

const disabledWhy = {
  failures: 'Disabled after five days without a successful delivery.',
  gone: 'Disabled because your server returned 410 Gone.',
  receiver: 'Disabled because your server responded with X-Service-Delivery: disable.',
};
