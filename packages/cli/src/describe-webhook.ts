import type { Parley } from '@parley/sdk';
import { fields, paint, table } from './out.ts';

type ApiResponse<K extends 'getWebhook' | 'testWebhook' | 'listWebhookDeliveries'> = Awaited<ReturnType<Parley[K]>>;
type Webhook = ApiResponse<'getWebhook'>['webhook'];
type Attempt = ApiResponse<'testWebhook'>['attempt'];
type Check = ApiResponse<'testWebhook'>['checks'][number];
type Delivery = ApiResponse<'listWebhookDeliveries'>['data'][number];

export const describeWebhook = (webhook: Webhook): string =>
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

/** The full attempt: the response, the duration of each phase, and a hint. */
export function describeAttempt({ number, outcome, status, error, hint, timings, ip, response }: Attempt): string {
  const mark = outcome === 'succeeded' ? paint('green', '✓') : paint('red', '✗');
  const result = status === null ? (error ?? outcome) : `HTTP ${status}`;
  return [
    `${mark} attempt ${number}: ${outcome}, ${result}${ip ? ` from ${ip}` : ''}`,
    timings &&
      `  dns ${timings.dnsMs} ms, connect ${timings.connectMs} ms, tls ${timings.tlsMs} ms, ` +
        `first byte ${timings.firstByteMs} ms, total ${timings.totalMs} ms`,
    hint && `  ${hint}`,
    response && `  response: ${response}`,
  ]
    .filter(Boolean)
    .join('\n');
}

export const describeChecks = (checks: readonly Check[]): string[] =>
  checks.map(({ name, isPassed, status, advice }) => {
    const mark = isPassed ? paint('green', '✓') : paint('red', '✗');
    return `${mark} ${name}: ${status === null ? 'no response' : `HTTP ${status}`}${isPassed ? '' : `. ${advice}`}`;
  });

export const describeDeliveries = (deliveries: readonly Delivery[]): string =>
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
