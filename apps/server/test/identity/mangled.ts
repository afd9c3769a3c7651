import { encode, type Claims } from './jws.ts';
import type { Family, Scene } from './scene.ts';

// A valid token, damaged or written in another form.

const splitToken = (token: string) => token.split('.') as [header: string, payload: string, signature: string];
/** A changed header with the signature of the valid token. */
export const withChangedHeader = ({ token, header }: Scene, change: Claims) => {
  const [, payload, signature] = splitToken(token);
  return `${encode({ ...header, ...change })}.${payload}.${signature}`;
};

const tamperedSignature: Family = ({ token, publicKey, other }) => {
  const [header, payload, text] = splitToken(token);
  const good = Buffer.from(text, 'base64url');
  const withSignature = (signature: Buffer) => `${header}.${payload}.${signature.toString('base64url')}`;
  const flipped = Array.from({ length: 48 }, (_, i) => Math.floor((i * (good.length - 1)) / 47)).map(
    (at, i): [string, string] => {
      const bad = Buffer.from(good);
      bad[at] = (bad[at] ?? 0) ^ (1 << (i % 8));
      return [`bit ${i % 8} of byte ${at}`, withSignature(bad)];
    },
  );
  const number = BigInt(`0x${good.toString('hex')}`);
  const modulus = BigInt(
    `0x${Buffer.from(String(publicKey.export({ format: 'jwk' }).n), 'base64url').toString('hex')}`,
  );
  const ofNumber = (n: bigint, bytes = good.length) => Buffer.from(n.toString(16).padStart(bytes * 2, '0'), 'hex');
  const shapes: Record<string, Buffer> = {
    zeroes: Buffer.alloc(good.length),
    ones: Buffer.alloc(good.length, 255),
    'the number 1': ofNumber(1n),
    'the modulus': ofNumber(modulus),
    'the modulus less 1': ofNumber(modulus - 1n),
    'the modulus less the signature': ofNumber(modulus - number),
    'the signature and the modulus': ofNumber(number + modulus, good.length + 1),
    'one byte': good.subarray(0, 1),
    half: good.subarray(0, good.length / 2),
    'all but the last byte': good.subarray(0, -1),
    'all but the first byte': good.subarray(1),
    'a zero before it': Buffer.concat([Buffer.alloc(1), good]),
    'a zero after it': Buffer.concat([good, Buffer.alloc(1)]),
    twice: Buffer.concat([good, good]),
    backwards: Buffer.from([...good].toReversed()),
    "the other pool's": Buffer.from(splitToken(other.token)[2], 'base64url'),
    'DER of an ECDSA signature': Buffer.from('3006020101020101', 'hex'),
  };
  return [...flipped, ...Object.entries(shapes).map(([name, bad]): [string, string] => [name, withSignature(bad)])];
};

const tamperedPayload: Family = ({ token, claims, colleague, other }) => {
  const [header, , signature] = splitToken(token);
  const change = (more: Claims) => `${header}.${encode({ ...claims, ...more })}.${signature}`;
  const changes: Claims[] = [
    { sub: colleague.userId },
    { sub: colleague.userId, sid: colleague.sid },
    { sid: colleague.sid },
    { sub: other.signedIn.userId },
    { iss: other.issuer },
    { aud: other.audience },
    { iss: other.issuer, aud: other.audience, sub: other.signedIn.userId, sid: other.signedIn.sid },
    { exp: Number(claims['exp']) + 1 },
    { exp: 9_999_999_999 },
    { iat: Number(claims['iat']) + 1 },
    { tenant_id: 'ten_00000000000000000000000000' },
    { roles: ['owner'] },
    { scope: 'api admin' },
    { act: { sub: colleague.userId } },
    { client_id: 'other' },
    { jti: 'other' },
    { extra: 1 },
  ];
  const payloads = [
    ['keys in another order', JSON.stringify(Object.fromEntries(Object.entries(claims).toReversed()))],
    ['spaces', JSON.stringify(claims, null, 1)],
    ['empty', '{}'],
    ["another token's", splitToken(other.token)[1]],
  ] as const;
  return [
    ...changes.map((more): [string, string] => [Object.keys(more).join(', '), change(more)]),
    ...payloads.map(([name, text]): [string, string] => [name, `${header}.${encode(text)}.${signature}`]),
  ].map(([name, token], i): [string, string] => [`${i}: ${name}`, token]);
};

