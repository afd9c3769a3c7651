import type { EventData } from './generated/events.ts';

interface EventBase {
  /** The same for every delivery of this event. Process each id once. */
  id: string;
  apiVersion: string;
  createdAt: string;
  tenantId: string;
  /** A test: respond as usual, but change nothing. */
  test: boolean;
}

interface EventEnvelope<Type extends keyof EventData> extends EventBase {
  type: Type;
  environmentId: string | null;
  actionId: string;
  botId: string | null;
  conversationId: string | null;
  /** Position among the events of its conversation, or of the tenant. */
  sequence: number;
  actor: { type: string; id: string };
  traceId: string | null;
  data: EventData[Type];
}

/** Who made the request. Trust this, not the content of `input`. */
export type Actor =
  | { type: 'contact'; id: string; externalUserId: string }
  | { type: 'visitor'; id: string; externalUserId?: never }
  | { type: 'test'; id: string; externalUserId?: string };

interface ActionCallBase extends EventBase {
  environmentId: string;
  actionId: string;
  /** The name of the action. */
  action: string;
  botId: string;
  /** null for a test by a developer. */
  conversationId: string | null;
  step: string | null;
  /** Do not start after this time. */
  deadline: string;
  attempt: number;
  actor: Actor;
  /** SHA-256 of `input` as JSON with sorted keys: what the visitor confirmed. */
  argsHash: string;
}

/** Run an action. */
export interface ActionInvoke<Values = Record<string, unknown>> extends ActionCallBase {
  type: 'action.invoke';
  /** From the visitor or a model, validated against the action's schema. */
  input: Values;
}
/** Get the status of a call. */
export interface ActionStatus extends ActionCallBase {
  type: 'action.status';
}

/** A union of all event types: `event.type` determines the type of `event.data`. */
export type WebhookEvent = { [Type in keyof EventData]: EventEnvelope<Type> }[keyof EventData];
export type ActionCall = ActionInvoke | ActionStatus;
export type ParleyEvent = WebhookEvent | ActionCall;
