import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { sql } from 'kysely';
import type { Services } from '../../platform/context.ts';
import { encryptForPlatform, decryptForPlatform } from '../../platform/crypto.ts';
import { dueRotation, signerFirst } from '../../platform/key-schedule.ts';
import { inPool, type PoolName, type PoolTx } from '../../platform/pool.ts';

export interface SigningKey {
  kid: string;
  signsFrom: Date;
  privateJwk: JWK;
}

/**
 * Rotates the signing keys of a pool if due, and returns them, the active one first. Safe to call from any process at any
 * time: a lock ensures that only one rotates.
 */
export function ensureSigningKeys(
  services: Services,
  pool: PoolName,
  days: number,
  { now = new Date(), isEmergency = false, rotate = false } = {},
): Promise<SigningKey[]> {
  return inPool(services.db, pool, async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext(${`signing-keys/${pool}`}))`.execute(tx);
    // In an emergency all keys are deleted: existing access tokens become invalid and clients refresh them.
    if (isEmergency) await tx.deleteFrom('signingKeys').execute();
    const { add, dropBefore } = dueRotation(await readRows(tx), days, now, rotate);
    if (add) await addKey(tx, services, pool, add);
    if (dropBefore) await tx.deleteFrom('signingKeys').where('signsFrom', '<', dropBefore).execute();
    return signerFirst(await readRows(tx), now).map((row) => decryptKey(services, pool, row));
  });
}

/** The signing keys of a pool, newest first, without rotating them. Throws if the master keys cannot decrypt one. */
export const readSigningKeys = (services: Services, pool: PoolName): Promise<SigningKey[]> =>
  inPool(services.db, pool, async (tx) => (await readRows(tx)).map((row) => decryptKey(services, pool, row)));

/** Lists ids and start dates, newest first, without the keys themselves. */
export const listSigningKeys = ({ db }: Services, pool: PoolName) =>
  inPool(db, pool, (tx) =>
    tx.selectFrom('signingKeys').select(['kid', 'signsFrom']).orderBy('signsFrom', 'desc').execute(),
  );

const readRows = (tx: PoolTx) => tx.selectFrom('signingKeys').selectAll().orderBy('signsFrom', 'desc').execute();

async function addKey(tx: PoolTx, { keyring }: Services, pool: PoolName, signsFrom: Date) {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const kid = `${pool}-${signsFrom.toISOString().slice(0, 10)}-${randomBytes(4).toString('hex')}`;
  const jwk = { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' };
  const encrypted = encryptForPlatform(keyring, encryptionContext(pool, kid), JSON.stringify(jwk));
  await tx.insertInto('signingKeys').values({ kid, encrypted, signsFrom }).execute();
}

const decryptKey = (
  { keyring }: Services,
  pool: PoolName,
  { kid, signsFrom, encrypted }: Pick<SigningKey, 'kid' | 'signsFrom'> & { encrypted: Buffer },
): SigningKey => ({
  kid,
  signsFrom,
  privateJwk: JSON.parse(decryptForPlatform(keyring, encryptionContext(pool, kid), encrypted)) as JWK,
});

const encryptionContext = (pool: PoolName, kid: string) => ({ purpose: `signing-key/${pool}`, rowId: kid });