const tamperedHeader: Family = (scene) => [
  ...[
    { kid: undefined },
    { kid: scene.other.kid },
    { typ: undefined },
    { typ: 'JWT' },
    { typ: 'AT+JWT' },
    { cty: 'JWT' },
    { zip: 'DEF' },
    { b64: true },
    { crit: [] },
    { crit: ['exp'] },
    { jku: scene.attacker.url },
    { jwk: scene.attacker.jwk },
    { extra: 1 },
  ].map((change: Claims): [string, string] => [JSON.stringify(change), withChangedHeader(scene, change)]),
  ['spaces', `${encode(JSON.stringify(scene.header, null, 1))}.${splitToken(scene.token).slice(1).join('.')}`],
  ['empty', `${encode('{}')}.${splitToken(scene.token).slice(1).join('.')}`],
  ['no JSON', `${encode('RS256')}.${splitToken(scene.token).slice(1).join('.')}`],
  ['a list', `${encode([scene.header])}.${splitToken(scene.token).slice(1).join('.')}`],
  ['null', `${encode('null')}.${splitToken(scene.token).slice(1).join('.')}`],
  [
    'swapped with the payload',
    [splitToken(scene.token)[1], splitToken(scene.token)[0], splitToken(scene.token)[2]].join('.'),
  ],
  ['not UTF-8', `${encode(Buffer.from([0xff, 0xfe]))}.${splitToken(scene.token).slice(1).join('.')}`],
];

const truncatedOrRepeated: Family = ({ token }) => {
  const [header, payload, signature] = splitToken(token);
  const shapes: string[] = [
    '',
    '.',
    '..',
    '...',
    'a',
    'a.b',
    'a.b.c',
    header,
    `${header}.`,
    `${header}.${payload}`,
    `${header}..${signature}`,
    `.${payload}.${signature}`,
    `..${signature}`,
    `${payload}.${signature}`,
    `.${token}`,
    `${token}.`,
    `${token}..`,
    `${header}..${payload}.${signature}`,
    `${header}.${payload}..${signature}`,
    `${token}.${signature}`,
    `${token}.${payload}.${signature}`,
    `${token}.${token}`,
    `${token}${token}`,
    token.slice(1),
    token.slice(0, Math.floor(token.length / 2)),
    `${header}.${payload}.${signature.slice(0, -1)}`,
    `${header}.${payload}.${signature.slice(0, -4)}`,
    `${header}.${payload.slice(0, -1)}.${signature}`,
    `${header}.${payload.slice(1)}.${signature}`,
    `${header.slice(0, -1)}.${payload}.${signature}`,
    `${header}A.${payload}.${signature}`,
    `${header}.${payload}A.${signature}`,
    `${header}.${payload}.${signature}AAAA`,
    token.split('').toReversed().join(''),
    token.toLowerCase(),
    token.toUpperCase(),
    'A'.repeat(10_000),
    `${'A'.repeat(5_000)}.${'A'.repeat(5_000)}.AA`,
  ];
  return shapes.map((token, i): [string, string] => [`shape ${i}`, token]);
};

const encoding: Family = ({ token, claims }) => {
  const [header, payload, signature] = splitToken(token);
  const plain = (text: string) => Buffer.from(text, 'base64url').toString('base64');
  const shapes: Record<string, string> = {
    'padding after the header': `${header}=.${payload}.${signature}`,
    'padding after the payload': `${header}.${payload}=.${signature}`,
    'padding after the signature': `${token}==`,
    'standard base64': [header, payload, signature].map(plain).join('.'),
    'plus and slash': token.replaceAll('-', '+').replaceAll('_', '/') + (/[-_]/.test(token) ? '' : '+'),
    'a plus in the signature': `${header}.${payload}.+${signature.slice(1)}`,
    'a slash in the payload': `${header}./${payload.slice(1)}.${signature}`,
    'a space in the header': `${header.slice(0, 4)} ${header.slice(4)}.${payload}.${signature}`,
    'a space in the payload': `${header}.${payload.slice(0, 4)} ${payload.slice(4)}.${signature}`,
    'a space in the signature': `${header}.${payload}.${signature.slice(0, 4)} ${signature.slice(4)}`,
    'a tab in the signature': `${header}.${payload}.\t${signature}`,
    'a line break in the payload': `${header}.${payload.slice(0, 4)}\n${payload.slice(4)}.${signature}`,
    'a line break after it': `${token}\n`,
    'a line break and more after it': `${token}\n${header}`,
    'a carriage return after it': `${token}\r`,
    'a null byte after it': `${token}\u0000`,
    'percent-encoded dots': token.replaceAll('.', '%2E'),
    'percent-encoded': token.replaceAll(/./g, (c) => `%${c.charCodeAt(0).toString(16)}`),
    'in quotes': `"${token}"`,
    'in angle brackets': `<${token}>`,
    'full-width dots': token.replaceAll('.', '．'),
    'a zero-width space': `${header}.\u200b${payload}.${signature}`,
    'a byte-order mark before it': `\ufeff${token}`,
    'a soft hyphen': `${header}\u00ad.${payload}.${signature}`,
    'a homoglyph': token.replace('e', 'е'),
    'a non-ASCII signature': `${header}.${payload}.ſ${signature.slice(1)}`,
    'hex parts': [header, payload, signature].map((part) => Buffer.from(part, 'base64url').toString('hex')).join('.'),
    'the flattened JSON form': JSON.stringify({ protected: header, payload, signature }),
    'the flattened JSON form, encoded': encode({ protected: header, payload, signature }),
    'JSON instead of base64': `{"alg":"RS256"}.${JSON.stringify(claims)}.${signature}`,
  };
  return Object.entries(shapes);
};

