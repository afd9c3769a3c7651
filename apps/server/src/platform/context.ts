import { sql } from 'kysely';
import { DatabaseError, escapeLiteral } from 'pg';
import type { Permission, PlatformPermission } from './access.contract.ts';
import type { Keyring } from './crypto.ts';
import { transact, transactReadOnly, type Db, type Tx } from './db.ts';
import { forbidden, type AppError } from './errors.ts';
import { writeEvents, type PendingEvent } from './events.store.ts';
import type { Id } from './ids.contract.ts';
import type { CountActivity } from './tenant-activity.ts';
import { hintLanes } from './lane-hints.ts';
import { withKeyService } from './key-service-needed.ts';
import type { RateState } from './rate-limit.ts';

export interface Actor {
  type: 'user' | 'api_key' | 'operator' | 'system' | 'visitor' | 'contact' | 'bot';
  id: string;
}

/** Who acts in a tenant, according to the credential. Nothing in a request can change the tenant. */
export interface Caller {
  tenantId: Id<'tenant'>;
  actor: Actor;
  permissions: ReadonlySet<Permission>;
  /** The part of the tenant that a server key is bound to. Only server keys have it. */
  bindings?: Bindings;
  /** Members only. */
  profile?: { email: string; name: string; roles: readonly string[] };
  session?: Session;
  /** Links audit entries to the request. */
  requestId?: string;
  /** W3C trace context, passed on with events. */
  traceparent?: string;
}

/** null: not bound. A bot or an environment implies its workspace. */
export interface Bindings {
  workspaceId: string | null;
  botId: string | null;
  environmentId: string | null;
}
export type Binding = 'workspace' | 'bot' | 'environment';

/** The session behind a person's token. Keys have none. */
export interface Session {
  /** Set for built-in pools. Users of an external issuer have no session here. */
  id: string | null;
  /** The person, also while an operator impersonates them. */
  userId: string;
  /** When they last authenticated. Step-up routes require that this was minutes ago. */
  authenticatedAt: Date | null;
  /** Whether the account has a second factor; null if unknown. */
  isProtected: boolean | null;
  /** An external issuer confirms that a second factor was used. */
  isMultiFactor?: boolean;
  /** Language of the person, if known. */
  locale?: string | null;
  /** The impersonating operator, and what the person is shown about it. */
  operatorId?: string;
  impersonation?: { operatorName: string; reason: string; expiresAt: Date };
}

/** A user of the admin pool, who belongs to no tenant. */
export interface Operator {
  actor: Actor;
  session?: Session;
  profile?: { email: string; name: string; roles: readonly string[] };
  permissions: ReadonlySet<PlatformPermission>;
}

/** Origin of a request, for rate limits and audit logs, and controls for its response. */
export interface RequestInfo {
  ip: string;
  userAgent: string;
  requestId: string;
  /** W3C trace context, passed on with what the request starts. */
  traceparent?: string | null;
  /** The Origin header. */
  origin?: string;
  /** The client accepts a stream of events. */
  wantsStream?: boolean;
  /** Sets the response status to 202. */
  respondAccepted?: () => void;
  /** Sets the tenant of a request without a credential, so that support can find it if it fails. */
  setTenant?: (tenantId: Id<'tenant'>) => void;
  /** Returns an error if the request would no longer be allowed. Streams end in that case. */
  recheckAccess?: () => Promise<AppError | null>;
  /** Sets the rate limit headers of the response. */
  setRateState?: (state: RateState) => void;
}

/** A widget visitor, according to the session token. Nothing in a request can change the visitor. */
export interface VisitorSession {
  tenantId: Id<'tenant'>;
  environmentId: Id<'environment'>;
  botId: Id<'bot'>;
  /** The key, or the member previewing a draft, that opened the session. It ends with them. */
  openedBy: string;
  visitorId: Id<'visitor'>;
  /** Display name of the visitor. */
  label: string;
  /** Authenticated by the tenant's backend. */
  contact?: { id: Id<'contact'>; externalUserId: string; email: string };
  /** Origin of the page that opened the session; null if a backend opened it. */
  origin: string | null;
  /** Previews this version instead of the deployed one. */
  versionId?: Id<'botVersion'>;
  /** Start of the first token in this chain of renewals, which limits how long a session can be renewed. */
  startedAt: Date;
  expiresAt: Date;
}

/** Adds the trace that a row names. */
export const withTrace = <T extends { traceparent?: string }>(caller: T, traceparent: string | null | undefined): T =>
  traceparent ? { ...caller, traceparent } : caller;

