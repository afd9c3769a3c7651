import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair, importJWK, SignJWT, type CryptoKey, type JWK } from 'jose';
import { sql } from 'kysely';
import type { Services } from '../../platform/context.ts';
import { masterKeyIdOf, encryptForPlatform, decryptForPlatform } from '../../platform/crypto.ts';
import { transact, type Tx } from '../../platform/db.ts';
import { dueRotation, signerFirst } from '../../platform/key-schedule.ts';
import type { Call } from './run/call.ts';

// Who is asking, said in a way that the tenant's system can check without asking us: a short-lived token in
// `X-Service-End-User`, signed with a key that is published at /.well-known/jwks.json.

interface Row {
  kid: string;
  encrypted: Buffer;
  signsFrom: Date;
}
const placeOf = (kid: string) => ({ purpose: 'assertion-key', rowId: kid });
export const assertionDays = 90;

/** Brings the keys to what they should be now. Any process may do this at any time: one does, the others find it done. */
export function tendAssertionKeys(
  services: Services,
  { now = new Date(), isEmergency = false, isWanted = false } = {},
): Promise<JWK[]> {
  return transact(services.db, 'begin', async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('assertion-keys'))`.execute(tx);
    if (isEmergency) await sql`select directory.drop_assertion_keys('infinity')`.execute(tx);
    const { add, dropBefore } = dueRotation(await readRows(tx), assertionDays, now, isWanted);
    if (add) await addKey(tx, services, add);
    if (dropBefore) await sql`select directory.drop_assertion_keys(${dropBefore})`.execute(tx);
    return signerFirst(await readRows(tx), now).map(({ kid, encrypted }) => open(services, kid, encrypted));
  });
}

const open = ({ keyring }: Services, kid: string, encrypted: Buffer) =>
  JSON.parse(decryptForPlatform(keyring, placeOf(kid), encrypted)) as JWK;

const readRows = async (tx: Tx) => (await sql<Row>`select * from directory.read_assertion_keys()`.execute(tx)).rows;

async function addKey(tx: Tx, { keyring }: Services, signsFrom: Date) {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const kid = `end-user-${signsFrom.toISOString().slice(0, 10)}-${randomBytes(4).toString('hex')}`;
  const jwk = { ...(await exportJWK(privateKey)), kid, alg: 'ES256', use: 'sig' };
  const encrypted = encryptForPlatform(keyring, placeOf(kid), JSON.stringify(jwk));
  await sql`select directory.add_assertion_key(${kid}, ${encrypted}, ${signsFrom})`.execute(tx);
}

/** When each signs from, and by which master key it is encrypted. Newest first, and nothing of the keys themselves. */
export const listAssertionKeys = ({ db }: Services) =>
  transact(db, 'begin read only', async (tx) =>
    (await readRows(tx)).map(({ kid, signsFrom, encrypted }) => ({
      kid,
      signsFrom,
      masterKeyId: masterKeyIdOf(encrypted),
    })),
  );

/** What other master keys encrypted is re-encrypted with the first. Says how many. */
export const rewrapAssertionKeys = (services: Services): Promise<number> =>
  transact(services.db, 'begin', async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('assertion-keys'))`.execute(tx); // a key that is dropped stays so
    const rows = (await readRows(tx)).filter(
      ({ encrypted }) => masterKeyIdOf(encrypted) !== services.keyring.current.id,
    );
    for (const { kid, encrypted, signsFrom } of rows) {
      const again = encryptForPlatform(services.keyring, placeOf(kid), JSON.stringify(open(services, kid, encrypted)));
      await sql`select directory.add_assertion_key(${kid}, ${again}, ${signsFrom})`.execute(tx);
    }
    return rows.length;
  });

const lookAgainMs = 60_000;
const lifetimeSeconds = 60;

export function openAssertions(services: Services, issuer: string) {
  let known: { at: number; jwks: JWK[]; kid: string; key: CryptoKey | Uint8Array } | undefined;
  let looking: Promise<void> | undefined;
  const look = async () => {
    const jwks = await tendAssertionKeys(services);
    const [signer] = jwks;
    if (!signer) throw new Error('no signing key for end-user assertions');
    known = { at: Date.now(), jwks, kid: signer.kid ?? '', key: await importJWK(signer, 'ES256') };
  };
  /** Before a transaction: nothing inside one waits for another. */
  const ready = async (): Promise<void> => {
    if (known && Date.now() - known.at < lookAgainMs) return;
    looking ??= look().finally(() => (looking = undefined));
    if (!known) await looking;
    else looking.catch(() => {}); // the old ones are good for a day yet
  };
  return {
    ready,
    /** Public parts only. */
    async jwks(): Promise<JWK[]> {
      await ready();
      return (known?.jwks ?? []).map(({ d: _private, ...shown }) => shown);
    },
    async sign(
      { run, tenantId, n, at }: Pick<Call, 'run' | 'tenantId' | 'n' | 'at'>,
      externalUserId: string,
    ): Promise<string> {
      if (!known) throw new Error('signing keys have not been loaded yet');
      const issuedAt = Math.floor(at.getTime() / 1_000);
      return new SignJWT({
        args_hash: run.argsHash,
        run_id: run.id,
        action_id: run.actionId,
        conversation_id: run.conversationId,
        environment_id: run.environmentId,
        verified_by: run.conversationId === null ? 'test' : 'server_key',
      })
        .setProtectedHeader({ alg: 'ES256', kid: known.kid, typ: 'JWT' })
        .setIssuer(issuer)
        .setSubject(externalUserId)
        .setAudience(tenantId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifetimeSeconds)
        .setJti(`${run.id}/${n}`)
        .sign(known.key);
    },
  };
}
export type Assertions = ReturnType<typeof openAssertions>;
