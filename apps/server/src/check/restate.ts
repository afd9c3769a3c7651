import { deploymentUrl, openDeployments } from '../platform/deployments.ts';
import { productVersion } from '../platform/product-version.ts';
import { callRestate } from '../platform/restate-client.ts';
import { findOpenRestatePorts } from '../platform/restate-exposure.ts';
import { defineFindings, reasonOf, type CheckContext, type Finding } from './finding.ts';

const { types, report } = defineFindings({
  'restate.ingress': {
    level: 'error',
    cause:
      'Restate’s ingress does not respond at RESTATE_INGRESS_URL. Messages, webhooks and actions wait until it does.',
    fix: 'Start Restate, or correct RESTATE_INGRESS_URL. The default port is 8080.',
  },
  'restate.admin': {
    level: 'error',
    cause: 'Restate’s admin API does not respond at RESTATE_ADMIN_URL, so that workers cannot register.',
    fix: 'Start Restate, or correct RESTATE_ADMIN_URL. The default port is 9070.',
  },
  'restate.admin_missing': {
    level: 'warning',
    cause:
      'RESTATE_ADMIN_URL is not set: workers do not register themselves, and data of deleted tenants stays in Restate.',
    fix: 'Set RESTATE_ADMIN_URL, or register each version of the worker manually.',
  },
  'restate.token': {
    level: 'error',
    cause: 'The proxy in front of Restate rejects the token.',
    fix: 'Correct RESTATE_INGRESS_TOKEN or RESTATE_ADMIN_TOKEN.',
  },
  'restate.version': {
    level: 'warning',
    cause: 'Restate is older than the versions that Parley is tested with (1.7).',
    fix: 'Upgrade Restate.',
  },
  'restate.public': {
    level: 'error',
    cause: 'Restate accepts calls without a token at a public IP address. Anyone can run any handler for any tenant.',
    fix: 'Close the port to the internet now: docs/operators/restate.md.',
  },
  'restate.worker_url': {
    level: 'error',
    cause: 'WORKER_URL is not set, and HOST is no address that Restate could call.',
    fix: 'Set WORKER_URL to the URL at which Restate reaches the worker.',
  },
  'restate.worker': {
    level: 'error',
    cause:
      'Restate cannot call the worker of this version: it does not run, WORKER_URL is wrong, or RESTATE_IDENTITY_KEYS of the worker is the key of another Restate.',
    fix: 'Start the worker and read its log. Compare WORKER_URL and RESTATE_IDENTITY_KEYS with the settings of Restate.',
  },
});
export const restateFindings = types;

export async function checkRestate(ctx: CheckContext): Promise<Finding[]> {
  return (await Promise.all([checkIngress(ctx), checkAdmin(ctx)])).flat();
}

async function checkIngress({ config, timeoutMs }: CheckContext): Promise<Finding[]> {
  const { RESTATE_INGRESS_URL: url, RESTATE_INGRESS_TOKEN: token } = config;
  const response = await get(url, '/restate/health', { token, timeoutMs });
  return describe(response, 'restate.ingress', 'RESTATE_INGRESS', 'ingress', url);
}

async function checkAdmin({ config, requirements, timeoutMs }: CheckContext): Promise<Finding[]> {
  const { RESTATE_ADMIN_URL: url, RESTATE_ADMIN_TOKEN: token } = config;
  if (url === undefined)
    return [report('restate.admin_missing', ['RESTATE_ADMIN_URL'], 'RESTATE_ADMIN_URL is not set.')];
  const response = await get(url, '/version', { token, timeoutMs });
  const findings = describe(response, 'restate.admin', 'RESTATE_ADMIN', 'admin API', url);
  if (findings.length > 0 || response instanceof Error) return findings;
  const { version = '' } = (await response.json().catch(() => ({}))) as { version?: string };
  if (!version)
    return [report('restate.admin', ['RESTATE_ADMIN_URL'], `${new URL(url).origin} is not Restate’s admin API.`)];
  if (Number.parseFloat(version) >= requirements.restate) return [];
  return [report('restate.version', ['RESTATE_ADMIN_URL'], `Restate ${version} is too old.`)];
}

function describe(
  response: Response | Error,
  id: 'restate.ingress' | 'restate.admin',
  prefix: string,
  name: string,
  url: string,
): Finding[] {
  const setting = `${prefix}_URL`;
  const { origin } = new URL(url);
  if (response instanceof Error)
    return [report(id, [setting], `Restate’s ${name} does not respond at ${origin} (${reasonOf(response)}).`)];
  if (response.status === 401 || response.status === 403)
    return [report('restate.token', [`${prefix}_TOKEN`], `${origin} rejects the token in ${prefix}_TOKEN.`)];
  return response.ok
    ? []
    : [report(id, [setting], `${origin} is not Restate’s ${name}: it returns ${response.status}.`)];
}

const get = (...call: Parameters<typeof callRestate>): Promise<Response | Error> =>
  callRestate(...call).catch((error: Error) => error);

/** A private network is fine: it is how Restate is kept from everyone else. */
export async function checkRestateExposure({ config, lookup }: CheckContext): Promise<Finding[]> {
  const open = await findOpenRestatePorts(config, lookup);
  return open
    .filter(({ network }) => network === 'public')
    .map(({ setting }) => report('restate.public', [setting], `${setting} is a public IP address and needs no token.`));
}

/** Restate makes the call, because it may be in another network than this process. */
export async function checkWorker({ config, timeoutMs }: CheckContext): Promise<Finding[]> {
  const { RESTATE_ADMIN_URL: adminUrl, RESTATE_ADMIN_TOKEN: token, HOST: host, WORKER_PORT: port } = config;
  if (adminUrl === undefined) return [];
  if (config.WORKER_URL === undefined && (port === 0 || ['0.0.0.0', '::'].includes(host)))
    return [report('restate.worker_url', ['WORKER_URL'], `WORKER_URL is not set, and the worker listens on ${host}.`)];
  const url = deploymentUrl(config.WORKER_URL ?? `http://${host}:${port}`, productVersion);
  try {
    await openDeployments(adminUrl, token, timeoutMs).probe(url);
    return [];
  } catch {
    return [report('restate.worker', ['WORKER_URL'], `Restate cannot call the worker at ${url}.`)];
  }
}
