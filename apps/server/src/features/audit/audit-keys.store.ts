import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { sql } from 'kysely';
import type { Services } from '../../platform/context.ts';
import { masterKeyIdOf, encryptForPlatform, decryptForPlatform } from '../../platform/crypto.ts';
import { transact, type Tx } from '../../platform/db.ts';

// What signs the heads of audit logs. Old ones are kept: the heads that they signed are verified for more than a year.

interface Row {
  kid: string;
  encrypted: Buffer;
  signsFrom: Date;
}
const placeOf = (kid: string) => ({ purpose: 'audit-key', rowId: kid });
const readRows = async (tx: Tx) => (await sql<Row>`select * from directory.read_audit_keys()`.execute(tx)).rows;
const open = ({ keyring }: Services, { kid, encrypted }: Row) =>
  JSON.parse(decryptForPlatform(keyring, placeOf(kid), encrypted)) as JWK;
const lock = (tx: Tx) => sql`select pg_advisory_xact_lock(hashtext('audit-keys'))`.execute(tx);

/** The newest first, which signs. One that the master keys do not open was put there by somebody else, and throws. */
export const readAuditKeys = (services: Services): Promise<JWK[]> =>
  transact(services.db, 'begin read only', async (tx) => (await readRows(tx)).map((row) => open(services, row)));

/** Makes the first key, or the next one when it is wanted. Any process may do this at any time. */
export const tendAuditKeys = (services: Services, { isWanted = false } = {}): Promise<JWK[]> =>
  transact(services.db, 'begin', async (tx) => {
    await lock(tx);
    if (isWanted || (await readRows(tx)).length === 0) {
      const { privateKey } = await generateKeyPair('ES256', { extractable: true });
      const kid = `audit-${new Date().toISOString().slice(0, 10)}-${randomBytes(4).toString('hex')}`;
      const jwk = JSON.stringify({ ...(await exportJWK(privateKey)), kid, alg: 'ES256', use: 'sig' });
      const encrypted = encryptForPlatform(services.keyring, placeOf(kid), jwk);
      await sql`select directory.add_audit_key(${kid}, ${encrypted}, clock_timestamp())`.execute(tx);
    }
    return (await readRows(tx)).map((row) => open(services, row));
  });

/** By which master key each is encrypted, and nothing of the keys themselves. */
export const listAuditKeys = ({ db }: Services) =>
  transact(db, 'begin read only', async (tx) =>
    (await readRows(tx)).map(({ kid, encrypted }) => ({ kid, masterKeyId: masterKeyIdOf(encrypted) })),
  );

/** What other master keys encrypted is re-encrypted with the first. Says how many. */
export const rewrapAuditKeys = (services: Services): Promise<number> =>
  transact(services.db, 'begin', async (tx) => {
    await lock(tx);
    const stale = (await readRows(tx)).filter(
      ({ encrypted }) => masterKeyIdOf(encrypted) !== services.keyring.current.id,
    );
    for (const row of stale) {
      const again = encryptForPlatform(services.keyring, placeOf(row.kid), JSON.stringify(open(services, row)));
      await sql`select directory.add_audit_key(${row.kid}, ${again}, ${row.signsFrom})`.execute(tx);
    }
    return stale.length;
  });
