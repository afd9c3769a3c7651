import { createPublicKey, generateKeyPairSync } from 'node:crypto';

/** The key with which Restate signs its calls to the worker: Ed25519, as PEM. */
export const createRestateKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** The public key of that key, as RESTATE_IDENTITY_KEYS names it: `publickeyv1_` and base58. */
export function restatePublicKey(privateKeyPem: string): string {
  const raw = createPublicKey(privateKeyPem).export({ type: 'spki', format: 'der' }).subarray(-32);
  let rest = BigInt(`0x${raw.toString('hex')}`);
  let text = '';
  for (; rest > 0n; rest /= 58n) text = alphabet.charAt(Number(rest % 58n)) + text;
  for (let i = 0; raw[i] === 0; i++) text = `1${text}`;
  return `publickeyv1_${text}`;
}
