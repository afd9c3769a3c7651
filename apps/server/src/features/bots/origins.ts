const subdomains = /^([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)+$/;

/**
 * Whether pages of this origin may load the bot. Browsers send `Origin` in one canonical form, so origins are compared
 * exactly and any other form is rejected.
 */
export function isOriginAllowed(allowedOrigins: readonly string[], origin: string | undefined): boolean {
  if (origin === undefined || URL.parse(origin)?.origin !== origin) return false;
  return allowedOrigins.some((allowed) => (allowed.includes('*') ? isBelow(allowed, origin) : allowed === origin));
}

/** `https://*.example.com` matches all subdomains at any depth, but not the domain itself. */
function isBelow(allowed: string, origin: string): boolean {
  const [scheme = '', domain = ''] = allowed.split('*.');
  if (!scheme || !domain || !origin.startsWith(scheme) || !origin.endsWith(domain)) return false;
  return subdomains.test(origin.slice(scheme.length, -domain.length));
}
