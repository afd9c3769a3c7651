import { sql } from 'kysely';
import type { z } from 'zod';
import type { Permission } from './access.contract.ts';
import type { Context } from './context.ts';
import type { Id } from './ids.contract.ts';
import { newId } from './ids.ts';
import { prepared } from './prepared.ts';
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

/** An event as subscribers receive it. */
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
 * Writes an event for the audit log, the customer's webhooks and our workflows, in the transaction of the change, so that
 * both commit or neither. The body is stored exactly as it will be signed and sent.
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
  // With a position in the conversation, the overall position is not needed here and is assigned by the insert.
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
  await prepared(tx)
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
        data: JSON.stringify(data), // the driver would turn an array into an SQL array
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

/** The next events of this tenant, in order. */
export async function eventsAfter(
  { tx }: Pick<Context, 'tx'>,
  position: number,
  max: number,
  { types }: { types?: readonly string[] } = {},
): Promise<StoredEvent[]> {
  let query = (types ? tx : prepared(tx)) // a list of types has too many texts
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
