import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { KeyType } from './api-keys.contract.ts';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const prefixOf: Record<KeyType, string> = { public_widget: 'pk_live_', secret_server: 'sc_live_' };
const shape = /^(pk|sc)_live_[0-3][0-9a-hjkmnp-tv-z]{2}[0-9A-Za-z]{38}$/;

/** Prefix, the tenant's shard, 32 random characters, and a checksum. The shard locates the cell without a lookup. */
export function newSecret(keyType: KeyType, shard: string): string {
  const body = prefixOf[keyType] + shard + randomBase62(32);
  return body + checksum(body);
}

/** Catches typos without a database query. Doesn't authenticate anything. */
export const isWellFormed = (secret: string): boolean =>
  shape.test(secret) && checksum(secret.slice(0, -6)) === secret.slice(-6);

/** A secret has 190 random bits, so a fast hash is enough. A slow one would only make floods cheaper for attackers. */
export const hashSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer');

/** The same hash as text, used as cache key. */
export const cacheKeyOf = (secret: string): string => hash('sha256', secret, 'base64');

/** Identifies a key for people: `sc_live_…x4Tz`. */
export const hintOf = (secret: string): string => `${secret.slice(0, 8)}…${secret.slice(-4)}`;

/** Discards bytes from 248 up: 248 is four times 62, so all characters are equally likely. */
function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) if (byte < 248 && text.length < length) text += base62.charAt(byte % 62);
  }
  return text;
}

/** CRC-32 in six characters. */
function checksum(text: string): string {
  const crc = crc32(text);
  return [5, 4, 3, 2, 1, 0].map((place) => base62.charAt(Math.floor(crc / 62 ** place) % 62)).join('');
}
