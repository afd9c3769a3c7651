import { encode, makeJws, type Claims } from './jws.ts';
import type { Family, Scene } from './scene.ts';

// Tokens with a valid signature of the pool that must be refused anyway.

const seconds = () => Math.floor(Date.now() / 1_000);
const namedByValue = <T>(values: readonly T[], credential: (value: T) => string): [string, string][] =>
  values.map((value) => [JSON.stringify(value) ?? 'missing', credential(value)]);
const withClaims = ({ header, claims, sign }: Scene, change: Claims) => makeJws(header, { ...claims, ...change }, sign);
const withHeader = ({ header, claims, sign }: Scene, change: Claims) => makeJws({ ...header, ...change }, claims, sign);
/** For JSON that no serializer produces; `claims` are those of the valid token without the closing brace. */
const withText = ({ header, claims, sign }: Scene, write: (claims: string) => string) =>
  makeJws(header, write(JSON.stringify(claims).slice(0, -1)), sign);
const wrongTypes = ['', 0, 1, true, false, null, [], {}, ['x'], { x: 1 }];

const criticalHeaders: Family = (scene) =>
  [
    { crit: [] },
    { crit: ['exp'] },
    { crit: ['alg'] },
    { crit: ['b64'] },
    { crit: ['nope'], nope: 1 },
    { crit: ['b64', 'nope'], b64: true, nope: 1 },
    { crit: ['http://openbanking.org.uk/iat'], 'http://openbanking.org.uk/iat': 1 },
    { crit: ['__proto__'] },
    { crit: ['toString'] },
    { crit: [''] },
    { crit: [1] },
    { crit: [null] },
    { crit: 'b64', b64: true },
    { crit: {} },
    { crit: null },
    { crit: true },
    { crit: ['b64'], b64: false },
    { crit: ['b64'], b64: 'false' },
    { crit: ['b64'], b64: 0 },
    { crit: ['b64'], b64: null },
    { crit: ['b64', 'b64'], b64: false },
  ].map((change): [string, string] => [JSON.stringify(change), withHeader(scene, change)]);

const wrongKidOurKey: Family = (scene) => [
  ...namedByValue<unknown>(
    ['', 'other', `${scene.kid} `, scene.kid.toUpperCase(), [scene.kid], { kid: scene.kid }, 0, true, null],
    (kid) => withHeader(scene, { kid }),
  ),
  ["the other pool's", withHeader(scene, { kid: scene.other.kid })],
];

const wrongAudience: Family = (scene) => {
  const { audience, other, issuer } = scene;
  const audiences: unknown[] = [
    other.audience,
    issuer,
    'parley',
    'urn:parley',
    'urn:parley:',
    `${audience}/`,
    `${audience} `,
    ` ${audience}`,
    audience.toUpperCase(),
    `${audience},${other.audience}`,
    `${audience} ${other.audience}`,
    `${audience}\u0000`,
    '*',
    [other.audience],
    [other.audience, issuer, 'parley'],
    [`${audience} `],
    [[audience]],
    [{ aud: audience }],
    { aud: audience },
    { 0: audience, length: 1 },
    { [audience]: true },
    ...wrongTypes,
    undefined,
  ];
  return namedByValue(audiences, (aud) => withClaims(scene, { aud }));
};

/** Each required claim, missing or with a wrong type. */
const wrongClaimTypes: Family = (scene) =>
  ['iss', 'sub', 'sid'].flatMap((claim) =>
    namedByValue<unknown>([undefined, ...wrongTypes, [scene.claims[claim]]], (value) =>
      withClaims(scene, { [claim]: value }),
    ).map(([name, token]): [string, string] => [`${claim}: ${name}`, token]),
  );

const wrongIssuer: Family = (scene) => {
  const { issuer, other, external } = scene;
  const url = new URL(issuer);
  const issuers = [
    `${issuer}/`,
    `${issuer}?`,
    `${issuer}#`,
    `${issuer} `,
    issuer.toUpperCase(),
    issuer.replace('http:', 'https:'),
    issuer.replace('127.0.0.1', 'localhost'),
    url.origin,
    `${url.origin}/pools/customer/../${scene.pool}`,
    url.pathname,
    scene.pool,
    'https://accounts.google.com',
    'https://login.microsoftonline.com/common/v2.0',
    '__proto__',
    'constructor',
    other.issuer,
    external.issuer,
  ];
  return [
    ...namedByValue(issuers, (iss) => withClaims(scene, { iss })),
    ['an external issuer and its audience', withClaims(scene, { iss: external.issuer, aud: external.audience })],
    [
      "an external issuer's kid, by our key",
      makeJws(
        { ...scene.header, kid: external.kid },
        { ...scene.claims, iss: external.issuer, aud: external.audience },
        scene.sign,
      ),
    ],
    ['an external key in our name', makeJws({ ...scene.header, kid: external.kid }, scene.claims, external.sign)],
    ['an external key with our kid', makeJws(scene.header, scene.claims, external.sign)],
  ];
};

