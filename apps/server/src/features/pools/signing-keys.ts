import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { sql } from 'kysely';
import type { Ground } from '../../platform/context.ts';
import { sealForPlatform, unsealForPlatform } from '../../platform/crypto.ts';
import { inPool, type PoolName, type PoolTx } from '../../platform/pool.ts';

export interface SigningKey {
  kid: string;
  signsFrom: Date;
  privateJwk: JWK;
}

const day = 86_400_000;

/**
 * Brings the keys of a pool to what they should be now, and reads them, the one that signs first. The next key is
 * published a day before it signs, since gateways may keep a key set for hours; an old one stays a day, longer than any
 * token it signed. Any process may do this at any time: one does, the others find it done.
 */
export function tendKeys(
  ground: Ground,
  pool: PoolName,
  days: number,
  { now = new Date(), isEmergency = false } = {},
): Promise<SigningKey[]> {
  return inPool(ground.db, pool, async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext(${`signing-keys/${pool}`}))`.execute(tx);
    const rows = await readRows(tx);
    const signer = signerOf(rows, now);
    if (isEmergency || !signer) {
      // Nobody trusts the old ones any more: every access token ends with them, and is refreshed with the new one.
      if (isEmergency) await tx.deleteFrom('signingKeys').execute();
      await addKey(tx, ground, pool, now);
    } else {
      const isNextDue = signer.signsFrom.getTime() + days * day - day <= now.getTime();
      const hasNext = rows.some(({ signsFrom }) => signsFrom > now);
      if (isNextDue && !hasNext) await addKey(tx, ground, pool, new Date(now.getTime() + day));
      if (signer.signsFrom.getTime() + day <= now.getTime()) {
        await tx.deleteFrom('signingKeys').where('signsFrom', '<', signer.signsFrom).execute();
      }
    }
    return toKeys(await readRows(tx), ground, pool, now);
  });
}

const readRows = (tx: PoolTx) => tx.selectFrom('signingKeys').selectAll().orderBy('signsFrom', 'desc').execute();

const signerOf = <K extends { signsFrom: Date }>(keys: readonly K[], now: Date): K | undefined =>
  keys.find(({ signsFrom }) => signsFrom <= now);

function toKeys(rows: Awaited<ReturnType<typeof readRows>>, ground: Ground, pool: PoolName, now: Date): SigningKey[] {
  const signer = signerOf(rows, now);
  const inOrder = [...rows.filter((row) => row === signer), ...rows.filter((row) => row !== signer)];
  return inOrder.map(({ kid, signsFrom, sealed }) => ({
    kid,
    signsFrom,
    privateJwk: JSON.parse(unsealForPlatform(ground.keyring, placeOf(pool, kid), sealed)) as JWK,
  }));
}

async function addKey(tx: PoolTx, { keyring }: Ground, pool: PoolName, signsFrom: Date) {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const kid = `${pool}-${signsFrom.toISOString().slice(0, 10)}-${randomBytes(4).toString('hex')}`;
  const jwk = { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' };
  const sealed = sealForPlatform(keyring, placeOf(pool, kid), JSON.stringify(jwk));
  await tx.insertInto('signingKeys').values({ kid, sealed, signsFrom }).execute();
}

const placeOf = (pool: PoolName, kid: string) => ({ purpose: `signing-key/${pool}`, rowId: kid });
