import type { EventData } from './generated/events.ts';

interface Common {
  /** The same each time that this comes. Do its work once. */
  id: string;
  apiVersion: string;
  createdAt: string;
  tenantId: string;
  /** Somebody tries it out: do as always, and change nothing. */
  test: boolean;
}

/** Something that happened. */
interface Happened<Type extends keyof EventData> extends Common {
  type: Type;
  environmentId: string | null;
  actionId: string;
  botId: string | null;
  conversationId: string | null;
  /** Its place among the events of its conversation, or of the tenant. */
  sequence: number;
  actor: { type: string; id: string };
  traceId: string | null;
  data: EventData[Type];
}

/** Who is asking. Believe this, and not what stands in `input`. */
export type Actor =
  | { type: 'contact'; id: string; externalUserId: string }
  | { type: 'visitor'; id: string; externalUserId?: never }
  | { type: 'test'; id: string; externalUserId?: string };

interface Asked extends Common {
  environmentId: string;
  actionId: string;
  /** The name of the action. */
  action: string;
  botId: string;
  /** null where a developer tries it. */
  conversationId: string | null;
  step: string | null;
  /** Do not begin after it. */
  deadline: string;
  attempt: number;
  actor: Actor;
  /** SHA-256 of `input` as JSON with sorted keys: what the visitor confirmed. */
  argsHash: string;
}

/** Do something. */
export interface ActionInvoke<Values = Record<string, unknown>> extends Asked {
  type: 'action.invoke';
  /** As the visitor or a model said it, checked against the action's schema. */
  input: Values;
}
/** What became of it? */
export interface ActionStatus extends Asked {
  type: 'action.status';
}

/** One of these for each type in the catalogue: `event.type` says which, and so what `event.data` holds. */
export type HappenedEvent = { [Type in keyof EventData]: Happened<Type> }[keyof EventData];
export type ActionCall = ActionInvoke | ActionStatus;
export type ParleyEvent = HappenedEvent | ActionCall;
