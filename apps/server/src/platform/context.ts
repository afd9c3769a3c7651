import { sql } from 'kysely';
import type { Permission, PlatformPermission } from './access.contract.ts';
import type { Keyring } from './crypto.ts';
import type { Db, Tx } from './db.ts';
import type { Id } from './ids.contract.ts';

export interface Actor {
  type: 'user' | 'api_key' | 'operator' | 'system';
  id: string;
}

/** Who acts for a tenant, as its credential says. Nothing a caller sends can change the tenant. */
export interface Caller {
  tenantId: Id<'tenant'>;
  actor: Actor;
  permissions: ReadonlySet<Permission>;
  /** A person's; a key has none. */
  profile?: { email: string; name: string; roles: readonly string[] };
  session?: Session;
  /** For an audit entry to point back at the request. */
  requestId?: string;
  /** W3C trace context, carried with events to whoever reacts to them. */
  traceparent?: string;
}

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
  /** An operator in this person's place. */
  operatorId?: string;
}

/** Someone of the admin pool: belongs to no tenant. */
export interface Operator {
  actor: Actor;
  session?: Session;
  profile?: { email: string; name: string; roles: readonly string[] };
  permissions: ReadonlySet<PlatformPermission>;
}

/** Where a request came from, for those who count attempts and write down who did what. */
export interface From {
  address: string;
  userAgent: string;
  requestId: string;
}

export const asSystem = (tenantId: Id<'tenant'>, id: string): Caller => ({
  tenantId,
  actor: { type: 'system', id },
  permissions: new Set(),
});

/** What a process opens once and every tenant transaction needs. */
export interface Ground {
  db: Db;
  keyring: Keyring;
  /** Called after the commit of a transaction that wrote events, so that the relay need not wait for its next look. */
  wakeRelay: () => void;
}

/** Everything a service may touch. If it is not in here, ask why you need it. */
export interface Context extends Caller {
  tx: Tx;
  now: Date;
  keyring: Keyring;
  wakeRelay: () => void;
  /**
   * Runs after the commit, or never: for hints that others can do without, such as dropping a cached value.
   * What must happen goes into an event.
   */
  afterCommit(hint: () => void): void;
}

/**
 * Runs `work` in one transaction that row-level security limits to one tenant.
 * Never call the network inside: emit an event and let a workflow do it.
 */
export async function inTenant<T>(
  ground: Ground,
  caller: Caller,
  work: (ctx: Context) => Promise<T>,
  { readOnly = false } = {},
): Promise<T> {
  const hints = new Set<() => void>();
  const transaction = readOnly ? ground.db.transaction().setAccessMode('read only') : ground.db.transaction();
  const result = await transaction.execute(async (tx) => {
    // Local to the transaction, so a pooled connection forgets it, also behind PgBouncer in transaction mode.
    await sql`select set_config('app.tenant_id', ${caller.tenantId}, true)`.execute(tx);
    const { keyring, wakeRelay } = ground;
    return work({ ...caller, tx, now: new Date(), keyring, wakeRelay, afterCommit: (hint) => void hints.add(hint) });
  });
  for (const hint of hints) hint();
  return result;
}
