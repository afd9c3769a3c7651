const subdomains = /^([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)+$/;

/**
 * May a page of this origin open the bot? Browsers write `Origin` in one form only, so it is compared character by character:
 * whatever is written in another way comes from no browser and is refused.
 */
export function isOriginAllowed(allowedOrigins: readonly string[], origin: string | undefined): boolean {
  if (origin === undefined || URL.parse(origin)?.origin !== origin) return false;
  return allowedOrigins.some((allowed) => (allowed.includes('*') ? isBelow(allowed, origin) : allowed === origin));
}

/** `https://*.example.com` is every name below it, however deep, and not the name itself. */
function isBelow(allowed: string, origin: string): boolean {
  const [scheme = '', domain = ''] = allowed.split('*.');
  if (!scheme || !domain || !origin.startsWith(scheme) || !origin.endsWith(domain)) return false;
  return subdomains.test(origin.slice(scheme.length, -domain.length));
}
