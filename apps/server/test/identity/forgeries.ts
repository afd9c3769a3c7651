import { createPublicKey, type KeyObject } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { CompactEncrypt } from 'jose';
import { encode, hmacOf, makeJws, signerOf, type Claims } from './jws.ts';
import { withChangedHeader } from './mangled.ts';
import type { Family, Scene } from './scene.ts';

// Tokens that an attacker can create with public information, one valid token and their own keys.

const splitToken = (token: string) => token.split('.') as [header: string, payload: string, signature: string];
const namedByValue = <T>(values: readonly T[], credential: (value: T) => string): [string, string][] =>
  values.map((value) => [JSON.stringify(value), credential(value)]);
/** Signed with the attacker's key. */
const forged = ({ header, claims, attacker }: Scene, headerChange: Claims, claimsChange: Claims = {}) =>
  makeJws({ ...header, ...headerChange }, { ...claims, ...claimsChange }, signerOf('RS256', attacker.rsa));
const algNone: Family = ({ header, claims, token }) => {
  const spellings = [
    'none',
    'None',
    'NONE',
    'nOnE',
    'nonE',
    'none ',
    ' none',
    'none\u0000',
    'ｎone',
    '',
    null,
    0,
    ['none'],
  ];
  const [, , signature] = splitToken(token);
  return [...spellings, undefined].flatMap((alg): [string, string][] => {
    const unsigned = `${encode({ ...header, alg })}.${encode(claims)}`;
    return [
      [`${JSON.stringify(alg)}, no signature part`, unsigned],
      [`${JSON.stringify(alg)}, an empty signature`, `${unsigned}.`],
      [`${JSON.stringify(alg)}, any signature`, `${unsigned}.AA`],
      [`${JSON.stringify(alg)}, the valid signature`, `${unsigned}.${signature}`],
    ];
  });
};

/** Algorithm confusion: the public key is used as an HMAC secret. */
const hmacWithPublicKey: Family = ({ header, claims, publicKey, kid }) => {
  const jwk = publicKey.export({ format: 'jwk' }) as Claims;
  const pem = (type: 'spki' | 'pkcs1') => publicKey.export({ format: 'pem', type }).toString();
  const modulus = Buffer.from(String(jwk['n']), 'base64url');
  const keys: Record<string, string | Buffer> = {
    'SPKI PEM': pem('spki'),
    'SPKI PEM without its last line break': pem('spki').trimEnd(),
    'SPKI PEM with CRLF': pem('spki').replaceAll('\n', '\r\n'),
    'PKCS1 PEM': pem('pkcs1'),
    'PKCS1 PEM without its last line break': pem('pkcs1').trimEnd(),
    'SPKI DER': publicKey.export({ format: 'der', type: 'spki' }),
    'PKCS1 DER': publicKey.export({ format: 'der', type: 'pkcs1' }),
    'JWK as served': JSON.stringify({ kty: 'RSA', n: jwk['n'], e: jwk['e'], kid, alg: 'RS256', use: 'sig' }),
    'JWK by thumbprint order': JSON.stringify({ e: jwk['e'], kty: 'RSA', n: jwk['n'] }),
    'modulus, bytes': modulus,
    'modulus, bytes with a zero before them': Buffer.concat([Buffer.alloc(1), modulus]),
    'modulus, base64url': String(jwk['n']),
    'modulus, hex': modulus.toString('hex'),
    'the kid': kid,
    nothing: '',
  };
  return ['HS256', 'HS384', 'HS512'].flatMap((alg) =>
    Object.entries(keys).map(([name, key]): [string, string] => [
      `${alg}, ${name}`,
      makeJws({ ...header, alg }, claims, hmacOf(alg, key)),
    ]),
  );
};

