import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { KeyType } from './api-keys.contract.ts';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const prefixOf: Record<KeyType, string> = { public_widget: 'pk_live_', secret_server: 'sc_live_' };
const shape = /^(pk|sc)_live_[0-3][0-9a-hjkmnp-tv-z]{2}[0-9A-Za-z]{38}$/;

/** Prefix, the tenant's shard, 32 random characters, checksum of all before. The shard finds the cell without a look-up. */
export function newSecret(keyType: KeyType, shard: string): string {
  const body = prefixOf[keyType] + shard + randomBase62(32);
  return body + checksum(body);
}

/** Catches typing errors before the database is asked. It proves nothing about who sends it. */
export const isWellFormed = (secret: string): boolean =>
  shape.test(secret) && checksum(secret.slice(0, -6)) === secret.slice(-6);

/** 190 random bits cannot be guessed, so a plain hash is enough; a slow one would only help whoever floods us. */
export const hashSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer');

/** The same hash as text: what a key is remembered by. */
export const nameOf = (secret: string): string => hash('sha256', secret, 'base64');

/** How a person tells keys apart: `sc_live_…x4Tz`. */
export const hintOf = (secret: string): string => `${secret.slice(0, 8)}…${secret.slice(-4)}`;

/** Bytes from 248 up are thrown away: 248 is four times 62, so every character is as likely as any other. */
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
