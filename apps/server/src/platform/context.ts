import { sql } from 'kysely';
import { DatabaseError, escapeLiteral } from 'pg';
import type { Permission, PlatformPermission } from './access.contract.ts';
import type { Keyring } from './crypto.ts';
import { transact, type Db, type Tx } from './db.ts';
import { forbidden, type AppError } from './errors.ts';
import type { Id } from './ids.contract.ts';
import { withKeyService } from './key-service-needed.ts';
import type { RateState } from './rate-limit.ts';

export interface Actor {
  type: 'user' | 'api_key' | 'operator' | 'system' | 'visitor' | 'contact' | 'bot';
  id: string;
}

/** Who acts for a tenant, as its credential says. Nothing a caller sends can change the tenant. */
export interface Caller {
  tenantId: Id<'tenant'>;
  actor: Actor;
  permissions: ReadonlySet<Permission>;
  /** The part of the tenant that a server key is bound to. Nobody else has any. */
  bindings?: Bindings;
  /** A person's; a key has none. */
  profile?: { email: string; name: string; roles: readonly string[] };
  session?: Session;
  /** For an audit entry to point back at the request. */
  requestId?: string;
  /** W3C trace context, carried with events to whoever reacts to them. */
  traceparent?: string;
}

/** null: not bound in this respect. A bot or an environment brings its workspace with it. */
export interface Bindings {
  workspaceId: string | null;
  botId: string | null;
  environmentId: string | null;
}
export type Binding = 'workspace' | 'bot' | 'environment';

/** What a person's token stands on. A key has none. */
export interface Session {
  /** Of a pool of ours; somebody of another issuer has no session here. */
  id: string | null;
  /** The person whose it is, also while an operator acts in their place. */
  userId: string;
  /** When they last proved who they are; what is dangerous wants that to be minutes ago. */
  authenticatedAt: Date | null;
  /** Has a second factor, where we know. */
  isProtected: boolean | null;
  /** An external issuer says that they used a second factor. */
  isMultiFactor?: boolean;
  /** Their language, where we know. */
  locale?: string | null;
  /** An operator in this person's place, and what the person is told of it. */
  operatorId?: string;
  impersonation?: { operatorName: string; reason: string; expiresAt: Date };
}

/** Someone of the admin pool: belongs to no tenant. */
export interface Operator {
  actor: Actor;
  session?: Session;
  profile?: { email: string; name: string; roles: readonly string[] };
  permissions: ReadonlySet<PlatformPermission>;
}

/** Where a request came from, for those who count attempts and write down who did what. */
export interface RequestInfo {
  ip: string;
  userAgent: string;
  requestId: string;
  /** The page it came from, as the browser says. */
  origin?: string;
  /** Asks for events as they come rather than for one answer. */
  wantsStream?: boolean;
  /** Makes the answer a 202: accepted, and not done yet. */
  respondAccepted?: () => void;
  /** Says whose request this is, where its credential does not: what is refused then is found by who helps them. */
  setTenant?: (tenantId: Id<'tenant'>) => void;
  /** Asks whether the same request would still be let in: a stream ends when not. */
  recheckAccess?: () => Promise<AppError | null>;
  /** Tells the caller how much of a limit is left. */
  setRateState?: (state: RateState) => void;
}

/** Somebody at a page, as their session token says. Nothing they send can make them somebody else. */
export interface VisitorSession {
  tenantId: Id<'tenant'>;
  environmentId: Id<'environment'>;
  botId: Id<'bot'>;
  /** What the session was opened with, and dies with: a key, or a member who tries a draft. */
  openedBy: string;
  visitorId: Id<'visitor'>;
  /** What the page calls them. */
  label: string;
  /** Vouched for by the tenant's own backend. */
  contact?: { id: Id<'contact'>; externalUserId: string; email: string };
  /** The page it was opened on; null if a backend opened it. */
  origin: string | null;
  /** Tries a frozen draft instead of what is deployed. */
  versionId?: Id<'botVersion'>;
  /** When the visitor first came with this line of tokens; a session is renewed from it for a while only. */
  startedAt: Date;
  expiresAt: Date;
}

export const asSystem = (tenantId: Id<'tenant'>, id: string): Caller => ({
  tenantId,
  actor: { type: 'system', id },
  permissions: new Set(),
});

/** What a process opens once and every tenant transaction needs. */
export interface Services {
  db: Db;
  keyring: Keyring;
  /** Called after the commit of a transaction that wrote events, so that the relay need not wait for its next look. */
  wakeRelay: () => void;
  /** Tells every process, after the commit and as a hint. */
  notify: (channel: string, message: string) => void;
}

/** Everything a service may touch. If it is not in here, ask why you need it. */
export interface Context extends Caller {
  tx: Tx;
  now: Date;
  keyring: Keyring;
  wakeRelay: () => void;
  notify: Services['notify'];
  /**
   * Runs after the commit, or never: for hints that others can do without, such as dropping a cached value.
   * What must happen goes into an event.
   */
  afterCommit(hint: () => void): void;
}

/**
 * Runs `work` in one transaction that row-level security limits to one tenant.
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
  const opening = `begin read ${readOnly ? 'only' : 'write'}; set local app.tenant_id = ${escapeLiteral(caller.tenantId)}${bindingSettingsOf(caller.bindings)}`;
  const result = await transact(services.db, opening, (tx) => {
    const { keyring, wakeRelay, notify: tell } = services;
    const afterCommit = (hint: () => void) => void hints.add(hint);
    return work({ ...caller, tx, now: new Date(), keyring, wakeRelay, notify: tell, afterCommit });
  }).catch((error: unknown) => {
    throw caller.bindings && isRowLevelSecurityViolation(error) ? keyBindingMismatch(caller.bindings) : error;
  });
  for (const hint of hints) hint();
  return result;
}

/** A bound key runs as a role that row-level security limits further: to its workspace, bot and environment. */
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

/** For what concerns the whole tenant whoever asks, such as how many of something its plan allows. */
export async function withoutBindings<T>({ tx, bindings }: Context, work: () => Promise<T>): Promise<T> {
  if (!bindings) return work();
  await sql`set local role none`.execute(tx);
  const result = await work();
  await sql`set local role parley_bound`.execute(tx);
  return result;
}

/** A row was written that the policies of `parley_bound` do not let it write. */
const isRowLevelSecurityViolation = (error: unknown) =>
  error instanceof DatabaseError && error.code === '42501' && error.message.includes('row-level security');

export function keyBindingMismatch(bindings: Bindings) {
  const bound = Object.entries(bindings).flatMap(([name, id]) => (id === null ? [] : [`${name} ${String(id)}`]));
  return forbidden(
    'key_binding_mismatch',
    `This key is limited to ${bound.join(', ')}, and the request is outside that.`,
  );
}