const otherAlgorithm: Family = (scene) => [
  ...namedByValue(
    ['RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'ES256K', 'EdDSA', 'Ed25519', 'HS256'],
    (alg) => withChangedHeader(scene, { alg }),
  ),
  ...namedByValue(['RS1', 'rs256', 'RS256 ', 'RSA-OAEP', 'dir', 'RS256\u0000', '__proto__', 'toString'], (alg) =>
    withChangedHeader(scene, { alg }),
  ),
  ...namedByValue<unknown>([['RS256'], { alg: 'RS256' }, 256, true, null], (alg) => withChangedHeader(scene, { alg })),
];

/** Signed with the attacker's keys, with our kid and issuer. */
const foreignKeyOurKid: Family = ({ header, claims, attacker: { rsa, ec, ed } }) => {
  const signedBy = (signs: string, key: KeyObject, says = signs): [string, string] => [
    `${signs} signature, header says ${says}`,
    makeJws({ ...header, alg: says }, claims, signerOf(signs, key)),
  ];
  return [
    ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'].map((alg) => signedBy(alg, rsa)),
    signedBy('ES256', ec),
    signedBy('EdDSA', ed),
    signedBy('EdDSA', ed, 'Ed25519'),
    signedBy('ES256', ec, 'RS256'),
    signedBy('EdDSA', ed, 'RS256'),
    signedBy('PS256', rsa, 'RS256'),
    signedBy('RS512', rsa, 'RS256'),
  ];
};

const strangeKids = (kid: string): unknown[] => [
  '../../../../../../dev/null',
  '/dev/null',
  '/proc/self/environ',
  'file:///etc/passwd',
  'C:\\Windows\\win.ini',
  "' or '1'='1",
  "x' union select 'AA' --",
  `${kid}' --`,
  '"; drop table signing_keys; --',
  '$(id)',
  '| id',
  `${kid}\u0000`,
  `${kid} `,
  ` ${kid}`,
  kid.toUpperCase(),
  `${kid}/../${kid}`,
  `${kid},${kid}`,
  `${kid}\r\nx: y`,
  '',
  '__proto__',
  'constructor',
  'toString',
  'keys',
  'undefined',
  'null',
  '*',
  '%',
  'k'.repeat(4_000),
  'ключ',
  [kid],
  [],
  { kid },
  { $ne: null },
  { toString: kid },
  0,
  1,
  -1,
  1e308,
  true,
  false,
  null,
];

const foreignKid: Family = (scene) => [
  ...namedByValue(strangeKids(scene.kid), (kid) => forged(scene, { kid })),
  ['missing', forged(scene, { kid: undefined })],
  ["the attacker's own", forged(scene, { kid: scene.attacker.jwk['kid'] })],
  ["the other pool's", forged(scene, { kid: scene.other.kid })],
  ["an external issuer's", forged(scene, { kid: scene.external.kid })],
  [
    '/dev/null, as an empty secret',
    makeJws({ ...scene.header, alg: 'HS256', kid: '/dev/null' }, scene.claims, hmacOf('HS256', '')),
  ],
];

/** Keys or key URLs in the token itself. The server at these URLs returns a matching key. */
const keyInHeader: Family = (scene) => {
  const { attacker, kid, issuer } = scene;
  const { url, jwk, certificate } = attacker;
  const ownJwk = { ...jwk, kid };
  const { host } = new URL(url);
  const headers: Record<string, Claims> = {
    jku: { jku: url },
    'jku, foreign kid': { jku: url, kid: jwk['kid'] },
    'jku, no kid': { jku: url, kid: undefined },
    'jku with our host as the user': { jku: `http://${new URL(issuer).host}@${host}/jwks` },
    'jku with our URL as the query': { jku: `${url}?${issuer}/jwks` },
    'jku with our URL as the fragment': { jku: `${url}#${issuer}/jwks` },
    'several jku': { jku: [url, `${issuer}/jwks`] },
    JKU: { JKU: url },
    'jku that is data': { jku: `data:application/json,${JSON.stringify({ keys: [ownJwk] })}` },
    x5u: { x5u: url },
    'x5u, no kid': { x5u: url, kid: undefined },
    jwk: { jwk: ownJwk },
    'jwk, foreign kid': { jwk, kid: jwk['kid'] },
    'jwk, no kid': { jwk: ownJwk, kid: undefined },
    'jwk, critical': { jwk: ownJwk, crit: ['jwk'] },
    'jwks in the header': { jwks: { keys: [ownJwk] } },
    'keys in the header': { keys: [ownJwk] },
    x5c: { x5c: [certificate] },
    'x5c, no kid': { x5c: [certificate], kid: undefined },
    'x5c, not a list': { x5c: certificate },
    'x5t and x5c': { x5c: [certificate], x5t: encode('any'), 'x5t#S256': encode('any') },
    'all combined': { jku: url, x5u: url, jwk: ownJwk, x5c: [certificate] },
    'iss in the header': { iss: url, jku: url },
  };
  const claims: Record<string, Claims> = {
    'its own issuer': { iss: url },
    'its own issuer, ours as audience': { iss: url, aud: issuer },
    'its own issuer behind ours': { iss: `${issuer}@${host}` },
    'key in a claim': { cnf: { jwk: ownJwk }, jwk: ownJwk },
  };
  return [
    ...Object.entries(headers).map(([name, change]): [string, string] => [name, forged(scene, change)]),
    ...Object.entries(claims).map(([name, change]): [string, string] => [name, forged(scene, { jku: url }, change)]),
  ];
};

/** Encrypted or nested tokens. */
const encryptedAndNested: Family = async ({ token, claims, header, publicKey, privateKey, attacker, sign }) => {
  const encrypt = (text: string, alg: string, more: Claims = {}, key: KeyObject = publicKey) =>
    new CompactEncrypt(Buffer.from(text)).setProtectedHeader({ ...header, alg, enc: 'A256GCM', ...more }).encrypt(key);
  const jwe = await encrypt(JSON.stringify(claims), 'RSA-OAEP-256');
  const [a, , , d] = jwe.split('.');
  const attackersPublic = createPublicKey(attacker.rsa);
  return [
    ['claims, RSA-OAEP-256', jwe],
    ['claims, RSA-OAEP', await encrypt(JSON.stringify(claims), 'RSA-OAEP')],
    ['claims, compressed', await encrypt(JSON.stringify(claims), 'RSA-OAEP-256', { zip: 'DEF' })],
    ['the valid token inside', await encrypt(token, 'RSA-OAEP-256', { cty: 'JWT' })],
    ["by the attacker's key", await encrypt(token, 'RSA-OAEP-256', { cty: 'JWT' }, attackersPublic)],
    ['ECDH', await encrypt(token, 'ECDH-ES', { cty: 'JWT', kid: 'any' }, createPublicKey(attacker.ec))],
    ['JWE cut to three parts', `${a}.${d}.AA`],
    ['a JWS that says it is encrypted', makeJws({ ...header, enc: 'A256GCM' }, token, signerOf('RS256', attacker.rsa))],
    ['nested, by the attacker', makeJws({ ...header, cty: 'JWT' }, token, signerOf('RS256', attacker.rsa))],
    ['nested, by our key', makeJws({ ...header, cty: 'JWT' }, token, sign)],
    ['nested in quotes, by our key', makeJws({ ...header, cty: 'JWT' }, JSON.stringify(token), sign)],
    ['nested in a claim, by our key', makeJws(header, { ...claims, iss: undefined, jwt: token }, sign)],
    ['compressed, by our key', makeJws({ ...header, zip: 'DEF' }, deflateRawSync(JSON.stringify(claims)), sign)],
    ['compressed, by the attacker', makeJws({ ...header, zip: 'DEF' }, claims, signerOf('RS256', attacker.rsa))],
    ['PS256 by our key', makeJws({ ...header, alg: 'PS256' }, claims, signerOf('PS256', privateKey))],
    ['PS256 by our key, called RS256', makeJws(header, claims, signerOf('PS256', privateKey))],
    ['RS384 by our key', makeJws({ ...header, alg: 'RS384' }, claims, signerOf('RS384', privateKey))],
    ['RS512 by our key', makeJws({ ...header, alg: 'RS512' }, claims, signerOf('RS512', privateKey))],
    ['RS512 by our key, called RS256', makeJws(header, claims, signerOf('RS512', privateKey))],
    ['PS512 by our key', makeJws({ ...header, alg: 'PS512' }, claims, signerOf('PS512', privateKey))],
  ];
};

export const families: Record<string, Family> = {
  'alg none': algNone,
  'HMAC with the public key': hmacWithPublicKey,
  'another algorithm, the valid signature': otherAlgorithm,
  "attacker's key, our kid": foreignKeyOurKid,
  'foreign, missing or strange kid': foreignKid,
  'key or key URL in the token': keyInHeader,
  'encrypted, nested, compressed, another RSA scheme': encryptedAndNested,
};
