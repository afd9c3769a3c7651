import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { prepared } from '../../platform/prepared.ts';
import type { ApiKey, CreateApiKey, KeyType } from './api-keys.contract.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

/** A key as returned by the API, with the hint of its newest secret and its current status. */
const keys = (tx: Tx) =>
  tx
    .selectFrom('apiKeys')
    .innerJoin(newestSecrets(tx), (join) => join.onRef('newest.keyId', '=', 'apiKeys.id'))
    .select([
      'apiKeys.id',
      'name',
      'keyType',
      'boundBotId',
      'workspaceId',
      'environmentId',
      'permissions',
      'createdAt',
      'createdBy',
      'expiresAt',
      'lastUsedAt',
      'newest.hint',
      sql<Date | null>`case when revoked_at is null and newest.previous_not_after > now() then newest.previous_not_after end`.as(
        'previousExpiresAt',
      ),
      sql<ApiKey['status']>`case when revoked_at is not null then 'revoked' when expires_at <= now() then 'expired'
        when newest.previous_not_after > now() then 'rotating' else 'active' end`.as('status'),
    ])
    .$narrowType<ApiKey>();

const newestSecrets = (tx: Tx) =>
  tx
    .selectFrom('apiKeySecrets')
    .distinctOn('keyId')
    .select(['keyId', 'hint', 'version'])
    .select(sql<Date | null>`lag(not_after) over (partition by key_id order by version)`.as('previousNotAfter'))
    .orderBy('keyId')
    .orderBy('version', 'desc')
    .as('newest');

interface Filter {
  before: string | undefined;
  keyType: KeyType | undefined;
  limit: number;
}
export async function list(tx: Tx, { before, keyType, limit }: Filter): Promise<ApiKey[]> {
  let query = keys(tx).orderBy('apiKeys.id', 'desc').limit(limit);
  if (before !== undefined) query = query.where('apiKeys.id', '<', before);
  if (keyType !== undefined) query = query.where('keyType', '=', keyType);
  return query.execute();
}

export const find = (tx: Tx, id: string): Promise<ApiKey | undefined> =>
  keys(tx).where('apiKeys.id', '=', id).executeTakeFirst();

/** Locks the key until the transaction ends: otherwise two concurrent rotations would both see one valid secret. */
export const lock = (tx: Tx, id: string) =>
  tx.selectFrom('apiKeys').select('id').where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

export const insert = (tx: Tx, key: CreateApiKey & { id: Id<'apiKey'>; createdBy: string }) =>
  tx.insertInto('apiKeys').values(key).execute();

export const update = (tx: Tx, id: string, change: { name?: string; expiresAt?: Date | null }) =>
  tx.updateTable('apiKeys').set(change).where('id', '=', id).execute();

