import { SpanKind } from '@opentelemetry/api';
import type { z } from 'zod';
import type { Permission } from './access.contract.ts';
import type { Context } from './context.ts';
import type { Id } from './ids.contract.ts';
import { newId } from './ids.ts';
import { closestTo, isTracing, startSpan, traceIdOf, traceparentOfSpan } from './spans.ts';
import { currentVersion } from './version.ts';

export interface EventType<D> {
  type: string;
  data: z.ZodType<D>;
  /** Customers can subscribe to it. Otherwise only workflows and the audit log use it. */
  isPublic: boolean;
  /** The permission a server key needs to read it or receive it by webhook; null if it is not public. */
  permission: Permission | null;
  isAudited: boolean;
}

/** All defined event types by name, so that the catalogue matches the code. */
const defined = new Map<string, EventType<unknown>>();
export const publicEvents = (): EventType<unknown>[] =>
  [...defined.values()].filter(({ isPublic }) => isPublic).toSorted((a, b) => (a.type < b.type ? -1 : 1));

/** The event types that these permissions allow to read. */
export const readableEvents = (permissions: ReadonlySet<Permission>): string[] =>
  publicEvents().flatMap(({ type, permission }) => (permission && permissions.has(permission) ? [type] : []));

/** Defines an event type. Names are stable: add new ones, but never rename or reuse one. */
export const defineEvent = <D>(
  type: string,
  data: z.ZodType<D>,
  options: { permission: Permission; isAudited?: boolean } | { isPublic: false; isAudited?: boolean },
): EventType<D> => {
  if (defined.has(type)) throw new Error(`the event '${type}' is defined twice`);
  const permission = 'permission' in options ? options.permission : null;
  const event = { type, data, isPublic: permission !== null, permission, isAudited: options.isAudited ?? true };
  defined.set(type, event);
  return event;
};

interface EventOptions {
  environmentId?: string | null;
  botId?: string | null;
  conversationId?: string | null;
  /** Position within the conversation. Without it, the position among all events of the tenant is used. */
  sequence?: number;
  /** Workflows pass an id from a journaled step, so that a retried step writes the row only once. */
  id?: Id<'event'>;
}

/**
 * Publishes an event for the audit log, the customer's webhooks and our workflows, in the transaction of the change, so
 * that both commit or neither. It is written right before the commit, after everything else, because that locks the
 * tenant's stream (ADR 7). The body is stored exactly as it will be signed and sent.
 */
export async function emit<D>(
  ctx: Context,
  event: EventType<D>,
  subjectId: string,
  value: D,
  { sequence, environmentId = null, botId = null, conversationId = null, ...options }: EventOptions = {},
): Promise<void> {
  const { tenantId, actor, now: createdAt, requestId = null } = ctx;
  const { type, isPublic, isAudited } = event;
  const id = options.id ?? newId('event');
  const traceparent = traceEvent(ctx, id, type);
  const data = event.data.parse(value);
  const envelope = {
    id,
    type,
    apiVersion: currentVersion,
    createdAt: createdAt.toISOString(),
    tenantId,
    environmentId,
    actionId: `event:${type}`,
    botId,
    conversationId,
    sequence,
    actor,
    traceId: traceparent === null ? null : traceIdOf(traceparent),
    test: false,
    data,
  };
  const auditEntry = {
    id: newId('auditEntry'),
    eventId: id,
    action: type,
    subjectId,
    actorType: actor.type,
    actorId: actor.id,
    requestId,
    data: JSON.stringify(data), // the driver would turn an array into an SQL array
    createdAt,
  };
  ctx.pendingEvents.push({
    row: { id, type, isPublic, environmentId, botId, conversationId, subjectId, traceparent, createdAt },
    envelope,
    auditEntry: isAudited ? auditEntry : null,
    isRepeatable: options.id !== undefined,
  });
  ctx.afterCommit(ctx.wakeRelay);
}

/** A span for the event, which the deliveries follow. It ends with the commit, so that an event that is rolled back has none. */
function traceEvent({ tenantId, traceparent, afterCommit }: Context, id: string, type: string): string | null {
  if (!isTracing() || traceparent === undefined) return traceparent ?? null;
  const attributes = {
    'messaging.system': 'parley',
    'messaging.operation.name': 'publish',
    'messaging.operation.type': 'send',
    'messaging.destination.name': type,
    'messaging.message.id': id,
    'parley.tenant.id': tenantId,
  };
  const span = startSpan(`publish ${type}`, closestTo(traceparent), { kind: SpanKind.PRODUCER, attributes });
  afterCommit(() => span.end());
  return traceparentOfSpan(span);
}
