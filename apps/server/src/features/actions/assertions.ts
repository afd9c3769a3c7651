import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair, importJWK, SignJWT, type CryptoKey, type JWK } from 'jose';
import type { Services } from '../../platform/context.ts';
import { masterKeyIdOf, encryptForPlatform, decryptForPlatform } from '../../platform/crypto.ts';
import { transact, type Tx } from '../../platform/db.ts';
import { dueRotation, signerFirst } from '../../platform/key-schedule.ts';
import type { Call } from './run/call.ts';
import * as store from './assertion-keys.store.ts';

// End-user assertions: a short-lived JWT in `X-Service-End-User` that the tenant's backend verifies offline with the
// public keys at /.well-known/jwks.json.

const encryptionContextOf = (kid: string) => ({ purpose: 'assertion-key', rowId: kid });
export const assertionDays = 90;

/** Adds and drops keys as scheduled. Safe to call from any process at any time: an advisory lock serializes the calls. */
export function rotateAssertionKeys(
  services: Services,
  { now = new Date(), isEmergency = false, rotate = false } = {},
): Promise<JWK[]> {
  return transact(services.db, 'begin', async (tx) => {
    await store.lockKeys(tx);
    if (isEmergency) await store.dropKeys(tx, 'infinity');
    const { add, dropBefore } = dueRotation(await store.readKeys(tx), assertionDays, now, rotate);
    if (add) await addKey(tx, services, add);
    if (dropBefore) await store.dropKeys(tx, dropBefore);
    return signerFirst(await store.readKeys(tx), now).map(({ kid, encrypted }) => decryptKey(services, kid, encrypted));
  });
}

const decryptKey = ({ keyring }: Services, kid: string, encrypted: Buffer) =>
  JSON.parse(decryptForPlatform(keyring, encryptionContextOf(kid), encrypted)) as JWK;

async function addKey(tx: Tx, { keyring }: Services, signsFrom: Date) {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const kid = `end-user-${signsFrom.toISOString().slice(0, 10)}-${randomBytes(4).toString('hex')}`;
  const jwk = { ...(await exportJWK(privateKey)), kid, alg: 'ES256', use: 'sig' };
  const encrypted = encryptForPlatform(keyring, encryptionContextOf(kid), JSON.stringify(jwk));
  await store.saveKey(tx, { kid, encrypted, signsFrom });
}

/** When each key starts to sign and which master key encrypts it. Newest first, without key material. */
export const listAssertionKeys = ({ db }: Services) =>
  transact(db, 'begin read only', async (tx) =>
    (await store.readKeys(tx)).map(({ kid, signsFrom, encrypted }) => ({
      kid,
      signsFrom,
      masterKeyId: masterKeyIdOf(encrypted),
    })),
  );

/** Re-encrypts keys that use an older master key with the current one. Returns how many. */
export const rewrapAssertionKeys = (services: Services): Promise<number> =>
  transact(services.db, 'begin', async (tx) => {
    await store.lockKeys(tx);
    const rows = (await store.readKeys(tx)).filter(
      ({ encrypted }) => masterKeyIdOf(encrypted) !== services.keyring.current.id,
    );
    for (const { kid, encrypted, signsFrom } of rows) {
      const reencrypted = encryptForPlatform(
        services.keyring,
        encryptionContextOf(kid),
        JSON.stringify(decryptKey(services, kid, encrypted)),
      );
      await store.saveKey(tx, { kid, encrypted: reencrypted, signsFrom });
    }
    return rows.length;
  });

const refreshMs = 60_000;
const lifetimeSeconds = 60;

export function openAssertions(services: Services, issuer: string) {
  let cached: { at: number; jwks: JWK[]; kid: string; key: CryptoKey | Uint8Array } | undefined;
  let refreshing: Promise<void> | undefined;
  const refresh = async () => {
    const jwks = await rotateAssertionKeys(services);
    const [signer] = jwks;
    if (!signer) throw new Error('no signing key for end-user assertions');
    cached = { at: Date.now(), jwks, kid: signer.kid ?? '', key: await importJWK(signer, 'ES256') };
  };
  /** Call before opening a transaction: this opens one itself. */
  const ready = async (): Promise<void> => {
    if (cached && Date.now() - cached.at < refreshMs) return;
    refreshing ??= refresh().finally(() => (refreshing = undefined));
    if (!cached) await refreshing;
    else refreshing.catch(() => {}); // the cached keys stay valid for a day
  };
  return {
    ready,
    /** Public keys only. */
    async jwks(): Promise<JWK[]> {
      await ready();
      return (cached?.jwks ?? []).map(({ d: _private, ...publicJwk }) => publicJwk);
    },
    async sign(
      { run, tenantId, n, at }: Pick<Call, 'run' | 'tenantId' | 'n' | 'at'>,
      externalUserId: string,
    ): Promise<string> {
      if (!cached) throw new Error('signing keys have not been loaded yet');
      const issuedAt = Math.floor(at.getTime() / 1_000);
      return new SignJWT({
        args_hash: run.argsHash,
        run_id: run.id,
        action_id: run.actionId,
        conversation_id: run.conversationId,
        environment_id: run.environmentId,
        verified_by: run.conversationId === null ? 'test' : 'server_key',
      })
        .setProtectedHeader({ alg: 'ES256', kid: cached.kid, typ: 'JWT' })
        .setIssuer(issuer)
        .setSubject(externalUserId)
        .setAudience(tenantId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifetimeSeconds)
        .setJti(`${run.id}/${n}`)
        .sign(cached.key);
    },
  };
}
export type Assertions = ReturnType<typeof openAssertions>;