/** The key of one pool with the issuer of the other. */
const keyOfTheOtherPool: Family = ({ header, claims, sign, other, issuer, audience, kid, signedIn }) => {
  const { userId: sub, sid } = other.signedIn;
  return [
    ["the other's key, all else ours", makeJws(header, claims, other.sign)],
    ["the other's key and kid, all else ours", makeJws({ ...header, kid: other.kid }, claims, other.sign)],
    ["our key, the other's issuer", makeJws(header, { ...claims, iss: other.issuer }, sign)],
    [
      "our key, the other's issuer and audience",
      makeJws(header, { ...claims, iss: other.issuer, aud: other.audience }, sign),
    ],
    ["our key, all else the other's", makeJws(other.header, other.claims, sign)],
    ["our key and kid, all else the other's", makeJws({ ...other.header, kid }, other.claims, sign)],
    [
      "the other's key, our issuer, their person",
      makeJws({ ...header, kid: other.kid }, { ...claims, sub, sid }, other.sign),
    ],
    ["our key, our issuer, the other's person and session", makeJws(header, { ...claims, sub, sid }, sign)],
    ["our key, our issuer, the other's person, our session", makeJws(header, { ...claims, sub }, sign)],
    [
      "the other's claims with our issuer and audience",
      makeJws(header, { ...other.claims, iss: issuer, aud: audience }, sign),
    ],
    ['both issuers', makeJws(header, { ...claims, iss: [issuer, other.issuer] }, sign)],
    ['no person of ours, no session of theirs', makeJws(header, { ...claims, sub: sid, sid: signedIn.userId }, sign)],
  ];
};

const anotherPersonOrSession: Family = (scene) => {
  const { signedIn, colleague, ended, other, overdueSid } = scene;
  const changes: Record<string, Claims> = {
    'sub of a colleague, own session': { sub: colleague.userId },
    "own sub, a colleague's session": { sid: colleague.sid },
    'sub of a disabled user, own session': { sub: scene.disabled.userId },
    'sub of an operator or customer, own session': { sub: other.signedIn.userId },
    'session of the other pool': { sid: other.signedIn.sid },
    'session that has ended': { sid: ended.sid },
    'expired session': { sid: overdueSid },
    'unknown session': { sid: 'ses_00000000000000000000000000' },
    'session called undefined': { sid: 'undefined' },
    'session in capitals': { sid: signedIn.sid.toUpperCase() },
    'session with a trailing space': { sid: `${signedIn.sid} ` },
    'session with a path': { sid: `${signedIn.sid}/more` },
    'session with a leading slash': { sid: `/${signedIn.sid}` },
    'session with its pool': { sid: `${scene.pool}/${signedIn.sid}` },
    'session as a pattern': { sid: '%' },
    'session as SQL': { sid: "' or '1'='1" },
    'session with a null byte': { sid: `${signedIn.sid}\u0000` },
    'session with a lone surrogate': { sid: `${signedIn.sid}\ud800` },
    'unknown sub': { sub: 'usr_00000000000000000000000000' },
    'sub in capitals': { sub: signedIn.userId.toUpperCase() },
    'sub with a space': { sub: ` ${signedIn.userId}` },
    'sub as an email': { sub: `${signedIn.userId}@example.com` },
    'sub as a pattern': { sub: '%' },
    'sub as SQL': { sub: "' or '1'='1" },
    'sub with a null byte': { sub: `${signedIn.userId}\u0000` },
    'sub with a lone surrogate': { sub: `${signedIn.userId}\ud800` },
    'very long sub': { sub: 'u'.repeat(4_000) },
    'sub and session swapped': { sub: signedIn.sid, sid: signedIn.userId },
  };
  return Object.entries(changes).map(([name, change]): [string, string] => [name, withClaims(scene, change)]);
};