/** The valid token in unsupported Authorization formats and headers. */
const headerShapes: Family = ({ token, signedIn, issuer }) => {
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  const values: string[] = [
    token,
    basic(`${signedIn.userId}:${token}`),
    basic(`${token}:`),
    basic(token),
    `bearer ${token}`,
    `BEARER ${token}`,
    `bEARER ${token}`,
    `Bearer  ${token}`,
    `Bearer\t${token}`,
    `Bearer\u00a0${token}`,
    `Bearer:${token}`,
    `Bearer: ${token}`,
    `Bearer=${token}`,
    `Bearer${token}`,
    `Bearer token=${token}`,
    `Bearer access_token="${token}"`,
    `Bearer "${token}"`,
    ` Bearer ${token}`,
    `Bearer ${token} `,
    `Bearer ${token},`,
    `Bearer ${token};`,
    `Bearer ${token}, Bearer ${token}`,
    `Bearer ${token},Bearer ${token}`,
    `Bearer ${token} ${token}`,
    `Bearer ${token} Bearer ${token}`,
    `Bearer Bearer ${token}`,
    `Basic eDp5, Bearer ${token}`,
    `Bearer x, Bearer ${token}`,
    `Bearer ${token}, Basic eDp5`,
    `Bearer realm="x", ${token}`,
    `Bearer\r\n ${token}`,
    `Bearer ${token}\r\nx-a: b`,
    `JWT ${token}`,
    `Token ${token}`,
    `DPoP ${token}`,
    `OAuth ${token}`,
    `Negotiate ${token}`,
    `Digest username="${signedIn.userId}", response="${token}"`,
    `Вearer ${token}`,
    'Bearer',
    'null',
    'undefined',
    'Bearer null',
    'Bearer undefined',
    'Bearer [object Object]',
    '',
  ];
  const otherHeaders: Record<string, string>[] = [
    {},
    { cookie: `access_token=${token}` },
    { cookie: `Authorization=Bearer ${token}` },
    { 'proxy-authorization': `Bearer ${token}` },
    { 'x-authorization': `Bearer ${token}` },
    { 'x-access-token': token },
    { 'x-forwarded-access-token': token },
    { 'x-forwarded-user': signedIn.userId, 'x-forwarded-for': '127.0.0.1' },
    { 'x-user-id': signedIn.userId, 'x-session-id': signedIn.sid, 'x-issuer': issuer },
    { 'www-authenticate': `Bearer ${token}` },
    { 'sec-websocket-protocol': `bearer, ${token}` },
  ];
  return [
    ...values.map((authorization, i): [string, { authorization: string }] => [`value ${i}`, { authorization }]),
    ...otherHeaders.map((headers): [string, Record<string, string>] => [
      Object.keys(headers).join() || 'none',
      headers,
    ]),
  ];
};

export const families: Record<string, Family> = {
  'tampered signature': tamperedSignature,
  'tampered payload': tamperedPayload,
  'tampered header': tamperedHeader,
  'truncated, repeated or with extra dots': truncatedOrRepeated,
  encoding,
  'malformed Authorization headers': headerShapes,
};
