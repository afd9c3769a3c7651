import { z } from 'zod';
import { bareHost } from './ip-addresses.ts';
import { secret } from './secret-files.ts';

const sentinelUrl = (text: string) => new URL(`redis://${text}`);

/** A Sentinel: `host`, `host:port` or `[ipv6]:port`. */
const Sentinel = z
  .string()
  .refine((text) => {
    if (!URL.canParse(`redis://${text}`)) return false;
    const { href, host } = sentinelUrl(text);
    return href === `redis://${host}`; // nothing but host and port
  }, 'must be `host:port`, or `[IPv6 address]:port`')
  .transform(sentinelUrl)
  .transform((url) => ({ host: bareHost(url), port: Number(url.port || 26_379) }));

/** Settings of Valkey. `list` is the comma-separated list of config.ts. */
export const valkeySettings = (list: z.ZodType<string[], string | undefined>) => ({
  VALKEY_URL: secret(z.url()).describe(
    'Valkey or Redis 7 or newer: `redis://:password@host:6379`, or `rediss://…` with TLS. With VALKEY_SENTINELS, the host is the name of the primary, such as `redis://:password@mymaster`. No data is lost if it goes down.',
  ),
  VALKEY_SENTINELS: list
    .pipe(z.array(Sentinel))
    .describe(
      'Sentinels that know which server is the primary: `host:port`, comma-separated; the port is 26379 by default. With a `rediss` URL, they are called with TLS too. Without any, VALKEY_URL is the server.',
    ),
  VALKEY_SENTINEL_PASSWORD: secret(z.string().min(1).optional()).describe(
    'Password of the Sentinels (`requirepass` in their configuration), if they have one.',
  ),
  VALKEY_PREFIX: z
    .string()
    .default('parley:')
    .describe('Prefix for all keys and channels, so that several deployments can share a server.'),
});
