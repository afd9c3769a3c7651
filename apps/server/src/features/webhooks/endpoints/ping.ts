import type { Context } from '../../../platform/context.ts';
import { newId } from '../../../platform/ids.ts';
import { currentVersion } from '../../../platform/version.ts';
import type { OutboundPayload } from '../delivery/send.ts';

interface PingTarget {
  id: string;
  environmentId: string | null;
}

/** A request that checks whether an endpoint responds. It is not stored as an event. */
export function pingPayload(
  { tenantId, actor, now }: Pick<Context, 'tenantId' | 'actor' | 'now'>,
  { id: webhookId, environmentId }: PingTarget,
  { type = 'ping', data, isTest = false }: { type?: string; data?: unknown; isTest?: boolean } = {},
): OutboundPayload {
  const eventId = newId('event');
  const envelope = {
    id: eventId,
    type,
    apiVersion: currentVersion,
    createdAt: now.toISOString(),
    tenantId,
    environmentId,
    actionId: `event:${type}`,
    botId: null,
    conversationId: null,
    sequence: 0,
    actor,
    traceId: null,
    test: isTest,
    data: data ?? { object: { webhookId } },
  };
  return { eventId, eventType: type, environmentId, body: Buffer.from(JSON.stringify(envelope)) };
}
