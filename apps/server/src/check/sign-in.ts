import { defineFindings, reasonOf, timeouts, type CheckContext, type Finding } from './finding.ts';

const { types, report } = defineFindings({
  'sign_in.redirect': {
    level: 'error',
    cause: 'No client in OIDC_CLIENTS may redirect to the portal, so that signing in on the hosted pages fails.',
    fix: 'Add `/api/auth/callback` of the portal to the `redirectUris` of its client in OIDC_CLIENTS, in the pool `customer` for PORTAL_URL and `admin` for ADMIN_URL.',
  },
  'sign_in.passkey_domain': {
    level: 'error',
    cause:
      'The domain of passkeys is not a parent domain of the API and both portals, so that browsers refuse passkeys there. Without PASSKEY_DOMAIN, it is the host of PUBLIC_URL.',
    fix: 'Set PASSKEY_DOMAIN to the domain that PUBLIC_URL, PORTAL_URL and ADMIN_URL have in common. Existing passkeys stop working.',
  },
  'sign_in.issuer_keys': {
    level: 'error',
    cause: 'The keys of an issuer in OIDC_ISSUERS cannot be read, so that its tokens are rejected.',
    fix: 'Correct `jwksUrl`. If the host is private, add it to EGRESS_OPEN_HOSTS.',
  },
});
export const signInFindings = types;

export async function checkSignIn({ config }: Pick<CheckContext, 'config'>): Promise<Finding[]> {
  const portals = [
    { setting: 'PORTAL_URL', url: config.PORTAL_URL, pool: 'customer' as const },
    { setting: 'ADMIN_URL', url: config.ADMIN_URL, pool: 'admin' as const },
  ].flatMap(({ url, ...portal }) => (url === undefined ? [] : [{ ...portal, url }]));

  const withoutClient = portals.filter(({ url, pool }) => {
    const callback = callbackOf(url);
    const isAllowed = config.OIDC_CLIENTS.some(
      (client) => client.pool === pool && client.redirectUris.includes(callback),
    );
    return config.BUILTIN_POOLS.has(pool) && !isAllowed;
  });
  const domain = config.PASSKEY_DOMAIN ?? new URL(config.PUBLIC_URL).hostname;
  const outside = [{ setting: 'PUBLIC_URL', url: config.PUBLIC_URL }, ...portals].filter(
    ({ url }) => !isWithinDomain(new URL(url).hostname, domain),
  );
  return [
    ...withoutClient.map(({ setting, url, pool }) =>
      report(
        'sign_in.redirect',
        ['OIDC_CLIENTS', setting],
        `No client of the pool ${pool} redirects to ${callbackOf(url)}.`,
      ),
    ),
    ...(outside.length > 0
      ? [
          report(
            'sign_in.passkey_domain',
            ['PASSKEY_DOMAIN'],
            `Passkeys are bound to ${domain}, but ${outside.map(({ setting }) => setting).join(' and ')} is on another domain.`,
          ),
        ]
      : []),
  ];
}

export const callbackOf = (portalUrl: string) => new URL('/api/auth/callback', portalUrl).href;

const isWithinDomain = (host: string, domain: string) => host === domain || host.endsWith(`.${domain}`);

export async function checkIssuers({ config, timeoutMs, fetch }: CheckContext): Promise<Finding[]> {
  const readKeys = async (url: string) => {
    const { status, body } = await fetch({ url, timeouts: timeouts(timeoutMs) });
    if (status !== 200) throw new Error(`status ${status}`);
    const { keys } = JSON.parse(body.toString()) as { keys?: unknown };
    if (!Array.isArray(keys)) throw new Error('no keys');
  };
  const findings = await Promise.all(
    config.OIDC_ISSUERS.map(({ issuer, jwksUrl }) =>
      readKeys(jwksUrl).then(
        () => [],
        (error: unknown) => [
          report(
            'sign_in.issuer_keys',
            ['OIDC_ISSUERS'],
            `The keys of ${issuer} cannot be read from ${jwksUrl} (${reasonOf(error)}).`,
          ),
        ],
      ),
    ),
  );
  return findings.flat();
}