const wrongTimes: Family = (scene) => {
  const now = seconds();
  const changes: Claims[] = [
    ...[5, 6, 7, 10, 60, 600, 86_400].map((ago) => ({ exp: now - ago })),
    ...[0, -1, -9_999_999_999, 0.5].map((exp) => ({ exp })),
    ...[...wrongTypes.filter((value) => value !== 0 && value !== 1), undefined].map((exp) => ({ exp })),
    ...[String(now + 600), `${now + 600}s`, '10 minutes', 'Infinity', new Date(8.64e15).toISOString()].map((exp) => ({
      exp,
    })),
    ...[[now + 600], { $date: now + 600 }].map((exp) => ({ exp })),
    ...[120, 3_600, 1e9, 1e300].map((ahead) => ({ nbf: now + ahead })),
    ...['', String(now - 60), true, null, [now - 60], {}].map((nbf) => ({ nbf })),
    ...['', String(now), true, null, [now], {}, undefined].map((iat) => ({ iat })),
  ];
  return changes.map((change): [string, string] => [
    Object.entries(change)
      .map(
        ([claim, value]) =>
          `${claim}: ${typeof value === 'number' && value > 1e9 ? value - now : JSON.stringify(value)}`,
      )
      .join(),
    withClaims(scene, change),
  ]);
};

/** A future `iat` would survive a revocation by `tokens_valid_after`. */
const issuedInTheFuture: Family = (scene) => [
  ...[60, 3_600, 86_400, 31_536_000].map((ahead): [string, string] => [
    `in ${ahead} s`,
    withClaims(scene, { iat: seconds() + ahead, exp: seconds() + ahead + 600 }),
  ]),
  ['in 60 s, expiring before that', withClaims(scene, { iat: seconds() + 60, exp: seconds() + 30 })],
  ['in milliseconds', withClaims(scene, { iat: Date.now() })],
  ['1e308', withClaims(scene, { iat: 1e308 })],
  ['1e400, which is read as infinity', withText(scene, (claims) => `${claims},"iat":1e400}`)],
];

/** Built-in pools issue only short-lived tokens. */
const tooLongLived: Family = (scene) => [
  ['a year', withClaims(scene, { exp: seconds() + 31_536_000 })],
  ['in milliseconds', withClaims(scene, { exp: Date.now() })],
  ['2^53', withClaims(scene, { exp: 2 ** 53 })],
  ['1e308', withClaims(scene, { exp: 1e308 })],
  ['1e400, which is read as infinity', withText(scene, (claims) => `${claims},"exp":1e400}`)],
];

const wrongTyp: Family = (scene) =>
  namedByValue<unknown>(
    [
      undefined,
      'JWT',
      'jwt',
      'at',
      'jwt+at',
      'at+jwt+at+jwt',
      'at+jwts',
      'at+jwt ',
      ' at+jwt',
      'at jwt',
      'at%2Bjwt',
      'at-jwt',
      'at/jwt',
      'text/at+jwt',
      'application/',
      'application/jwt',
      'application/application/at+jwt',
      'application /at+jwt',
      'application/at+jwt; x=y',
      'at+jwt\u0000',
      'id+jwt',
      'rt+jwt',
      'logout+jwt',
      'dpop+jwt',
      'secevent+jwt',
      'oauth-authz-req+jwt',
      'token-introspection+jwt',
      ...wrongTypes,
      ['at+jwt'],
      { typ: 'at+jwt' },
    ],
    (typ) => withHeader(scene, { typ }),
  );

/** The last duplicate must count wherever the token is parsed. */
const duplicateClaims: Family = (scene) => {
  const { colleague, other, ended } = scene;
  const twice: Claims = {
    sub: colleague.userId,
    sid: ended.sid,
    iss: other.issuer,
    aud: other.audience,
    exp: 1,
    iat: '1',
  };
  return [
    ...Object.entries(twice).map(([claim, value]): [string, string] => [
      `${claim}, the last one wrong`,
      withText(scene, (claims) => `${claims},${JSON.stringify(claim)}:${JSON.stringify(value)}}`),
    ]),
    ...Object.entries({ sub: null, sid: null, iss: null }).map(([claim]): [string, string] => [
      `${claim}, the last one null`,
      withText(scene, (claims) => `${claims},${JSON.stringify(claim)}:null}`),
    ]),
    ['sub, written in escapes, the last one wrong', withText(scene, (c) => `${c},"s\\u0075b":"${colleague.userId}"}`)],
    [
      'typ, the last one wrong',
      makeJws(`${JSON.stringify(scene.header).slice(0, -1)},"typ":"JWT"}`, scene.claims, scene.sign),
    ],
    [
      'alg, the last one none',
      makeJws(`${JSON.stringify(scene.header).slice(0, -1)},"alg":"none"}`, scene.claims, scene.sign),
    ],
    [
      'kid, the last one foreign',
      makeJws(`${JSON.stringify(scene.header).slice(0, -1)},"kid":"x"}`, scene.claims, scene.sign),
    ],
  ];
};

