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
  broken: { tone: 'bad', word: 'Broken, holding' },
  disabled: { tone: 'bad', word: 'Disabled, holding' },
  paused: { tone: 'idle', word: 'Paused, holding' },
};

/** All that comes waits. */
export const isHolding = ({ status }: Pick<Webhook, 'status'>): boolean =>
  status === 'paused' || status === 'disabled' || status === 'broken';

export const deliveryWords: Record<Delivery['status'], { tone: Tone; word: string }> = {
  pending: { tone: 'warn', word: 'Waiting' },
  succeeded: { tone: 'good', word: 'Arrived' },
  exhausted: { tone: 'bad', word: 'Given up' },
  aborted: { tone: 'bad', word: 'Ended by you' },
  expired: { tone: 'bad', word: 'Held too long' },
};

export const deliveryStatuses = Object.keys(deliveryWords) as Delivery['status'][];
export const isDeliveryStatus = (value: string | null): value is Delivery['status'] =>
  value !== null && value in deliveryWords;

export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** What is happening, why, and what happens next. */
export function healthWords({ status, disabledReason, health, autoRecover, isListenedTo }: Webhook): {
  what: string;
  next: string;
} {
  const { consecutiveFailures: failures, waiting, lastSuccessAt, nextProbeAt } = health;
  const held = waiting === 0 ? 'Nothing is held.' : `${counted(waiting, 'delivery', 'deliveries')} held.`;
  switch (status) {
    case 'active':
      if (failures > 0)
        return {
          what: `${failures === 1 ? 'The last call' : `The last ${failures} calls`} failed.`,
          next: 'Each is tried again by itself. After five failures in a row we tell you.',
        };
      if (!lastSuccessAt)
        return { what: 'Ready. Nothing was sent yet.', next: 'Send a test to see that your server answers.' };
      return {
        what: 'Calls are answered.',
        next:
          waiting > 0
            ? `${counted(waiting, 'delivery waits', 'deliveries wait')} to be sent, or to be tried again.`
            : 'There is nothing to do.',
      };
    case 'failing':
      return {
        what: `The last ${counted(failures, 'call')} failed, one after the other. We go on calling.`,
        next: `After ten in a row we hold what comes, so that nothing is lost. ${held}`,
      };
    case 'broken':
      return {
        what: `Too many calls failed, so we hold what comes. ${held} Nothing is lost.`,
        next: nextProbeAt
          ? 'We try with one call at a time. When it is answered, all that is held follows.'
          : 'Mend your server, then resume.',
      };
    case 'disabled':
      return {
        what: `${disabledWhy[disabledReason ?? 'failures']} ${held} What is held is kept for 30 days.`,
        next:
          nextProbeAt && autoRecover
            ? 'We ask again by ourselves. Two good answers a minute apart bring it back.'
            : 'We do not call it by ourselves any more. Mend your server, then resume.',
      };
    case 'paused':
      if (isListenedTo)
        return {
          what: 'A developer fetches its calls to their own machine, with `parley listen`.',
          next: 'When they stop, what comes is held again, for 30 days.',
        };
      return {
        what: `Somebody of your organisation paused it. ${held} What comes is held for 30 days.`,
        next: 'Resume delivers what is held first, oldest first.',
      };
  }
}

const disabledWhy = {
  failures: 'No call was answered well for five days.',
  gone: 'Your server answered 410, which means “gone”.',
  receiver: 'Your server asked us to stop, with X-Service-Delivery: disable.',
};
