/** The origin of a website as typed: `example.com/shop` becomes `https://example.com`. */
export function toOrigin(site: string): string {
  const typed = site.trim();
  const isLocal = /^(localhost|127\.0\.0\.1)(:|\/|$)/.test(typed);
  const url = URL.parse(/^[a-z]+:\/\//i.test(typed) ? typed : `${isLocal ? 'http' : 'https'}://${typed}`);
  return url && url.origin !== 'null' ? url.origin : typed;
}
