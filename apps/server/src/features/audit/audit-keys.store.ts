import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { sql } from 'kysely';
import type { Services } from '../../platform/context.ts';
import { masterKeyIdOf, encryptForPlatform, decryptForPlatform } from '../../platform/crypto.ts';
import { transact, type Tx } from '../../platform/db.ts';

// Keys that sign the heads of audit logs. Old ones are kept, because their heads are verified for more than a year.

interface Row {
  kid: string;
  encrypted: Buffer;
  signsFrom: Date;
}
const encryptionContextOf = (kid: string) => ({ purpose: 'audit-key', rowId: kid });
const readRows = async (tx: Tx) => (await sql<Row>`select * from directory.read_audit_keys()`.execute(tx)).rows;
const decryptKey = ({ keyring }: Services, { kid, encrypted }: Row) =>
  JSON.parse(decryptForPlatform(keyring, encryptionContextOf(kid), encrypted)) as JWK;
const lock = (tx: Tx) => sql`select pg_advisory_xact_lock(hashtext('audit-keys'))`.execute(tx);

/** Newest first; the newest one signs. Throws for a key that the master keys can't decrypt, because it may be forged. */
export const readAuditKeys = (services: Services): Promise<JWK[]> =>
  transact(services.db, 'begin read only', async (tx) => (await readRows(tx)).map((row) => decryptKey(services, row)));

/** Creates the first key if there is none, or the next one with `rotate`. Safe to run in any process. */
export const ensureAuditKeys = (services: Services, { rotate = false } = {}): Promise<JWK[]> =>
  transact(services.db, 'begin', async (tx) => {
    await lock(tx);
    if (rotate || (await readRows(tx)).length === 0) {
      const { privateKey } = await generateKeyPair('ES256', { extractable: true });
      const kid = `audit-${new Date().toISOString().slice(0, 10)}-${randomBytes(4).toString('hex')}`;
      const jwk = JSON.stringify({ ...(await exportJWK(privateKey)), kid, alg: 'ES256', use: 'sig' });
      const encrypted = encryptForPlatform(services.keyring, encryptionContextOf(kid), jwk);
      await sql`select directory.add_audit_key(${kid}, ${encrypted}, clock_timestamp())`.execute(tx);
    }
    return (await readRows(tx)).map((row) => decryptKey(services, row));
  });

/** The master key of each key, without key material. */
export const listAuditKeys = ({ db }: Services) =>
  transact(db, 'begin read only', async (tx) =>
    (await readRows(tx)).map(({ kid, encrypted }) => ({ kid, masterKeyId: masterKeyIdOf(encrypted) })),
  );

/** Re-encrypts keys with the current master key. Returns how many. */
export const rewrapAuditKeys = (services: Services): Promise<number> =>
  transact(services.db, 'begin', async (tx) => {
    await lock(tx);
    const stale = (await readRows(tx)).filter(
      ({ encrypted }) => masterKeyIdOf(encrypted) !== services.keyring.current.id,
    );
    for (const row of stale) {
      const reencrypted = encryptForPlatform(
        services.keyring,
        encryptionContextOf(row.kid),
        JSON.stringify(decryptKey(services, row)),
      );
      await sql`select directory.add_audit_key(${row.kid}, ${reencrypted}, ${row.signsFrom})`.execute(tx);
    }
    return stale.length;
  });
