import { sql } from 'kysely';
import type { Id } from '../../platform/ids.contract.ts';
import { newId } from '../../platform/ids.ts';
import type { PoolTx } from '../../platform/pool.ts';
import { sha256 } from '../../platform/crypto.ts';

/** An authentication method. */
export type Method = 'pwd' | 'otp' | 'recovery' | 'passkey';

export interface NewSession {
  userId: string;
  clientId: string;
  methods: readonly string[];
  authenticatedAt: Date;
  ip: string;
  userAgent: string;
  lifetimeSeconds: number;
  tenantId: string | null;
  operatorId?: string;
  operatorName?: string;
  reason?: string;
}

/** Created before it is stored, so that its token can be signed in parallel. */
export const newSession = ({ userId, tenantId, operatorId, authenticatedAt, methods }: NewSession): LiveSession => ({
  id: newId('session'),
  userId: userId as Id<'user'>,
  tenantId: tenantId as Id<'tenant'> | null,
  operatorId: operatorId ?? null,
  authenticatedAt,
  methods: [...methods],
});

export async function insertSession(
  tx: PoolTx,
  { grantId, lifetimeSeconds, ...session }: NewSession & { grantId: string },
  { id }: Pick<LiveSession, 'id'>,
): Promise<void> {
  await tx
    .insertInto('sessions')
    .values({
      ...session,
      id,
      methods: [...session.methods],
      userAgent: session.userAgent.slice(0, 300),
      grantHash: sha256(grantId),
      expiresAt: sql<Date>`now() + make_interval(secs => ${lifetimeSeconds})`,
    })
    .execute();
}

const sessionColumns = ['id', 'userId', 'tenantId', 'operatorId', 'authenticatedAt', 'methods'] as const;
/** Has two-factor authentication. */
const isProtected =
  sql<boolean>`exists (select from totp where totp.user_id = sessions.user_id and confirmed_at is not null)
  or exists (select from passkeys where passkeys.user_id = sessions.user_id)`.as('isProtected');

export interface LiveSession {
  id: Id<'session'>;
  userId: Id<'user'>;
  tenantId: Id<'tenant'> | null;
  operatorId: string | null;
  authenticatedAt: Date;
  methods: string[];
}

export interface SessionDetails extends LiveSession {
  isProtected: boolean;
  /** The language of the user. */
  locale: string;
  /** Who is impersonating the user, and why. */
  operatorName: string | null;
  reason: string | null;
  expiresAt: Date;
}

/** Reads a live session, cached by the caller for a few seconds. */
export const findSession = (tx: PoolTx, id: string): Promise<SessionDetails | undefined> =>
  tx
    .selectFrom('sessions')
    .select([...sessionColumns, 'operatorName', 'reason', 'expiresAt'])
    .select(isProtected)
    .select(sql<string>`(select locale from people where people.user_id = sessions.user_id)`.as('locale'))
    .where('id', '=', id)
    .where(isLive)
    .$narrowType<SessionDetails>()
    .executeTakeFirst();

export const findSessionOfGrant = (tx: PoolTx, grantId: string): Promise<LiveSession | undefined> =>
  tx
    .selectFrom('sessions')
    .select(sessionColumns)
    .where('grantHash', '=', sha256(grantId))
    .where(isLive)
    .$narrowType<LiveSession>()
    .executeTakeFirst();

const isLive = sql<boolean>`ended_at is null and expires_at > now()`;

/** Called on every refresh, so `lastSeenAt` is accurate to minutes. */
export const touchSession = (tx: PoolTx, id: string) =>
  tx
    .updateTable('sessions')
    .set({ lastSeenAt: sql`now()` })
    .where('id', '=', id)
    .execute();

export const reauthenticateSession = (tx: PoolTx, id: string, methods: readonly string[], at: Date) =>
  tx
    .updateTable('sessions')
    .set({ authenticatedAt: at, methods: [...methods] })
    .where('id', '=', id)
    .execute();

export const setSessionTenant = async (tx: PoolTx, id: string, userId: string, tenantId: string) => {
  await tx.updateTable('sessions').set({ tenantId }).where('id', '=', id).execute();
  await tx.updateTable('accounts').set({ lastTenantId: tenantId }).where('userId', '=', userId).execute();
};

export const listSessions = (tx: PoolTx, userId: string) =>
  tx
    .selectFrom('sessions')
    .select(['id', 'methods', 'ip', 'userAgent', 'operatorId', 'reason', 'createdAt', 'lastSeenAt', 'expiresAt'])
    .where('userId', '=', userId)
    .where(isLive)
    .orderBy('id', 'desc')
    .limit(100)
    .execute();

/** Ends sessions and deletes their tokens. Returns their ids, so that caches can be invalidated. */
export async function endSessions(
  tx: PoolTx,
  userId: string,
  { only, except }: { only?: string; except?: string } = {},
): Promise<string[]> {
  let query = tx
    .updateTable('sessions')
    .set({ endedAt: sql`now()` })
    .where('userId', '=', userId)
    .where('endedAt', 'is', null);
  if (only !== undefined) query = query.where('id', '=', only);
  if (except !== undefined) query = query.where('id', '<>', except);
  const ended = await query.returning(['id', 'grantHash']).execute();
  const grants = ended.map(({ grantHash }) => grantHash);
  if (grants.length > 0) {
    await tx
      .deleteFrom('oidcItems')
      .where('userId', '=', userId)
      .where((eb) => eb.or([eb('grantHash', 'in', grants), eb.and([eb('kind', '=', 'Grant'), eb('id', 'in', grants)])]))
      .execute();
    await endHostedSessions(tx, grants);
  }
  if (only === undefined) {
    await tx.deleteFrom('oidcItems').where('userId', '=', userId).where('kind', '=', 'Session').execute();
  }
  return ended.map(({ id }) => id);
}

/**
 * A browser that is still signed in on the hosted page would get a new session without a prompt. The provider's session
 * lists the grants given in it, which identifies the browser.
 */
export const endHostedSessions = (tx: PoolTx, grants: readonly Buffer[]) =>
  sql`delete from oidc_items as hosted where kind = 'Session'
    and user_id in (select user_id from sessions where grant_hash = any (${grants}::bytea[]))
    and exists (select from jsonb_each(payload -> 'authorizations') as authorization_entry
      where sha256(convert_to(authorization_entry.value ->> 'grantId', 'UTF8')) = any (${grants}::bytea[]))`.execute(
    tx,
  );

/** When each user last used a session in that tenant. Impersonation sessions are not counted. */
export async function lastSeenIn(tx: PoolTx, tenantId: string, userIds: readonly string[]): Promise<Map<string, Date>> {
  if (userIds.length === 0) return new Map();
  const rows = await tx
    .selectFrom('sessions')
    .select(({ fn }) => ['userId', fn.max('lastSeenAt').as('lastSeenAt')])
    .where('userId', 'in', userIds)
    .where('tenantId', '=', tenantId)
    .where('operatorId', 'is', null)
    .groupBy('userId')
    .execute();
  return new Map(rows.map(({ userId, lastSeenAt }) => [userId, lastSeenAt]));
}
