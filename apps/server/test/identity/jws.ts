import { constants, createHmac, sign, type KeyObject } from 'node:crypto';

// Builds tokens by hand, because a library would refuse to create most of them.

export type Claims = Record<string, unknown>;
export type Signer = (input: string) => Buffer;

/** Strings are encoded as is, for JSON that no serializer produces. */
export const encode = (part: unknown): string =>
  Buffer.isBuffer(part)
    ? part.toString('base64url')
    : Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');

export const decode = (part: string | undefined): Claims =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as Claims;

export function makeJws(header: unknown, payload: unknown, signer: Signer): string {
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${signer(input).toString('base64url')}`;
}

const bits = (alg: string) => `sha${alg.slice(2)}`;

/** Signs with `alg`; the key must have the matching type. */
export function signerOf(alg: string, key: KeyObject): Signer {
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  return (input) => {
    const data = Buffer.from(input);
    if (alg.startsWith('RS')) return sign(bits(alg), data, key);
    if (alg.startsWith('PS')) return sign(bits(alg), data, { key, padding, saltLength: Number(alg.slice(2)) / 8 });
    if (alg.startsWith('ES')) return sign(bits(alg), data, { key, dsaEncoding: 'ieee-p1363' });
    return sign(null, data, key);
  };
}

export const hmacOf =
  (alg: string, key: string | Buffer): Signer =>
  (input) =>
    createHmac(bits(alg), key).update(input).digest();
