import { toOrigin } from '../../parts/origin.ts';

/** Wildcards are left as typed, because no browser sends such an origin. */
export const originOf = (typed: string): string =>
  typed.includes('*') || !typed.trim() ? typed.trim() : toOrigin(typed);

/** Why the origin is invalid; undefined if it is valid. The service has the final say. */
export function originErrorOf(origin: string): string | undefined {
  if (origin === '*' || /^(https?:\/\/)?\*$/.test(origin)) return `“${origin}” would allow every site. Enter your own.`;
  const sample = origin.replace('*.', 'any.');
  const url = URL.parse(sample);
  if (!url || sample.includes('*')) return `“${origin}” isn’t a valid URL. Use a format like https://example.com.`;
  const isLocal = /^(localhost|127\.0\.0\.1)$/.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal))
    return `“${origin}” must start with https://. Only localhost can use http.`;
  if (url.origin !== sample) return `“${origin}” contains more than the site. Use ${url.origin.replace('any.', '*.')}.`;
  if (origin.includes('*.') && url.hostname.split('.').length < 3)
    return `“${origin}” is too broad. Put your own domain after *., like https://*.example.com.`;
  if (!isLocal && !url.hostname.includes('.')) return `“${origin}” is missing a domain ending like .com.`;
  return undefined;
}
