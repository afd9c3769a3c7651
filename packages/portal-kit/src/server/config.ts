import { z } from 'zod';

const cookieKeys = z
  .string()
  .regex(/^[\w-]+:[A-Za-z0-9+/=_-]{43,44}(,[\w-]+:[A-Za-z0-9+/=_-]{43,44})*$/, 'id:base64 of 32 bytes, comma-separated')
  .transform((text) =>
    text.split(',').map((pair) => {
      const [id = '', key = ''] = pair.split(':');
      return { id, key: Buffer.from(key, 'base64') };
    }),
  )
  .refine((keys) => keys.every(({ key }) => key.length === 32), 'each key is 32 bytes');

export const PortalSettings = z.object({
  HOST: z.string().default('127.0.0.1').describe('The address to listen on.'),
  PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(3100)
    .describe("Where the portal listens; the operators' on 3101 unless you say otherwise."),
  PORTAL_URL: z.url().describe('The address people use: the only origin that may change anything.'),
  API_URL: z.url().describe('Where the service is, for this process.'),
  PUBLIC_API_URL: z.url().optional().describe('Where browsers reach the service, if that is another address.'),
  CDN_URL: z
    .url()
    .optional()
    .describe('Where pages load the widget from: `/cdn` of the service unless you say otherwise.'),
  COOKIE_KEYS: cookieKeys.describe(
    'Seal the cookies: `id:base64 of 32 bytes`, comma-separated. The first one seals, all of them open. The only secret here.',
  ),
  CLIENT_ID: z
    .string()
    .default('portal')
    .describe("The portal's name in the service's OIDC_CLIENTS: a public client. The operators' is `admin`."),
  ISSUER_URL: z.url().optional().describe('Where people sign in on hosted pages, if that is another issuer.'),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((text) => text.split(',').filter(Boolean))
    .describe('Addresses or networks of reverse proxies whose `X-Forwarded-For` is believed.'),
  LOG_LEVEL: z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('info').describe('How much is logged.'),
});

type Read = z.output<typeof PortalSettings>;
export type PortalConfig = Omit<Read, 'PUBLIC_API_URL' | 'CDN_URL'> & { PUBLIC_API_URL: string; CDN_URL: string };

/** The only place of a portal that reads the environment. Beside each other, each has a port and a name of its own. */
export function loadPortalConfig(
  name: 'portal' | 'admin',
  env: Record<string, string | undefined> = process.env,
): PortalConfig {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const own = name === 'admin' ? { PORT: '3101', CLIENT_ID: 'admin' } : {};
  const read = PortalSettings.safeParse({ ...own, ...given });
  if (!read.success) throw new Error(`The portal cannot start with these settings:\n${z.prettifyError(read.error)}`);
  const { PORTAL_URL, PUBLIC_API_URL = read.data.API_URL, CDN_URL = `${PUBLIC_API_URL}/cdn` } = read.data;
  const { protocol, hostname, pathname } = new URL(PORTAL_URL);
  if (pathname !== '/') throw new Error('PORTAL_URL has no path: cookies belong to a whole host.');
  // Browsers keep `Secure` cookies over plain HTTP for the machine itself only.
  if (protocol !== 'https:' && hostname !== 'localhost')
    throw new Error('PORTAL_URL must be https: sessions travel in its cookies. Plain http is for localhost.');
  return { ...read.data, PUBLIC_API_URL, CDN_URL };
}
