import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { readSecretFiles, secret } from './secret-files.ts';

/** The build of an image replaces the variable with a constant, because its bundle has no package.json. */
const packageVersion = (): string =>
  process.env['PARLEY_VERSION'] ||
  (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version;

const cookieKeys = z
  .string()
  .regex(
    /^[\w-]+:[A-Za-z0-9+/=_-]{43,44}(,[\w-]+:[A-Za-z0-9+/=_-]{43,44})*$/,
    'expected id:key pairs, comma-separated, with each key as base64 of 32 bytes',
  )
  .transform((text) =>
    text.split(',').map((pair) => {
      const [id = '', key = ''] = pair.split(':');
      return { id, key: Buffer.from(key, 'base64') };
    }),
  )
  .refine((keys) => keys.every(({ key }) => key.length === 32), 'each key must be 32 bytes');

export const PortalSettings = z.object({
  HOST: z.string().default('127.0.0.1').describe('The IP address to listen on.'),
  PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(3100)
    .describe('The port to listen on. The admin portal’s default is 3101.'),
  PORTAL_URL: z.url().describe('The URL people open. Changes are accepted from this origin only.'),
  API_URL: z.url().describe('The URL of the API, as reached from this process.'),
  PUBLIC_API_URL: z.url().optional().describe('The URL of the API, as reached from browsers. Defaults to `API_URL`.'),
  CDN_URL: z
    .url()
    .optional()
    .describe('The URL that pages load the widget from. Defaults to `PUBLIC_API_URL` followed by `/cdn`.'),
  COOKIE_KEYS: secret(cookieKeys).describe(
    'Keys that encrypt cookies: `id:base64 of 32 bytes`, comma-separated. The first one encrypts, all of them decrypt.',
  ),
  CLIENT_ID: z
    .string()
    .default('portal')
    .describe(
      'The portal’s client ID in the API’s `OIDC_CLIENTS`, a public client. The admin portal’s default is `admin`.',
    ),
  ISSUER_URL: z.url().optional().describe('The issuer of the hosted sign-in pages, if it isn’t the API.'),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((text) => text.split(',').filter(Boolean))
    .describe('IP addresses or networks of reverse proxies whose `X-Forwarded-For` header is trusted.'),
  STOP_NOTICE_SECONDS: z.coerce
    .number()
    .min(0)
    .max(120)
    .default(3)
    .describe(
      'How long the portal keeps serving requests after a stop signal, while `/health/ready` returns 503, before it closes connections. Set it longer than your load balancer needs to notice.',
    ),
  METRICS_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .optional()
    .describe('Port for `/metrics`, separate from the pages. 0 picks a free port. Without it, the portal serves none.'),
  METRICS_HOST: z
    .string()
    .default('127.0.0.1')
    .describe('Address that this port listens on. Anything other than localhost requires METRICS_TOKEN.'),
  METRICS_TOKEN: secret(z.string().min(32, 'expected at least 32 characters').optional()).describe(
    'Token required to read `/metrics`, sent as `Authorization: Bearer …`.',
  ),
  PARLEY_VERSION: z
    .string()
    .regex(/^[0-9A-Za-z.+-]{1,64}$/, 'expected a version such as 0.1.0+3f2a9c1')
    .optional()
    .describe('The version that health checks report, such as `0.1.0+3f2a9c1`. Defaults to the one in `package.json`.'),
  LOG_LEVEL: z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('info').describe('The log level.'),
});

type Settings = z.output<typeof PortalSettings>;
type Defaulted = 'PUBLIC_API_URL' | 'CDN_URL' | 'PARLEY_VERSION';
export type PortalConfig = Omit<Settings, Defaulted> & Record<Defaulted, string>;

/** Reads the environment; nothing else does. The two portals have different default ports and client IDs. */
export function loadPortalConfig(
  name: 'portal' | 'admin',
  env: Record<string, string | undefined> = process.env,
): PortalConfig {
  const files = readSecretFiles(PortalSettings, env);
  if (files.problems.length > 0) throw new Error(`Invalid portal settings:\n${files.problems.join('\n')}`);
  const provided = Object.fromEntries(Object.entries(files.env).filter(([, value]) => value !== ''));
  const defaults = name === 'admin' ? { PORT: '3101', CLIENT_ID: 'admin' } : {};
  const parsed = PortalSettings.safeParse({ ...defaults, ...provided });
  if (!parsed.success) throw new Error(`Invalid portal settings:\n${z.prettifyError(parsed.error)}`);
  const { METRICS_HOST, METRICS_PORT, METRICS_TOKEN } = parsed.data;
  const isLocal = ['127.0.0.1', '::1', 'localhost'].includes(METRICS_HOST);
  if (METRICS_PORT !== undefined && !isLocal && METRICS_TOKEN === undefined)
    throw new Error('METRICS_TOKEN is not set, but METRICS_HOST exposes `/metrics` to other machines.');
  const { PORTAL_URL, PUBLIC_API_URL = parsed.data.API_URL, CDN_URL = `${PUBLIC_API_URL}/cdn` } = parsed.data;
  const { protocol, hostname, pathname } = new URL(PORTAL_URL);
  if (pathname !== '/') throw new Error('PORTAL_URL must not have a path, because cookies apply to the whole host.');
  // Browsers accept `Secure` cookies over plain HTTP on localhost only.
  if (protocol !== 'https:' && hostname !== 'localhost')
    throw new Error(
      'PORTAL_URL must use https, because sessions are stored in cookies. http works for localhost only.',
    );
  return { ...parsed.data, PUBLIC_API_URL, CDN_URL, PARLEY_VERSION: parsed.data.PARLEY_VERSION ?? packageVersion() };
}
