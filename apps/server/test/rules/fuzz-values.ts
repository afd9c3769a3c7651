// Values that requests are mutated with. An id such as `key_*0` is a placeholder: the sender's first key.

export const deep = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);
export const tokensOf = (text: TemplateStringsArray) => String.raw(text).trim().split(/\s+/);

/** As JSON source: some of them are no JavaScript values. */
export const hostileValues = [
  ...tokensOf`null true false 0 -1 1 1.5 -0 1e999 -1e999 1e-400 2147483648 9007199254740993 123456789012345678901234567890
    "" [] {} [null] [[]] {"":""} "1" "true" "null" "NaN" "undefined" "constructor" "__proto__" "toString" "1e10"
    "\u0000" "a\u0000b" "\ud800" "a\udfffb" "ab\ud800" "\udc00\ud800" "\ufffe\uffff" "\u202e\u200b" "a\t\nb" "İ" "🏳️‍🌈👨‍👩‍👧‍👦"
    "0000-01-01T00:00:00Z" "0001-01-01T00:00:00.000Z" "9999-12-31T23:59:59.999Z" "-271821-04-20T00:00:00Z"
    "+275760-09-13T00:00:00Z" "2026-02-30T00:00:00Z" "2024-02-29T24:00:00Z" "2099-01-01T00:00:00+14:00" "2099-01-01"
    "2099-01-01T00:00:60Z" "<script>alert(1)</script>" "../../etc/passwd" "%s%n{{7*7}}" "bot_" ["bot_*0"] {"id":"bot_*0"}
    "ten_01h45ytscbebyvny4gc8cr8ma2" "key_01h45ytscbebyvny4gc8cr8ma2" "bot_01h45ytscbebyvny4gc8cr8ma2"
    "wsp_01h45ytscbebyvny4gc8cr8ma2" "key_81h45ytscbebyvny4gc8cr8ma2" "KEY_01H45YTSCBEBYVNY4GC8CR8MA2"`,
  `"' or 1=1; --"`,
  `" "`,
  `"2099-01-01T00:00:00.${'9'.repeat(400)}Z"`,
  `"${'x'.repeat(100_000)}"`,
  `"${'é'.repeat(81)}"`,
  `"${'😀'.repeat(20_000)}"`,
  deep(2_000, '[', ']'),
  `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`,
  `[${'0,'.repeat(9_999)}0]`,
  `[${'"tenant.view",'.repeat(9_999)}"tenant.view"]`,
  `[${'{},'.repeat(9_999)}{}]`,
];
export const privileged = [
  ...tokensOf`tenantId tenant_id role roles permissions secret id status createdBy createdAt plan apiKey revokedAt isAdmin
    platformRoles actor entitlement __proto__ constructor prototype toString hasOwnProperty $where NAME`,
  '',
  ' name',
  'name\u0000',
  'x'.repeat(5_000),
];
export const brokenJson: readonly ((valid: string) => string)[] = [
  (valid) => valid.slice(0, -1),
  (valid) => valid.slice(0, Math.ceil(valid.length / 2)),
  (valid) => `${valid}}`,
  (valid) => `${valid}${valid}`,
  (valid) => valid.replace(/\}$/, ',}'),
  (valid) => valid.replaceAll('"', "'").replace('{}', '{,}'),
  (valid) => `/* */${valid}`,
  (valid) => `\0${valid}`,
  (valid) => `)]}',\n${valid}`,
  () => '{"name": "\n"}',
  () => deep(5_000, '[', ''),
  ...tokensOf`{name:1} {"name":NaN} {"name":undefined} {"name":0x10} {"name":"\x41"} {"name":"\ud8"} <name/> a=1 [ " -`.map(
    (text) => () => text,
  ),
];
export const roots = [
  ...tokensOf`null [] "text" 1 true [{}] {}`,
  deep(20_000, '[', ']'),
  `[${'{},'.repeat(9_999)}{}]`,
  `{${Array.from({ length: 50_000 }, (_, n) => `"k${n}":1`).join(',')}}`,
];
export const otherTypes = [
  ...tokensOf`text/plain text/html application/xml application/x-www-form-urlencoded application/octet-stream text/json
    application/vnd.api+json image/png application/json5`,
  'multipart/form-data; boundary=x',
];
export const badSegments = [
  ...tokensOf`%00 %ff %c0%af % %zz %u0041 %e0%a4 %2f %2e%2e%2fadmin %2e%2e%5c ..%2f..%2f * ~ '%20or%201=1-- __proto__
    constructor null undefined 0 -1 [object%20Object] %f0%9f%98%80 %7Bid%7D :id key_01h45ytscbebyvny4gc8cr8ma2%00
    KEY_01H45YTSCBEBYVNY4GC8CR8MA2 usr_01h45ytscbebyvny4gc8cr8ma2 key_01h45ytscbebyvny4gc8cr8ma2/ ten_*0%20`,
  ...[200, 201, 20_000].map((length) => 'x'.repeat(length)),
  '%00'.repeat(300),
];
export const unknownQueries = [
  ...tokensOf`tenantId=ten_*0 tenant_id=1 debug=1 __proto__=1 constructor=1 a[b]=c limit[]=1 %00=1 %ff=1 toString=1
    hasOwnProperty=x`,
  'x'.repeat(8_000),
  Array.from({ length: 1_500 }, (_, n) => `p${n}=1`).join('&'),
];
export const hostileTexts = [
  ...tokensOf`%00 a%00b %ff % %ed%a0%80 -1 0 1e3 1.5 101 NaN null true 0x10 %20 + [] {} %2e%2e%2f %f0%9f%98%80 '%20or%20''='
    0000-01-01T00:00:00Z 0001-01-01T00:00:00Z 9999-12-31T23:59:59.999Z 2024-02-29T23:59:59.999999999Z key_*0
    ten_01h45ytscbebyvny4gc8cr8ma2 a2V5Xw`,
  '',
  '9'.repeat(400),
  'x'.repeat(10_000),
  `2024-01-01T00:00:00.${'9'.repeat(5_000)}Z`,
  ...['key_\0', 'zzz_01h45ytscbebyvny4gc8cr8ma2'].map((text) => Buffer.from(text).toString('base64url')),
];
/** By what they pretend to be; each character is a byte. */
export const hostileFiles: Record<string, string> = {
  nothing: '',
  'one NUL': '\0',
  'a PDF that ends after its header': '%PDF-1.7\n',
  'a PDF of garbage': `%PDF-1.7\n1 0 obj << /Length 99999999999 >> stream ${'\u00ff'.repeat(500)} endstream %%EOF`,
  'a zip that ends after its header': 'PK\x03\x04',
  'a zip of garbage': `PK\x03\x04${'\xff'.repeat(200)}PK\x05\x06${'\xff'.repeat(18)}`,
  'a page': '<!doctype html><script>alert(1)</script>',
  'an unclosed page': '<div>'.repeat(20_000),
  'broken UTF-8': '\xc0\xaf\xed\xa0\x80\xff\xfe',
  'UTF-16': '\xff\xfea\0b\0',
  'a program': '\x7fELF\x02\x01\x01',
  JSON: '{"kind":"file"}',
  'a megabyte of one character': 'x'.repeat(2 ** 20),
};
export const oddTypes: readonly [type: string, encoding: BufferEncoding, expected?: number[]][] = [
  ['application/json; charset=utf-16le', 'utf16le', [400]],
  ['application/json; charset=bogus', 'utf8'],
  ['application/json; charset=iso-8859-1', 'latin1'],
  ['Application/JSON;;; a=b', 'utf8'],
  ['application/json, application/xml', 'utf8'],
  ['application/json\t', 'utf8'],
  ['', 'utf8'],
];
export const falseLengths: readonly [length: string, expected?: number[]][] = [
  ['1', [400]],
  ['99999', [400]],
  ['99999999999', [413]],
  ['1e3'],
  ['-5'],
  ['x'],
];
export const oddHeaders: readonly [name: string, value: string | string[], expected?: number[]][] = [
  ...['garbage', '', '0000-00-00', '__proto__', '2026-11-14, 2026-11-14', '1'.repeat(10_000)].map(
    (version): [string, string, number[]] => ['x-service-version', version, [400]],
  ),
  ['x-service-version', ['2026-11-14', '2026-11-14'], [400]],
  ...['garbage', deep(1, '00-', 'f'.repeat(10_000)), '00-00000000000000000000000000000000-0000000000000000-00'].map(
    (trace): [string, string] => ['traceparent', trace],
  ),
  ['traceparent', ['00-1', '00-2']],
  ['tracestate', '='.repeat(5_000)],
  ['x-service-api-key-id', ['key_a', 'key_b']],
  ['x-service-api-key-id', ''],
  ['x-service-api-key-id', '\u0000'],
  ['x-request-id', 'chosen-by-the-caller'],
  ['accept', 'application/xml'],
  ['accept-encoding', 'gzip;q=banana'],
  ['content-encoding', 'gzip'],
  ['x-http-method-override', 'DELETE'],
  ['x-forwarded-for', '::1, \u0000'],
  ['host', 'evil.example'],
  ['cookie', 'a'.repeat(10_000)],
  ['origin', 'null'],
  ['range', 'bytes=0-1'],
  ['if-none-match', '*'],
  ['expect', '100-continue'],
  ['upgrade', 'websocket'],
  ['user-agent', '\u00ff\u00fe\t'], // NUL ends the request in the HTTP parser
];
export const badIdempotencyKeys = [
  '',
  ' ',
  'a b',
  'k'.repeat(256),
  'k'.repeat(20_000),
  'clé',
  '😀',
  'a\u0000b',
  '\u007f',
];
