import type { Parley } from '@parley/sdk';
import { fields, paint, table } from './out.ts';

type Answer<K extends 'getWebhook' | 'testWebhook' | 'listWebhookDeliveries'> = Awaited<ReturnType<Parley[K]>>;
type Webhook = Answer<'getWebhook'>['webhook'];
type Attempt = Answer<'testWebhook'>['attempt'];
type Check = Answer<'testWebhook'>['checks'][number];
type Delivery = Answer<'listWebhookDeliveries'>['data'][number];

export const webhookWords = (webhook: Webhook): string =>
  fields({
    id: webhook.id,
    url: webhook.url,
    description: webhook.description,
    status: webhook.disabledReason ? `${webhook.status} (${webhook.disabledReason})` : webhook.status,
    events: webhook.eventTypes.join(', '),
    environment: webhook.environmentId,
    bots: webhook.botIds.join(', '),
    ordering: webhook.ordering,
    pending: webhook.health.waiting,
    'last success': webhook.health.lastSuccessAt,
    'last failure': webhook.health.lastFailureAt,
    'next retry': webhook.health.nextProbeAt,
    'secret ends in': webhook.secretHint,
  });

/** The whole attempt: what was answered, how long each part took, and what to do about it. */
export function attemptWords({ number, outcome, status, error, hint, timings, address, response }: Attempt): string {
  const mark = outcome === 'succeeded' ? paint('green', '✓') : paint('red', '✗');
  const said = status === null ? (error ?? outcome) : `HTTP ${status}`;
  return [
    `${mark} attempt ${number}: ${outcome}, ${said}${address ? ` from ${address}` : ''}`,
    timings &&
      `  dns ${timings.dnsMs} ms, connect ${timings.connectMs} ms, tls ${timings.tlsMs} ms, ` +
        `first byte ${timings.firstByteMs} ms, total ${timings.totalMs} ms`,
    hint && `  ${hint}`,
    response && `  response: ${response}`,
  ]
    .filter(Boolean)
    .join('\n');
}

export const checksWords = (checks: readonly Check[]): string[] =>
  checks.map(({ name, isPassed, status, advice }) => {
    const mark = isPassed ? paint('green', '✓') : paint('red', '✗');
    return `${mark} ${name}: ${status === null ? 'no response' : `HTTP ${status}`}${isPassed ? '' : `. ${advice}`}`;
  });

export const deliveriesWords = (deliveries: readonly Delivery[]): string =>
  deliveries.length === 0
    ? 'No deliveries yet.'
    : table(
        ['ID', 'CREATED', 'STATUS', 'ATTEMPTS', 'RESPONSE', 'EVENT'],
        deliveries.map(({ id, createdAt, status, attempts, lastStatus, eventType, isReplay }) => [
          id,
          createdAt,
          status,
          String(attempts),
          lastStatus === null ? '' : String(lastStatus),
          isReplay ? `${eventType} (replay)` : eventType,
        ]),
      );
