import type { Context } from '../../../platform/context.ts';
import { newId } from '../../../platform/ids.ts';
import { currentVersion } from '../../../platform/version.ts';
import type { OutboundPayload } from '../delivery/send.ts';

interface About {
  id: string;
  environmentId: string | null;
}

/** A call that tells of nothing: it asks whether somebody is there. It stands in no log but that of its own attempt. */
export function pingPayload(
  { tenantId, actor, now }: Pick<Context, 'tenantId' | 'actor' | 'now'>,
  { id: webhookId, environmentId }: About,
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
