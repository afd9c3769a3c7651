export const site = 'https://example.com';
export const below = 'https://*.example.com';

type Origins = readonly (readonly [name: string, origin: string | undefined])[];

/** Origins that a list with only `site` must not allow. */
export const notSite: Origins = [
  ['no origin at all', undefined],
  ['an empty one', ''],
  ['that of a sandboxed frame or a file', 'null'],
  ['another scheme', 'http://example.com'],
  ['another port', 'https://example.com:8443'],
  ['the default port, which no browser writes', 'https://example.com:443'],
  ['capitals', 'https://Example.com'],
  ['a scheme in capitals', 'HTTPS://example.com'],
  ['a slash after it', 'https://example.com/'],
  ['a path', 'https://example.com/chat'],
  ['a query', 'https://example.com?'],
  ['a fragment', 'https://example.com#'],
  ['a trailing dot', 'https://example.com.'],
  ['a name before it', 'https://a.example.com'],
  ['the name before another', 'https://example.com.evil.example'],
  ['the name after another', 'https://evilexample.com'],
  ['userinfo', 'https://user@example.com'],
  ['userinfo that looks like it', 'https://example.com@evil.example'],
  ['userinfo with a port', 'https://example.com:443@evil.example'],
  ['a space before', ' https://example.com'],
  ['a line break after', 'https://example.com\n'],
  ['two origins', 'https://example.com https://evil.example'],
  ['two origins with a comma', 'https://example.com, https://evil.example'],
  ['a backslash', 'https://example.com\\.evil.example'],
  ['an encoded dot', 'https://example%2ecom'],
  ['a wide dot', 'https://example。com'],
  ['a soft hyphen', 'https://exam\u00adple.com'],
  ['a look-alike character', 'https://еxample.com'],
];

/** Origins that a list with only `below` must not allow. */
export const notBelow: Origins = [
  ['the name itself', site],
  ['a name that ends alike', 'https://evil-example.com'],
  ['a name that ends alike, with a dot before it', 'https://www.evil-example.com'],
  ['an empty label', 'https://.example.com'],
  ['an empty label inside', 'https://a..example.com'],
  ['the star itself', below],
  ['another scheme', 'http://www.example.com'],
  ['a port', 'https://www.example.com:8443'],
  ['a trailing dot', 'https://www.example.com.'],
  ['capitals', 'https://WWW.example.com'],
  ['userinfo', 'https://user@www.example.com'],
  ['userinfo that ends alike', 'https://evil.example/@www.example.com'],
  ['a path that ends alike', 'https://evil.example/www.example.com'],
  ['a query that ends alike', 'https://evil.example?www.example.com'],
  ['a fragment that ends alike', 'https://evil.example#.example.com'],
  ['a backslash that browsers read as a slash', 'https://evil.example\\www.example.com'],
  ['the name before another', 'https://www.example.com.evil.example'],
  ['odd characters that a URL allows', 'https://evil.example,.example.com'],
  ['a hyphen at the edge', 'https://-.example.com'],
];
