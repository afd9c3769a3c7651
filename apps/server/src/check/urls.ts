import type { PeerCertificate } from 'node:tls';
import { createCertificateReader } from '../platform/egress-certificates.ts';
import { egressPolicy } from '../platform/egress-settings.ts';
import { EgressRefused, type EgressPolicy } from '../platform/ip-addresses.ts';
import { productVersion } from '../platform/product-version.ts';
import { createSafeFetch, type HttpClient, type SafeResponse } from '../platform/safe-fetch.ts';
import { defineFindings, reasonOf, timeouts, type CheckContext, type Finding } from './finding.ts';
import { callbackOf } from './sign-in.ts';

const { types, report } = defineFindings({
  'urls.dns': {
    level: 'error',
    cause: 'The host of the URL has no IP address in DNS.',
    fix: 'Add an A or AAAA record for the host, or correct the setting.',
  },
  'urls.unreachable': {
    level: 'warning',
    cause:
      'The URL does not respond from this machine. If it works from outside, your network does not route its own public IP address back: then ignore this.',
    fix: 'Start the proxy and what is behind it, open port 443, and check where DNS points.',
  },
  'urls.certificate': {
    level: 'error',
    cause: 'The TLS certificate has expired, belongs to another host, or comes from an authority that is not trusted.',
    fix: 'Install a certificate for this host, with its intermediate certificates. Add your own authority to EGRESS_CA_FILE.',
  },
  'urls.certificate_expires': {
    level: 'warning',
    cause: 'Less than a tenth of the lifetime of the TLS certificate is left, so that its renewal seems to fail.',
    fix: 'Renew the certificate, and read the log of what renews it.',
  },
  'urls.response': {
    level: 'error',
    cause: 'Something else responds at the URL: not the API, the portal or the widget that the setting names.',
    fix: 'Compare the setting with the routes of the proxy.',
  },
  'urls.version': {
    level: 'warning',
    cause: 'The URL is served by another version than this command. That is normal during an upgrade.',
    fix: 'Finish the upgrade, or run the command of the same version.',
  },
  'urls.portal': {
    level: 'error',
    cause:
      'The settings of the portal and those of the server disagree about the URLs of portal and API, so that no one can sign in.',
    fix: 'Set PORTAL_URL of the portal to PORTAL_URL (for the admin portal: ADMIN_URL) of the server, and PUBLIC_API_URL of the portal to PUBLIC_URL of the server.',
  },
});
export const urlFindings = types;

/** Whether a response comes from what the setting names. */
type Recognize = (response: SafeResponse, ctx: CheckContext) => Finding[];

interface Target {
  setting: 'PUBLIC_URL' | 'PORTAL_URL' | 'ADMIN_URL' | 'CDN_URL';
  path: string;
  recognize: Recognize;
}

const targets: Target[] = [
  { setting: 'PUBLIC_URL', path: '/health/live', recognize: recognizeApi },
  { setting: 'PORTAL_URL', path: '/api/auth/start', recognize: recognizePortal('PORTAL_URL', 'customer') },
  { setting: 'ADMIN_URL', path: '/api/auth/start', recognize: recognizePortal('ADMIN_URL', 'admin') },
  { setting: 'CDN_URL', path: '/manifest.json', recognize: recognizeWidget },
];

export async function checkUrls(ctx: CheckContext): Promise<Finding[]> {
  const hosts = targets.flatMap(({ setting }) => hostsOf(ctx.config[setting]));
  const policy = ownUrlPolicy(ctx, hosts);
  const readCertificate = createCertificateReader(policy, ctx.timeoutMs);
  const probe: Probe = { ctx, fetch: createSafeFetch(policy), readCertificate };
  const seen = new Set<string>();
  const findings = await Promise.all(
    targets.map(async ({ setting, path, recognize }) => {
      const url = ctx.config[setting];
      if (url === undefined) return [];
      // The same host has the same certificate: reported once.
      const { origin } = new URL(url);
      const isKnown = seen.has(origin);
      seen.add(origin);
      const found = await checkUrl(probe, setting, url.replace(/\/$/, '') + path, recognize);
      return isKnown ? found.filter(({ id }) => id === 'urls.response' || id === 'urls.portal') : found;
    }),
  );
  await probe.fetch.close();
  return findings.flat();
}