export async function countLive(tx: Tx): Promise<number> {
  const { n } = await tx
    .selectFrom('apiKeys')
    .select((eb) => eb.fn.countAll<string>().as('n'))
    .where('revokedAt', 'is', null)
    .where((eb) => eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', eb.fn<Date>('now'))]))
    .executeTakeFirstOrThrow();
  return Number(n); // the driver returns bigint as text
}

export const revoke = async (tx: Tx, id: string, now: Date): Promise<boolean> =>
  (await tx
    .updateTable('apiKeys')
    .set({ revokedAt: now })
    .where('id', '=', id)
    .where('revokedAt', 'is', null)
    .returning('id')
    .executeTakeFirst()) !== undefined;

export interface Secret {
  version: number;
  secretHash: Buffer;
  encrypted: Buffer | null;
  notAfter: Date | null;
}
/** Newest first. */
export const secretsOf = (tx: Tx, keyId: string): Promise<Secret[]> =>
  tx
    .selectFrom('apiKeySecrets')
    .select(['version', 'secretHash', 'encrypted', 'notAfter'])
    .where('keyId', '=', keyId)
    .orderBy('version', 'desc')
    .execute();

interface NewSecret {
  keyId: string;
  version: number;
  secretHash: Buffer;
  hint: string;
  encrypted: Buffer | null;
}
export async function insertSecret(tx: Tx, secret: NewSecret): Promise<void> {
  await tx.insertInto('apiKeySecrets').values(secret).execute();
  await sql`select directory.add_api_key_secret(${secret.secretHash}, ${secret.keyId})`.execute(tx);
}

export const expireSecret = (tx: Tx, keyId: string, version: number, notAfter: Date) =>
  tx.updateTable('apiKeySecrets').set({ notAfter }).where('keyId', '=', keyId).where('version', '=', version).execute();

/** Removes it from the directory, so that it no longer resolves to a tenant. */
export const deleteSecret = (tx: Tx, secretHash: Buffer) =>
  sql`select directory.remove_api_key_secret(${secretHash})`.execute(tx);

/** The tenant is not known yet, so this uses a directory function. */
export async function findTenantBySecret(db: Db, secretHash: Buffer) {
  const call = sql<{
    tenantId: Id<'tenant'>;
    keyId: Id<'apiKey'>;
  }>`select * from directory.find_api_key_secret(${secretHash})`;
  return (await call.execute(prepared(db))).rows[0];
}

const bindings = ['boundBotId', 'workspaceId', 'environmentId'] as const;

/** For sessions that were opened with a key. */
export const findKeyStatus = (tx: Tx, keyId: string) =>
  tx
    .selectFrom('apiKeys')
    .select(['expiresAt', 'revokedAt', ...bindings])
    .where('id', '=', keyId)
    .executeTakeFirst();

/** The workspaces that a new key would be bound to. More than one means that its bindings contradict each other. */
export async function workspacesOf(
  tx: Tx,
  { workspaceId, boundBotId, environmentId }: Pick<CreateApiKey, 'workspaceId' | 'boundBotId' | 'environmentId'>,
) {
  const { rows } = await sql`
    select id from workspaces where id = ${workspaceId}
    union select workspace_id from bots where id = ${boundBotId}
    union select workspace_id from environments where id = ${environmentId}`.execute(tx);
  return rows;
}

/** A bot and an environment each belong to one workspace, so a key bound to one of them is bound to that workspace. */
const workspaceOfBindings = sql<string | null>`coalesce(api_keys.workspace_id,
  (select b.workspace_id from bots b where b.id = api_keys.bound_bot_id),
  (select e.workspace_id from environments e where e.id = api_keys.environment_id))`.as('workspaceOfBindings');

export const findForUse = (tx: Tx, keyId: string, secretHash: Buffer) =>
  prepared(tx)
    .selectFrom('apiKeys')
    .innerJoin('apiKeySecrets', 'apiKeySecrets.keyId', 'apiKeys.id')
    .select(['keyType', 'permissions', 'expiresAt', 'revokedAt', 'notAfter', ...bindings, workspaceOfBindings])
    .where('apiKeys.id', '=', keyId)
    .where('secretHash', '=', secretHash)
    .executeTakeFirst();

/** One statement for all keys of a tenant. `greatest` prevents a late flush of another node from setting the time back. */
export const touch = (tx: Tx, uses: readonly { id: string; at: Date }[]) =>
  sql`update api_keys set last_used_at = greatest(last_used_at, used.at)
    from unnest(${uses.map(({ id }) => id)}::text[], ${uses.map(({ at }) => at)}::timestamptz[]) as used (id, at)
    where api_keys.id = used.id`.execute(tx);

/** Active server keys created by a user. */
export const serverKeysOf = (tx: Tx, createdBy: string) =>
  tx
    .selectFrom('apiKeys')
    .select(['id', 'name', 'lastUsedAt'])
    .where('createdBy', '=', createdBy)
    .where('keyType', '=', 'secret_server')
    .where('revokedAt', 'is', null)
    .where((eb) => eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', sql<Date>`now()`)]))
    .orderBy('id', 'desc')
    .limit(100)
    .$castTo<{ id: Id<'apiKey'>; name: string; lastUsedAt: Date | null }>()
    .execute();