const invalidPayloads: Family = (scene) => {
  const { header, claims, sign } = scene;
  const text = JSON.stringify(claims);
  const payloads: Record<string, string | Buffer> = {
    'not an object': 'null',
    'a string': '"x"',
    'a number': '1',
    'a list': `[${text}]`,
    empty: '{}',
    blank: ' ',
    'cut off': text.slice(0, -1),
    'two objects': text + text,
    'trailing characters': `${text}x`,
    'a trailing comma': `${text.slice(0, -1)},}`,
    'single quotes': text.replaceAll('"', "'"),
    'a comment': `/**/${text}`,
    NaN: `${text.slice(0, -1)},"exp":NaN}`,
    'claims in __proto__': `{"__proto__":${text}}`,
    'claims in constructor.prototype': `{"constructor":{"prototype":${text}}}`,
    'invalid UTF-8': Buffer.concat([
      Buffer.from(`${text.slice(0, -1)},"x":"`),
      Buffer.from([0xff, 0xc0]),
      Buffer.from('"}'),
    ]),
    'an overlong slash': Buffer.concat([
      Buffer.from(`${text.slice(0, -1)},"x":"`),
      Buffer.from([0xc0, 0xaf]),
      Buffer.from('"}'),
    ]),
    'UTF-16': Buffer.from(text, 'utf16le'),
    'encoded twice': encode(text),
    'names in capitals': JSON.stringify(
      Object.fromEntries(Object.entries(claims).map(([k, v]) => [k.toUpperCase(), v])),
    ),
  };
  return Object.entries(payloads).map(([name, payload]): [string, string] => [name, makeJws(header, payload, sign)]);
};

/** Tokens issued for other purposes. */
const notAccessTokens: Family = ({ otherTokens }) => Object.entries(otherTokens);

const revokedTokens: Family = ({ disabled, revoked, ended }) => [
  ['of a disabled user', disabled.accessToken],
  ['from before tokens_valid_after', revoked.accessToken],
  ['of a session that has ended', ended.accessToken],
];

const keysAsTokens: Family = ({ apiKey: { id, secret }, token, kid }) => {
  const headers = (authorization: string, keyId?: string): Record<string, string> => ({
    authorization,
    ...(keyId !== undefined && { 'x-service-api-key-id': keyId }),
  });
  return [
    ['a key without its id', headers(`Bearer ${secret}`)],
    ['a key with another id', headers(`Bearer ${secret}`, kid)],
    ['a key with a token for its id', headers(`Bearer ${secret}`, token)],
    ['a key in lower case', headers(`Bearer ${secret.toLowerCase()}`, id)],
    ['a key in a bearer of lower case', headers(`bearer ${secret}`, id)],
    ['a key in Basic', headers(`Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`, id)],
    ['a key and a token', headers(`Bearer ${secret} ${token}`, id)],
    ['a key, a comma, a token', headers(`Bearer ${secret}, Bearer ${token}`, id)],
    ['a token with a key prefix', headers(`Bearer sc_live_${token}`, id)],
    ['a token with a widget key prefix', headers(`Bearer pk_live_${token}`, id)],
    ['a key with parts like a token', headers(`Bearer ${secret}.${secret}.${secret}`, id)],
    ['a key id for a token', headers(`Bearer ${id}`, id)],
    ['a key id alone', { 'x-service-api-key-id': id }],
  ];
};

export const families: Record<string, Family> = {
  'crit and b64, by our key': criticalHeaders,
  'wrong kid, by our key': wrongKidOurKey,
  'wrong audience': wrongAudience,
  'claims missing or with a wrong type': wrongClaimTypes,
  'wrong issuer': wrongIssuer,
  "one pool's key, the other's issuer": keyOfTheOtherPool,
  'another person or session': anotherPersonOrSession,
  'expired, not valid yet, or invalid times': wrongTimes,
  'issued in the future': issuedInTheFuture,
  'valid for too long': tooLongLived,
  'wrong typ': wrongTyp,
  'duplicate claims': duplicateClaims,
  'invalid payloads': invalidPayloads,
  'not an access token': notAccessTokens,
  revoked: revokedTokens,
  'keys as tokens, tokens as keys': keysAsTokens,
};

/** Credentials that are valid elsewhere and must be refused by this pool. */
export const validForOtherPool: Record<string, Family> = {
  "the other pool's token": ({ other }) => [['unmodified', other.token]],
  'a valid server key': ({ pool, apiKey: { id, secret } }) =>
    pool === 'admin' ? [['unmodified', { authorization: `Bearer ${secret}`, 'x-service-api-key-id': id }]] : [],
};