interface Probe {
  ctx: CheckContext;
  fetch: HttpClient;
  readCertificate: (url: URL) => Promise<PeerCertificate>;
}

const hostsOf = (url: string | undefined): string[] =>
  url === undefined ? [] : [new URL(url).host, new URL(url).hostname];

/** For hosts that the operator chose, which may be private, and are this deployment itself. */
export const ownUrlPolicy = ({ config, dnsServers }: CheckContext, hosts: string[]): EgressPolicy => ({
  ...egressPolicy(config, hosts),
  ownHosts: [],
  ...(dnsServers && { dnsServers }),
});

async function checkUrl(probe: Probe, setting: string, url: string, recognize: Recognize): Promise<Finding[]> {
  const { host, hostname, protocol } = new URL(url);
  try {
    const expiry =
      protocol === 'https:' ? checkExpiry(await probe.readCertificate(new URL(url)), setting, probe.ctx.now()) : [];
    const response = await probe.fetch({ url, timeouts: timeouts(probe.ctx.timeoutMs) });
    return [...expiry, ...recognize(response, probe.ctx)];
  } catch (error) {
    if (error instanceof EgressRefused && error.reason === 'dns_failed')
      return [report('urls.dns', [setting], `${setting}: ${hostname} has no IP address.`)];
    const reason = reasonOf(error);
    if (isCertificateError(reason))
      return [
        report('urls.certificate', [setting], `${setting}: the certificate of ${host} is not valid (${reason}).`),
      ];
    return [report('urls.unreachable', [setting], `${setting}: ${host} does not respond (${reason}).`)];
  }
}

const isCertificateError = (reason: string) => /CERT|SELF_SIGNED|ISSUER|UNABLE_TO_VERIFY|ALTNAME/.test(reason);

function checkExpiry({ valid_from: from, valid_to: to }: PeerCertificate, setting: string, now: number): Finding[] {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  if (end - now >= (end - start) / 10) return [];
  const message = `${setting}: the certificate expires on ${new Date(end).toISOString().slice(0, 16)}Z.`;
  return [report('urls.certificate_expires', [setting], message)];
}

function recognizeApi({ status, body }: SafeResponse): Finding[] {
  const { version } = jsonOf(body) as { version?: unknown };
  if (status !== 200 || typeof version !== 'string')
    return [report('urls.response', ['PUBLIC_URL'], `PUBLIC_URL is not Parley’s API: /health/live returns ${status}.`)];
  if (version === productVersion) return [];
  return [report('urls.version', ['PUBLIC_URL'], `PUBLIC_URL runs ${version}, this command is ${productVersion}.`)];
}

/** A portal starts a sign-in by redirecting to the API, with the URL to come back to: both are in its own settings. */
function recognizePortal(setting: 'PORTAL_URL' | 'ADMIN_URL', pool: 'customer' | 'admin'): Recognize {
  return ({ status, headers }, { config }) => {
    const location = headers['location'] ?? '';
    const redirectUri = URL.canParse(location) ? new URL(location).searchParams.get('redirect_uri') : null;
    if (status !== 303 || redirectUri === null)
      return [report('urls.response', [setting], `${setting} is not the portal: /api/auth/start returns ${status}.`)];
    if (redirectUri !== callbackOf(config[setting] ?? ''))
      return [report('urls.portal', [setting], `${setting}: the portal returns from sign-in to ${redirectUri}.`)];
    const isOwnIssuer = location.startsWith(`${config.PUBLIC_URL.replace(/\/$/, '')}/pools/${pool}/`);
    if (isOwnIssuer || !config.BUILTIN_POOLS.has(pool)) return [];
    return [report('urls.portal', [setting], `${setting}: the portal signs in at ${new URL(location).origin}.`)];
  };
}

function recognizeWidget({ status, body }: SafeResponse): Finding[] {
  if (status === 200 && Object.keys(jsonOf(body)).length > 0) return [];
  return [report('urls.response', ['CDN_URL'], `CDN_URL does not serve the widget: /manifest.json returns ${status}.`)];
}

function jsonOf(body: Buffer): object {
  try {
    return (JSON.parse(body.toString()) as object | null) ?? {};
  } catch {
    return {};
  }
}
