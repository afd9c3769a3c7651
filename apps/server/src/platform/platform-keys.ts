import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { awsKmsWrapper } from './aws-kms.ts';
import type { Db } from './db.ts';
import { UnsafeConfig } from './config.ts';
import type { KeySettings } from './key-settings.ts';
import { parseMasterKeys, type KeyWrapper, type MasterKey } from './master-keys.ts';
import type { SafeFetch } from './safe-fetch.ts';
import { vaultWrapper } from './vault-transit.ts';

/**
 * Opens the master keys in a key service. The deployment's own secrets and tokens are used in code that cannot wait for a
 * network call, so each such master key wraps one platform key, which is unwrapped once at startup. `isReadOnly` stores no new
 * platform key.
 */
export async function openRemoteKeys(
  db: Db,
  settings: KeySettings,
  fetch: SafeFetch,
  { isReadOnly = false } = {},
): Promise<ReadonlyMap<string, MasterKey>> {
  const opened = new Map<string, MasterKey>();
  for (const entry of parseMasterKeys(settings.MASTER_KEYS)) {
    if (entry.kind === 'local') continue;
    const { id, kind, name } = entry;
    const wrapper = (kind === 'awskms' ? awsKmsWrapper : vaultWrapper)(fetch, settings, name);
    opened.set(id, { id, key: await platformKey(db, id, wrapper, isReadOnly), wrapper });
  }
  return opened;
}

async function platformKey(db: Db, id: string, { wrap, unwrap }: KeyWrapper, isReadOnly: boolean): Promise<Buffer> {
  const context = { tenantId: 'platform', purpose: 'platform-key', masterKeyId: id, version: 1 } as const;
  const stored = await readWrapped(db, id);
  const wrapped = stored ?? (await wrap(randomBytes(32), context).catch(explain(id)));
  return unwrap(stored || isReadOnly ? wrapped : await store(db, id, wrapped), context).catch(explain(id));
}

/** Without this key, a process could neither decrypt signing keys nor verify tokens, so it does not start. */
const explain = (id: string) => (error: Error) => {
  const { message } = error.cause instanceof Error ? error.cause : error;
  throw new UnsafeConfig(
    `Master key '${id}' cannot be used (${message}). Its key service must be reachable at startup, and a different key needs a different id.`,
  );
};

async function readWrapped(db: Db, id: string): Promise<Buffer | undefined> {
  const found = sql<{ wrapped: Buffer }>`select wrapped from deployment.platform_keys where master_key_id = ${id}`;
  return (await found.execute(db)).rows[0]?.wrapped;
}

/** If several processes start concurrently, the first insert wins, and all use its key. */
async function store(db: Db, id: string, wrapped: Buffer): Promise<Buffer> {
  await sql`insert into deployment.platform_keys (master_key_id, wrapped) values (${id}, ${wrapped}) on conflict do nothing`.execute(
    db,
  );
  return (await readWrapped(db, id)) ?? wrapped;
}
