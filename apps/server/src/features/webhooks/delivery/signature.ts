import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Allowed clock difference, in either direction. */
const toleranceSeconds = 300;

/** HMAC over timestamp and body. The key is the whole secret as shown, including its prefix. */
export const sign = (secret: string, timestamp: number, body: Buffer): string =>
  createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');

/** Newest secret first. */
export const signatureHeader = (secrets: readonly string[], timestamp: number, body: Buffer): string =>
  secrets.map((secret) => `v1=${sign(secret, timestamp, body)}`).join(',');

/**
 * For libraries that implement Standard Webhooks: the id is signed as well, and the key is base64-decoded, by Node.js itself:
 * finding out that a Buffer is no `KeyObject` takes longer than signing.
 */
export const standardSignature = (secrets: readonly string[], id: string, timestamp: number, body: Buffer): string =>
  secrets
    .map((secret) => {
      const hmac = createHmac('sha256', secret.replace(/^whsec_/, ''), { encoding: 'base64' });
      return `v1,${hmac.update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
    })
    .join(' ');

/** Identifies a secret without revealing it. */
export const fingerprint = (secret: string): string => createHash('sha256').update(secret).digest('hex').slice(0, 8);

type SignatureProblem = 'signature_malformed' | 'timestamp_malformed' | 'signature_mismatch' | 'timestamp_out_of_range';

/**
 * Checks that a request was signed recently with one of these secrets. Everything is computed before the first check fails, so
 * that the response time doesn't reveal the reason.
 */
export function checkSignature(
  secrets: readonly string[],
  { signature, timestamp }: { signature: string; timestamp: string },
  body: Buffer,
  now: Date,
): SignatureProblem | null {
  const isSignatureWellFormed = /^v\d+[a-z]?=[^,\s]+(,v\d+[a-z]?=[^,\s]+){0,3}$/.test(signature);
  const isTimestampWellFormed = /^[1-9]\d{9,10}$/.test(timestamp);
  const at = isTimestampWellFormed ? Number(timestamp) : 0;
  const signatures = (isSignatureWellFormed ? signature : '')
    .split(',')
    .filter((one) => /^v1=[\da-f]{64}$/.test(one))
    .map((one) => Buffer.from(one.slice(3), 'hex'));
  let isMatch = false;
  for (const secret of secrets) {
    const expected = Buffer.from(sign(secret, at, body), 'hex');
    for (const one of signatures) isMatch = timingSafeEqual(one, expected) || isMatch;
  }
  if (!isSignatureWellFormed) return 'signature_malformed';
  if (!isTimestampWellFormed) return 'timestamp_malformed';
  if (!isMatch) return 'signature_mismatch';
  return Math.abs(now.getTime() / 1_000 - at) > toleranceSeconds ? 'timestamp_out_of_range' : null;
}