export const asSystem = (tenantId: Id<'tenant'>, id: string): Caller => ({
  tenantId,
  actor: { type: 'system', id },
  permissions: new Set(),
});

/** Opened once per process and needed by every tenant transaction. */
export interface Services {
  db: Db;
  keyring: Keyring;
  /** Called after the commit of a transaction that wrote events, so that the relay does not wait for its next poll. */
  wakeRelay: () => void;
  /** Publishes a hint to every process, after the commit. */
  notify: (channel: string, message: string) => void;
  /** For the list of the busiest tenants. Best effort; commands don't count. */
  countActivity?: CountActivity;
}

/** Everything a service may use. */
export interface Context extends Caller {
  tx: Tx;
  now: Date;
  keyring: Keyring;
  wakeRelay: () => void;
  notify: Services['notify'];
  countActivity: CountActivity;
  /** What `emit` has published in this transaction. */
  pendingEvents: PendingEvent[];
  /** Runs after the commit, best effort: for hints such as invalidating a cache. What must happen goes into an event. */
  afterCommit(hint: () => void): void;
}

/**
 * Runs `work` in one transaction that row-level security limits to one tenant. With `readOnly`, every round of statements
 * is one, and takes one round trip.
 * Never call the network inside: emit an event and let a workflow do it.
 * `work` may run more than once: see `withKeyService`.
 */
export const inTenant = <T>(
  services: Services,
  caller: Caller,
  work: (ctx: Context) => Promise<T>,
  { readOnly = false } = {},
): Promise<T> =>
  withKeyService(services.keyring, (keyring) => inTransaction({ ...services, keyring }, caller, work, readOnly));

async function inTransaction<T>(
  services: Services,
  caller: Caller,
  work: (ctx: Context) => Promise<T>,
  readOnly: boolean,
): Promise<T> {
  const hints = new Set<() => void>();
  const [begin, run] = readOnly ? ['begin read only', transactReadOnly] : ['begin read write', transact];
  const opening = `${begin}; set local app.tenant_id = ${escapeLiteral(caller.tenantId)}${bindingSettingsOf(caller.bindings)}`;
  let wokenEndpoints = (): string[] => [];
  const result = await run(services.db, opening, async (tx) => {
    const { keyring, wakeRelay, notify, countActivity = () => {} } = services;
    const pendingEvents: PendingEvent[] = [];
    const afterCommit = (hint: () => void) => void hints.add(hint);
    const value = await work({
      ...caller,
      tx,
      now: new Date(),
      keyring,
      wakeRelay,
      notify,
      countActivity,
      pendingEvents,
      afterCommit,
    });
    wokenEndpoints = await writeEvents(tx, pendingEvents); // last: see there
    return value;
  }).catch((error: unknown) => {
    throw caller.bindings && isRowLevelSecurityViolation(error) ? keyBindingMismatch(caller.bindings) : error;
  });
  hintLanes(services.notify, caller.tenantId, wokenEndpoints());
  for (const hint of hints) hint();
  return result;
}

/** A bound key runs as a role that row-level security limits to its workspace, bot and environment. */
function bindingSettingsOf(bindings: Bindings | undefined): string {
  if (!bindings) return '';
  const settings = Object.entries(settingOf).map(
    ([binding, name]) => `; set local ${name} = ${escapeLiteral(bindings[`${binding as Binding}Id`] ?? '')}`,
  );
  return `${settings.join('')}; set local role parley_bound`;
}
const settingOf: Record<Binding, string> = {
  workspace: 'app.bound_workspace_id',
  bot: 'app.bound_bot_id',
  environment: 'app.bound_environment_id',
};

/** For checks that concern the whole tenant, such as plan limits. */
export async function withoutBindings<T>({ tx, bindings }: Context, work: () => Promise<T>): Promise<T> {
  if (!bindings) return work();
  await sql`set local role none`.execute(tx);
  const result = await work();
  await sql`set local role parley_bound`.execute(tx);
  return result;
}

/** The policies of `parley_bound` rejected a row. */
const isRowLevelSecurityViolation = (error: unknown) =>
  error instanceof DatabaseError && error.code === '42501' && error.message.includes('row-level security');

export function keyBindingMismatch(bindings: Bindings) {
  const bound = Object.entries(bindings).flatMap(([name, id]) => (id === null ? [] : [`${name} ${String(id)}`]));
  return forbidden(
    'key_binding_mismatch',
    `This key is limited to ${bound.join(', ')}, and the request is outside that.`,
  );
}
