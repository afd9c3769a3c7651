import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { encryptForPlatform, sha256, decryptForPlatform, type Keyring } from '../../../platform/crypto.ts';
import type { PoolName, PoolTx } from '../../../platform/pool.ts';
import * as store from './two-factor.store.ts';

const periodSeconds = 30;
const encryptionContext = (pool: PoolName, userId: string) => ({ purpose: `totp/${pool}`, rowId: userId });
const totpOf = (secret: string, label = '') =>
  new TOTP({ issuer: 'Parley', label, secret: Secret.fromBase32(secret), digits: 6, period: periodSeconds });

/** Creates a secret. It becomes active with the first correct code. */
export async function createTotp(tx: PoolTx, keyring: Keyring, pool: PoolName, userId: string, email: string) {
  const secret = new Secret({ size: 20 }).base32;
  await store.upsertTotp(tx, userId, encryptForPlatform(keyring, encryptionContext(pool, userId), secret));
  return { secret, uri: totpOf(secret, email).toString() };
}

/** The secret that is not confirmed yet, for a page that is shown again after a wrong code. */
export async function pendingTotp(tx: PoolTx, keyring: Keyring, pool: PoolName, userId: string, email: string) {
  const row = await store.findTotp(tx, userId);
  if (!row || row.confirmedAt) return undefined;
  const secret = decryptForPlatform(keyring, encryptionContext(pool, userId), row.encrypted);
  return { secret, uri: totpOf(secret, email).toString() };
}

/** Accepts the current code and those of the periods before and after, each only once. */
export async function isTotp(
  tx: PoolTx,
  keyring: Keyring,
  pool: PoolName,
  userId: string,
  code: string,
  isEnrolment = false,
) {
  const digits = code.replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(digits)) return false;
  const row = await store.findTotp(tx, userId);
  if (!row || (!row.confirmedAt && !isEnrolment)) return false;
  const secret = decryptForPlatform(keyring, encryptionContext(pool, userId), row.encrypted);
  const now = Date.now();
  const delta = totpOf(secret).validate({ token: digits, timestamp: now, window: 1 });
  if (delta === null) return false;
  return store.consumeTotpStep(tx, userId, Math.floor(now / 1_000 / periodSeconds) + delta);
}

const alphabet = '23456789abcdefghjkmnpqrstuvwxyz'; // no characters that are easily confused

/** Ten codes with 79 bits each, so a plain hash is enough. */
export async function newRecoveryCodes(tx: PoolTx, userId: string): Promise<string[]> {
  const codes = Array.from({ length: 10 }, () =>
    [...randomBytes(64)]
      .filter((byte) => byte < 248) // a multiple of 31, so that all characters are equally likely
      .slice(0, 16)
      .map((byte) => alphabet.charAt(byte % 31))
      .join('')
      .replace(/(.{4})(?=.)/g, '$1-'),
  );
  await store.replaceRecoveryCodes(tx, userId, codes.map(hashOf));
  return codes;
}

export const isRecoveryCode = (tx: PoolTx, userId: string, code: string) =>
  store.useRecoveryCode(tx, userId, hashOf(code));

const hashOf = (code: string) => sha256(code.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));
