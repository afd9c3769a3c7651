import { sql } from 'kysely';
import type { z } from 'zod';
import type { Permission } from './access.contract.ts';
import type { Context } from './context.ts';
import type { Id } from './ids.contract.ts';
import { newId } from './ids.ts';
import { currentVersion } from './version.ts';

export interface EventType<D> {
  type: string;
  data: z.ZodType<D>;
  /** Customers may subscribe to it. Otherwise only our workflows and the audit log see it. */
  isPublic: boolean;
  /** What a server key must hold to read it, or to have it sent to an endpoint. Nobody reads one that is not public. */
  permission: Permission | null;
  isAudited: boolean;
}

/** All that were defined, by name: what the code emits is what the catalogue shows. */
const defined = new Map<string, EventType<unknown>>();
export const publicEvents = (): EventType<unknown>[] =>
  [...defined.values()].filter(({ isPublic }) => isPublic).toSorted((a, b) => (a.type < b.type ? -1 : 1));

/** The types of events that somebody with these permissions may read. */
export const readableEvents = (permissions: ReadonlySet<Permission>): string[] =>
  publicEvents().flatMap(({ type, permission }) => (permission && permissions.has(permission) ? [type] : []));

/** Something a customer may be told of. Names are promises: add new ones; never rename or reuse one. */
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
  /** The place in its conversation, for events of one. Others carry their place among the tenant's events. */
  sequence?: number;
  /** A workflow passes its own, chosen in a journaled step, so that a retried step writes the same row once. */
  id?: Id<'event'>;
}

/** An event as its readers get it. */
export interface StoredEvent {
  id: Id<'event'>;
  position: number;
  type: string;
  isPublic: boolean;
  environmentId: string | null;
  botId: string | null;
  conversationId: string | null;
  subjectId: string;
  traceparent: string | null;
  body: string;
}

/**
 * One row, three readers: the audit log, the customer's webhooks, and our workflows. Written in the transaction that
 * made the change, so there is never one without the other. The body is kept as it will be signed and sent.
 */
export async function emit<D>(
  ctx: Context,
  event: EventType<D>,
  subjectId: string,
  value: D,
  options: EventOptions = {},
): Promise<void> {
  const { tx, tenantId, actor, now } = ctx;
  if (options.id && (await isWritten(ctx, options.id))) return;
  const id = options.id ?? newId('event');
  const data = event.data.parse(value);
  // One that carries its place in a conversation needs not know its place among all: it is taken with the row.
  const position = options.sequence === undefined ? await takePosition(ctx) : nextPosition;

  const { environmentId = null, botId = null, conversationId = null } = options;
  const envelope = {
    id,
    type: event.type,
    apiVersion: currentVersion,
    createdAt: now.toISOString(),
    tenantId,
    environmentId,
    actionId: `event:${event.type}`,
    botId,
    conversationId,
    sequence: options.sequence ?? Number(position),
    actor,
    traceId: ctx.traceparent?.split('-')[1] ?? null,
    test: false,
    data,
  };
  await tx
    .insertInto('events')
    .values({
      id,
      position,
      type: event.type,
      isPublic: event.isPublic,
      environmentId,
      botId,
      conversationId,
      subjectId,
      traceparent: ctx.traceparent ?? null,
      body: JSON.stringify(envelope),
      createdAt: now,
    })
    .execute();

  if (event.isAudited) {
    await tx
      .insertInto('auditEntries')
      .values({
        id: newId('auditEntry'),
        eventId: id,
        action: event.type,
        subjectId,
        actorType: actor.type,
        actorId: actor.id,
        requestId: ctx.requestId ?? null,
        data: JSON.stringify(data), // by hand: the driver would take an array for an SQL array
        createdAt: now,
      })
      .execute();
  }
  ctx.afterCommit(ctx.wakeRelay);
}

const nextPosition = sql<string>`directory.next_event_position()`;
const takePosition = async ({ tx }: Context) =>
  (await sql<{ position: string }>`select ${nextPosition} as position`.execute(tx)).rows[0]?.position ?? '';

const isWritten = async ({ tx }: Context, id: string) =>
  (await tx.selectFrom('events').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;

/** The next of this tenant's events, in their order. */
export async function eventsAfter(
  { tx }: Pick<Context, 'tx'>,
  position: number,
  max: number,
  { types }: { types?: readonly string[] } = {},
): Promise<StoredEvent[]> {
  let query = tx
    .selectFrom('events')
    .select([
      'id',
      'position',
      'type',
      'isPublic',
      'environmentId',
      'botId',
      'conversationId',
      'subjectId',
      'traceparent',
      'body',
    ])
    .where('position', '>', String(position))
    .orderBy('position')
    .limit(max);
  if (types) query = query.where('isPublic', '=', true).where('type', 'in', types.length > 0 ? types : ['']);
  const rows = await query.execute();
  return rows.map((row) => ({ ...row, id: row.id as Id<'event'>, position: Number(row.position) }));
}
