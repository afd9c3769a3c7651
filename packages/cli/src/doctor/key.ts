import { crc32 } from 'node:zlib';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Finds typos offline: the last six characters are a checksum of the others. */
export function isWellFormed(key: string): boolean {
  const crc = crc32(key.slice(0, -6));
  const checksum = [5, 4, 3, 2, 1, 0].map((place) => base62.charAt(Math.floor(crc / 62 ** place) % 62)).join('');
  return /^(pk|sc)_live_[0-3][0-9a-hjkmnp-tv-z]{2}[0-9A-Za-z]{38}$/.test(key) && key.endsWith(checksum);
}

/** Enough to recognise it, too little to use it. */
export const hintOf = (key: string): string => (key.length > 12 ? `${key.slice(0, 8)}…${key.slice(-4)}` : key);
