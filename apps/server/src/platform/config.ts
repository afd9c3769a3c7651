import { resolve } from 'node:path';
import { z } from 'zod';
import { isOpenHost } from './addresses.ts';
import { packageDir } from './paths.ts';

const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
  );
const port = z.coerce.number().int().min(0).max(65_535);

/** One trusted issuer of access tokens. `audience` or `clientIds` is needed: else any token of that issuer would pass. */
export const Issuer = z
  .strictObject({
    pool: z.enum(['customer', 'admin']),
    issuer: z.url(),
    jwksUrl: z.url(),
    audience: z.array(z.string().min(1)).default([]),
    clientIds: z.array(z.string().min(1)).default([]),
    algorithms: z
      .array(z.enum(['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384', 'EdDSA']))
      .min(1)
      .default(['RS256']),
    preset: z.enum(['at+jwt', 'cognito', 'entra', 'keycloak', 'okta']).default('at+jwt'),
    tenantClaim: z.string().min(1).optional(),
    /** Where its people sign in: told to whoever tries to with a password here. */
    signInUrl: z.url().optional(),
    /** Asked for the verified address of somebody invited, where access tokens do not carry it. */
    userinfoUrl: z.url().optional(),
  })
  .refine(({ audience, clientIds }) => audience.length + clientIds.length > 0, {
    message: 'needs `audience` or `clientIds`: without them any token of this issuer would be accepted',
  });
export type Issuer = z.infer<typeof Issuer>;

/** A program that may send people to the sign-in pages of a pool. */
export const Client = z.strictObject({
  pool: z.enum(['customer', 'admin']),
  clientId: z.string().min(1).max(80),
  clientSecret: z.string().min(32).optional(),
  redirectUris: z.array(z.url()).min(1),
  postLogoutRedirectUris: z.array(z.url()).default([]),
});
export type Client = z.infer<typeof Client>;

/** A model of the deployment, for every tenant that has none of its own. Prices are US dollars for a million tokens. */
const Model = z
  .strictObject({
    name: z.string().min(1).max(80),
    provider: z.enum(['openai-compatible', 'openai', 'anthropic', 'google']),
    baseUrl: z.url({ protocol: /^https?$/ }).optional(),
    model: z.string().min(1).max(200),
    apiKey: z.string().min(1).optional(),
    inputPrice: z.number().min(0),
    outputPrice: z.number().min(0),
  })
  .refine(({ provider, baseUrl }) => provider !== 'openai-compatible' || baseUrl !== undefined, {
    message: 'needs `baseUrl`: nobody can guess where an `openai-compatible` model is',
  });

/** What tells the meaning of passages and questions in numbers, for finding what says the same in other words. */
const EmbeddingModel = z
  .strictObject({
    provider: z.enum(['openai-compatible', 'openai']),
    baseUrl: z.url({ protocol: /^https?$/ }).optional(),
    model: z.string().min(1).max(200),
    apiKey: z.string().min(1).optional(),
    dimensions: z.int().min(1).max(16_000),
    inputPrice: z.number().min(0),
    /** What one model calls alike another calls the same, so nobody but whoever chose it can say. */
    confidentAt: z.number().gt(0).max(1).optional(),
  })
  .refine(({ provider, baseUrl }) => provider !== 'openai-compatible' || baseUrl !== undefined, {
    message: 'needs `baseUrl`: nobody can guess where an `openai-compatible` model is',
  });

const json = <S extends z.ZodType>(schema: S, byDefault = '[]') =>
  z
    .string()
    .default(byDefault)
    .transform((text, ctx) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        ctx.addIssue('must be JSON');
        return z.NEVER;
      }
    })
    .pipe(schema);

