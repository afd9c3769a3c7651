import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** How far a clock may be off, either way. */
const toleranceSeconds = 300;

/** As the headers carry it: over the time and the bytes, keyed by the whole secret as it was shown. */
export const sign = (secret: string, timestamp: number, body: Buffer): string =>
  createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');

/** Newest secret first. */
export const signatureHeader = (secrets: readonly string[], timestamp: number, body: Buffer): string =>
  secrets.map((secret) => `v1=${sign(secret, timestamp, body)}`).join(',');

/** The same call for libraries that follow Standard Webhooks: there the id is signed as well, and the key is decoded. */
export const standardSignature = (secrets: readonly string[], id: string, timestamp: number, body: Buffer): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
    })
    .join(' ');

/** To tell secrets apart without showing one. */
export const fingerprint = (secret: string): string => createHash('sha256').update(secret).digest('hex').slice(0, 8);

type Refusal = 'signature_malformed' | 'timestamp_malformed' | 'signature_mismatch' | 'timestamp_out_of_range';

/**
 * Whether a call is from somebody who holds one of these secrets, and was made just now. All is computed before anything
 * is refused, so that how long it takes says nothing of why.
 */
export function checkSignature(
  secrets: readonly string[],
  { signature, timestamp }: { signature: string; timestamp: string },
  body: Buffer,
  now: Date,
): Refusal | null {
  const isWellSigned = /^v\d+[a-z]?=[^,\s]+(,v\d+[a-z]?=[^,\s]+){0,3}$/.test(signature);
  const isTime = /^[1-9]\d{9,10}$/.test(timestamp);
  const at = isTime ? Number(timestamp) : 0;
  const given = (isWellSigned ? signature : '')
    .split(',')
    .filter((one) => /^v1=[\da-f]{64}$/.test(one))
    .map((one) => Buffer.from(one.slice(3), 'hex'));
  let isGood = false;
  for (const secret of secrets) {
    const expected = Buffer.from(sign(secret, at, body), 'hex');
    for (const one of given) isGood = timingSafeEqual(one, expected) || isGood;
  }
  if (!isWellSigned) return 'signature_malformed';
  if (!isTime) return 'timestamp_malformed';
  if (!isGood) return 'signature_mismatch';
  return Math.abs(now.getTime() / 1_000 - at) > toleranceSeconds ? 'timestamp_out_of_range' : null;
}
