import { toOrigin } from '../../parts/origin.ts';

/** With a star it is left as it was typed: no browser names a site like that. */
export const originOf = (typed: string): string =>
  typed.includes('*') || !typed.trim() ? typed.trim() : toOrigin(typed);

/** Why a line is no site that can be allowed, in words; undefined where it is one. The service decides. */
export function faultOf(origin: string): string | undefined {
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