/** Every setting we read, each with its sentence for docs/configuration.md. */
export const Settings = z.object({
  PARLEY_ENV: z
    .enum(['production', 'development', 'test'])
    .default('production')
    .describe('`production` refuses unsafe values. Only a machine of your own may say otherwise.'),
  DATABASE_URL: z
    .url()
    .describe(
      'PostgreSQL 15 or newer, as the unprivileged role `parley_app`; to migrate, as `parley_owner`. May point at PgBouncer in transaction mode.',
    ),
  DATABASE_POOL_SIZE: z.coerce.number().int().min(1).max(200).default(10).describe('Connections of one process.'),
  DATABASE_WAIT_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(120)
    .default(5)
    .describe('How long a request waits for one of them before it gets 503 `database_unavailable`.'),
  VALKEY_URL: z.url().describe('Valkey or Redis 7 or newer. May vanish at any moment without loss.'),
  VALKEY_PREFIX: z
    .string()
    .default('parley:')
    .describe('Before every key and channel, so that deployments can share a server.'),
  RESTATE_INGRESS_URL: z.url().describe('Where calls to durable work are sent.'),
  RESTATE_ADMIN_URL: z
    .url()
    .optional()
    .describe(
      'Where a worker registers itself, and erases what is left of tenants. Without it, register deployments by hand; a deleted tenant is then not erased to the end.',
    ),
  RESTATE_IDENTITY_KEYS: list.describe(
    'Public keys (`publickeyv1_…`, comma-separated) of the Restate servers whose calls the worker accepts.',
  ),
  MASTER_KEYS: z
    .string()
    .min(1)
    .describe(
      'Seal the secrets at rest: `id:base64 of 32 bytes`, comma-separated. The first one seals, all of them open. To rotate, put a new one first, restart, run `parley-server secrets rewrap`, then remove the old one.',
    ),
  HOST: z.string().default('127.0.0.1').describe('The address to listen on.'),
  PORT: port.default(3000).describe('Where the API listens.'),
  WORKER_PORT: port.default(9080).describe('Where the worker listens for Restate.'),
  WORKER_URL: z
    .url()
    .optional()
    .describe(
      'The address at which Restate reaches this worker. Each deploy has its own, so that running work stays on the version it began with.',
    ),
  METRICS_PORT: port.default(9464).describe('Where `/metrics` is served, apart from the API. 0 chooses a free port.'),
  PUBLIC_URL: z
    .url()
    .default('http://127.0.0.1:3000')
    .describe('The address callers use; written into the OpenAPI document.'),
  CDN_URL: z
    .url({ protocol: /^https?$/, hostname: /^[a-z0-9.:[\]-]+$/i }) // stands in headers, where a semicolon would end a rule
    .optional()
    .describe(
      "Where browsers get the widget's files and configuration: `/cdn` of PUBLIC_URL unless you say otherwise. Put it on a host of its own, with a CDN before it that asks this API's `/cdn`.",
    ),
  WIDGET_DIR: z
    .string()
    .optional()
    .describe(
      "The folder with the widget's files. Without it, where `npm run build:widget` of this repository puts them.",
    ),
  TRUSTED_PROXIES: list.describe(
    'Addresses or networks of reverse proxies whose `X-Forwarded-For` is believed, comma-separated.',
  ),
  PORTAL_URL: z.url().optional().describe('Where the customer portal is; letters and sign-in pages lead there.'),
  ADMIN_URL: z.url().optional().describe('Where the admin portal is.'),
  BUILTIN_POOLS: z
    .enum(['customer,admin', 'customer', 'admin', 'none'])
    .default('customer,admin')
    .transform(
      (text): ReadonlySet<'customer' | 'admin'> =>
        new Set(text.split(',').filter((name) => name !== 'none') as 'admin'[]),
    )
    .describe('Pools whose people sign in here. One left out is served by its entries in OIDC_ISSUERS alone.'),
  OIDC_CLIENTS: json(z.array(Client)).describe(
    'Programs that may send people to our sign-in pages, as JSON: `[{ "pool", "clientId", "clientSecret", "redirectUris": […], "postLogoutRedirectUris": […] }]`. Without `clientSecret` it is a public client; PKCE is demanded of all.',
  ),
  SIGNUP: z
    .enum(['open', 'off'])
    .default('off')
    .describe('`open` lets anybody make a tenant for themselves; else operators make them.'),
  PASSKEY_DOMAIN: z
    .string()
    .optional()
    .describe(
      'The domain passkeys are bound to, if it is not the host of PUBLIC_URL: one that the API and both portals are under. Changing it makes every passkey useless.',
    ),
  SIGNING_KEY_DAYS: z.coerce
    .number()
    .min(2)
    .max(3_650)
    .default(90)
    .describe('How long a pool signs with one key. The next one is published a day ahead.'),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe(
      'Where letters go: `smtps://user:password@host:465`, or `smtp://host:587` with STARTTLS. Without it they wait.',
    ),
  MAIL_FROM: z.string().default('Parley <no-reply@localhost>').describe('The sender of letters.'),
  OIDC_ISSUERS: json(z.array(Issuer)).describe(
    'Issuers of access tokens, as JSON: `[{ "pool", "issuer", "jwksUrl", "audience": […], "clientIds": […], "algorithms": […], "preset", "tenantClaim", "signInUrl", "userinfoUrl" }]`.',
  ),
  MODELS: json(
    z
      .array(Model)
      .refine((models) => new Set(models.map(({ name }) => name)).size === models.length, 'names must differ'),
  ).describe(
    'Models that every tenant may use, as JSON: `[{ "name", "provider", "baseUrl", "model", "apiKey", "inputPrice", "outputPrice" }]`. The provider is `openai-compatible` (wants `baseUrl`), `openai`, `anthropic` or `google`; prices are US dollars for a million tokens. Without any, bots quote their knowledge.',
  ),
  EMBEDDINGS: json(EmbeddingModel.nullable(), 'null').describe(
    'A model that tells what texts mean, as JSON: `{ "provider", "baseUrl", "model", "apiKey", "dimensions", "inputPrice", "confidentAt" }`; the provider is `openai-compatible` (wants `baseUrl`) or `openai`, `dimensions` the length of its vectors, `confidentAt` the similarity (0 to 1, differs from model to model) from which a passage is quoted although its words do not fit; without it that never happens. Passages and questions are sent there. Wants the extension `vector` in the database: see `parley-server vectors enable`. Without it, passages are found by their words.',
  ),
  EGRESS_OPEN_HOSTS: list.describe(
    'Exact hosts (`host` or `host:port`) that outgoing calls may reach although they are private or not HTTPS. Never a pattern. Only for addresses that stand in this configuration: issuers, MODELS and EMBEDDINGS.',
  ),
  EGRESS_TENANT_OPEN_HOSTS: list.describe(
    'The same for addresses that tenants give: what they crawl, their webhooks, their own models. Every tenant can make the server call these hosts, so leave it empty unless all of them may.',
  ),
  EGRESS_CA_FILE: z.string().optional().describe('Extra certificate authorities (PEM) for those hosts.'),
  LOG_LEVEL: z
    .enum(['silent', 'error', 'warn', 'info', 'debug'])
    .default('info')
    .describe('How much is logged. Reads that went well are logged at `debug` only.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url()
    .optional()
    .describe('Where traces are sent (OTLP over HTTP). Without it none are made.'),
  TRACE_URL: z
    .string()
    .regex(/^https?:\/\/\S+$/, 'An address with {traceId} in it.')
    .includes('{traceId}', 'An address with {traceId} in it.')
    .optional()
    .describe('Where a trace is shown, with `{traceId}` in the place of its id: operators get links to it.'),
  STOP_NOTICE_SECONDS: z.coerce
    .number()
    .min(0)
    .max(120)
    .default(3)
    .describe(
      'How long a stopping API goes on answering, telling each caller to leave, before it closes connections. Longer than callers or a load balancer need to notice.',
    ),
  STOP_GRACE_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(600)
    .default(20)
    .describe('How long a stopping process waits for what it has begun.'),
});
/** What stands on other settings, or on where this file is, is filled in once they are read. */
export type Config = z.infer<typeof Settings> & { CDN_URL: string; WIDGET_DIR: string };

/** For an operator: what to do, and not where in our code it was noticed. */
export class UnsafeConfig extends Error {
  constructor(message: string) {
    super(message);
    this.stack = message;
  }
}

type Environment = Record<string, string | undefined>;

/** Called once, by each entry point. Nothing else may read the environment. */
export function loadConfig(env: Environment = process.env): Config {
  const settings = read(Settings, env);
  const config: Config = {
    ...settings,
    CDN_URL: (settings.CDN_URL ?? `${settings.PUBLIC_URL.replace(/\/$/, '')}/cdn`).replace(/\/$/, ''),
    WIDGET_DIR: settings.WIDGET_DIR ?? resolve(packageDir, '../../packages/widget/dist'),
  };
  const unsafe = config.PARLEY_ENV === 'production' ? unsafeInProduction(config) : [];
  if (unsafe.length > 0) throw new UnsafeConfig(`Refusing to start:\n${unsafe.map((line) => `- ${line}`).join('\n')}`);
  return config;
}

/** What the operator's commands need; they talk to the database only. */
export const loadDatabaseUrl = () => read(Settings.pick({ DATABASE_URL: true }), process.env).DATABASE_URL;
export const loadMasterKeys = () => read(Settings.pick({ MASTER_KEYS: true }), process.env).MASTER_KEYS;

function read<S extends z.ZodObject>(settings: S, env: Environment): z.output<S> {
  const parsed = settings.safeParse(
    Object.fromEntries(Object.keys(settings.shape).map((name) => [name, env[name] || undefined])),
  );
  if (parsed.success) return parsed.data;
  throw new UnsafeConfig(`The configuration is not valid:\n${z.prettifyError(parsed.error)}`);
}

/** What a machine on a desk may do and a deployment may not, each with what to do instead. */
function unsafeInProduction(config: Config): string[] {
  const isLocal = (url: string) => ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
  const checks: [boolean, string][] = [
    [!config.PUBLIC_URL.startsWith('https:'), 'PUBLIC_URL must be https: keys and tokens travel on it.'],
    [
      [config.PORTAL_URL, config.ADMIN_URL].some((url) => url !== undefined && !url.startsWith('https:')),
      'PORTAL_URL and ADMIN_URL must be https: people sign in on their way there.',
    ],
    [!config.CDN_URL.startsWith('https:'), 'CDN_URL must be https: what comes from there runs in the pages of others.'],
    [
      config.MASTER_KEYS.split(',').some(isGuessable),
      'MASTER_KEYS holds an example key. Make one: openssl rand -base64 32',
    ],
    [
      config.RESTATE_IDENTITY_KEYS.length === 0,
      'RESTATE_IDENTITY_KEYS is empty: anyone who reaches the worker could run its handlers.',
    ],
    [
      !isLocal(config.VALKEY_URL) && !new URL(config.VALKEY_URL).password,
      'VALKEY_URL has no password and is not on this machine.',
    ],
    [
      ['postgres', 'parley_owner'].includes(new URL(config.DATABASE_URL).username),
      'DATABASE_URL signs in as an owner: row-level security must hold for the server. Use parley_app.',
    ],
    [
      config.OIDC_ISSUERS.some(({ issuer, jwksUrl }) => !issuer.startsWith('https:') || !jwksUrl.startsWith('https:')),
      'OIDC_ISSUERS must be https.',
    ],
    [
      config.SMTP_URL !== undefined && /@localhost>?$/.test(config.MAIL_FROM),
      'MAIL_FROM must be an address of yours: letters from localhost are refused everywhere.',
    ],
    [
      config.OIDC_CLIENTS.some(({ redirectUris }) => redirectUris.some((uri) => !uri.startsWith('https:'))),
      'OIDC_CLIENTS must come back to https: codes travel there.',
    ],
    [
      config.MODELS.some(({ baseUrl }) => baseUrl !== undefined && !isSafeModelUrl(config, new URL(baseUrl))),
      'MODELS must be https, or at a host of EGRESS_OPEN_HOSTS: keys and conversations travel there.',
    ],
    [
      config.EMBEDDINGS?.baseUrl !== undefined && !isSafeModelUrl(config, new URL(config.EMBEDDINGS.baseUrl)),
      'EMBEDDINGS must be https, or at a host of EGRESS_OPEN_HOSTS: keys and conversations travel there.',
    ],
    [
      [...config.EGRESS_OPEN_HOSTS, ...config.EGRESS_TENANT_OPEN_HOSTS].some((host) => /[*/?\s]/.test(host)),
      'EGRESS_OPEN_HOSTS and EGRESS_TENANT_OPEN_HOSTS take exact hosts, no patterns.',
    ],
  ];
  return checks.filter(([isUnsafe]) => isUnsafe).map(([, why]) => why);
}

const isSafeModelUrl = ({ EGRESS_OPEN_HOSTS: openHosts }: Config, url: URL) =>
  url.protocol === 'https:' || isOpenHost({ openHosts, ownHosts: [] }, url);

/** Fewer than 16 different bytes in 32: nobody's random number, but every example's. */
const isGuessable = (entry: string) => new Set(Buffer.from(entry.split(':')[1] ?? '', 'base64')).size < 16;
