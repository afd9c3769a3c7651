import { z } from 'zod';
import { keySettings } from './key-settings.ts';
import { secret } from './secret-files.ts';
import { signUpSettings } from './sign-up-settings.ts';
import { valkeySettings } from './valkey-settings.ts';

const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
  );
const token = secret(z.string().min(16).optional());
const port = z.coerce.number().int().min(0).max(65_535);

/** One trusted issuer of access tokens. Needs `audience` or `clientIds`, or any token of that issuer would be accepted. */
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
    /** Where its users sign in. Shown to users who try to sign in with a password here. */
    signInUrl: z.url().optional(),
    /** Returns the verified email of an invited user if access tokens do not contain it. */
    userinfoUrl: z.url().optional(),
    /** The tenants that its users may access. `all` is for an issuer that every tenant trusts, such as your own. */
    tenants: z.union([z.literal('all'), z.array(z.string().startsWith('ten_')).min(1)]).optional(),
    /** The email domains that it may authenticate. Empty: any. */
    domains: z.array(z.string().trim().toLowerCase().min(1)).default([]),
    /** Values of `acr` that mean two-factor authentication, in addition to `mfa` in `amr`. */
    mfaAcrValues: z.array(z.string().min(1)).default([]),
  })
  .refine(({ pool, tenants, domains }) => pool === 'admin' || tenants !== undefined || domains.length > 0, {
    message: 'needs `tenants` or `domains`: without them, this issuer could sign in users of any tenant',
  })
  .refine(({ audience, clientIds }) => audience.length + clientIds.length > 0, {
    message: 'needs `audience` or `clientIds`: without them, any token from this issuer would be accepted',
  });
export type Issuer = z.infer<typeof Issuer>;

/** An OIDC client that may use the sign-in pages of a pool. */
export const Client = z.strictObject({
  pool: z.enum(['customer', 'admin']),
  clientId: z.string().min(1).max(80),
  clientSecret: z.string().min(32).optional(),
  redirectUris: z.array(z.url()).min(1),
  postLogoutRedirectUris: z.array(z.url()).default([]),
  /** Called when a user signs out on the hosted page (OpenID Connect Back-Channel Logout 1.0). */
  backchannelLogoutUri: z.url().optional(),
});
export type Client = z.infer<typeof Client>;

/** A model of the deployment, for tenants without their own. Prices are in US dollars per million tokens. */
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
    message: 'needs `baseUrl`: an `openai-compatible` provider has no default URL',
  });

const embeddingOptions = {
  /** Languages that the model was trained on, as codes. All if omitted. */
  languages: z
    .array(z.string().regex(/^[a-z]{2,3}$/))
    .min(1)
    .max(200)
    .optional(),
  /** Similarity scores differ between models, so there is no default. */
  confidentAt: z.number().gt(0).max(1).optional(),
};

/** The embedding model for semantic search: an API, or a model that runs in the server. */
const EmbeddingModel = z.discriminatedUnion('provider', [
  z
    .strictObject({
      provider: z.enum(['openai-compatible', 'openai']),
      baseUrl: z.url({ protocol: /^https?$/ }).optional(),
      model: z.string().min(1).max(200),
      apiKey: z.string().min(1).optional(),
      dimensions: z.int().min(1).max(16_000),
      inputPrice: z.number().min(0),
      ...embeddingOptions,
    })
    .refine(({ provider, baseUrl }) => provider !== 'openai-compatible' || baseUrl !== undefined, {
      message: 'needs `baseUrl`: an `openai-compatible` provider has no default URL',
    }),
  z.strictObject({
    provider: z.literal('local'),
    /** A folder with a sentence model. */
    path: z.string().startsWith('/'),
    /** What the model expects before a text, such as `query: `. */
    questionPrefix: z.string().max(200).optional(),
    chunkPrefix: z.string().max(200).optional(),
    ...embeddingOptions,
  }),
]);

const json = <S extends z.ZodType>(schema: S, defaultValue = '[]') =>
  z
    .string()
    .default(defaultValue)
    .transform((text, ctx) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        ctx.addIssue('must be JSON');
        return z.NEVER;
      }
    })
    .pipe(schema);

/** Every setting, with its description for docs/configuration.md. */
export const Settings = z.object({
  PARLEY_ENV: z
    .enum(['production', 'development', 'test'])
    .default('production')
    .describe('`production` refuses to start with unsafe settings. Use other values only on a development machine.'),
  DATABASE_URL: secret(z.url()).describe(
    'PostgreSQL 15 or newer. Connect as the unprivileged role `parley_app`; to migrate, as `parley_owner` and without PgBouncer. For the server, PgBouncer in transaction mode is supported.',
  ),
  DATABASE_POOL_SIZE: z.coerce.number().int().min(1).max(200).default(10).describe('Connections per process.'),
  DATABASE_WAIT_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(120)
    .default(5)
    .describe('How long a request waits for a free connection before it fails with 503 `database_unavailable`.'),
  ...valkeySettings(list),
  RESTATE_INGRESS_URL: z.url().describe('Restate ingress URL, for calls to durable handlers.'),
  RESTATE_ADMIN_URL: z
    .url()
    .optional()
    .describe(
      'Restate admin URL, used by workers to register themselves and to erase data of deleted tenants. Without it, you register deployments manually, and deleted tenants are not fully erased.',
    ),
  RESTATE_INGRESS_TOKEN: token.describe(
    'Sent to RESTATE_INGRESS_URL as `Authorization: Bearer …`. For Restate Cloud, or for a proxy in front of your Restate, which has no built-in authentication.',
  ),
  RESTATE_ADMIN_TOKEN: token.describe('The same for RESTATE_ADMIN_URL.'),
  RESTATE_IDENTITY_KEYS: list.describe(
    'Public keys (`publickeyv1_…`, comma-separated) of the Restate servers that may call the worker.',
  ),
  ...keySettings,
  HOST: z.string().default('127.0.0.1').describe('Address to listen on.'),
  PORT: port.default(3000).describe('Port of the API.'),
  WORKER_PORT: port.default(9080).describe('Port on which the worker accepts calls from Restate.'),
  WORKER_URL: z
    .url()
    .optional()
    .describe(
      'URL at which Restate reaches the workers of this version: all of them, through a load balancer if there are several. Workers of another version that run at the same time need another URL. See docs/runbooks/upgrade.md.',
    ),
  METRICS_PORT: port
    .default(9464)
    .describe(
      'Port for `/metrics`, separate from the API, and for the health checks of the worker. 0 picks a free port.',
    ),
  METRICS_HOST: z
    .string()
    .default('127.0.0.1')
    .describe('Address that this port listens on. Anything other than localhost requires METRICS_TOKEN.'),
  METRICS_TOKEN: token.describe(
    'Token required to read `/metrics`, sent as `Authorization: Bearer …`. Health checks do not need it.',
  ),
  PUBLIC_URL: z
    .url()
    .default('http://127.0.0.1:3000')
    .describe('Public URL of the API; also written into the OpenAPI document.'),
  SECURITY_CONTACT: list
    .pipe(z.array(z.string().regex(/^(mailto:|https:\/\/|tel:)\S+$/, 'must be mailto:…, https://… or tel:…')))
    .describe(
      'Where to report a vulnerability: `mailto:`, `https:` or `tel:` URIs, comma-separated, preferred one first. Published at `/.well-known/security.txt`, which returns 404 if this is not set.',
    ),
  CDN_URL: z
    .url({ protocol: /^https?$/, hostname: /^[a-z0-9.:[\]-]+$/i }) // used in headers, where a semicolon would end a directive
    .optional()
    .describe(
      "URL from which browsers load the widget's files and configuration. Defaults to `/cdn` on PUBLIC_URL. For production, use a separate host with a CDN that has this API's `/cdn` as its origin.",
    ),
  WIDGET_DIR: z
    .string()
    .optional()
    .describe("Folder with the widget's files. Defaults to the output of `npm run build:widget` in this repository."),
  TRUSTED_PROXIES: list.describe(
    'IP addresses or networks of reverse proxies whose `X-Forwarded-For` header is trusted, comma-separated.',
  ),
  FAILED_AUTHENTICATIONS_PER_MINUTE: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(100)
    .describe(
      'Invalid keys and tokens per IP address (IPv6: per /64 network) and minute, after which further ones get 429. Valid ones still work. Sign-in has its own limits.',
    ),
  PORTAL_URL: z.url().optional().describe('URL of the customer portal. Emails and sign-in pages link to it.'),
  UPGRADE_URL: z
    .url({ protocol: /^(https|mailto)$/, error: 'expected a URL that starts with https: or mailto:' })
    .optional()
    .describe(
      'Where customers ask for another plan: an `https:` page or a `mailto:` address. The portal links to it from its page of plans. Without it, that page tells them whom to ask.',
    ),
  ADMIN_URL: z.url().optional().describe('URL of the admin portal.'),
  BUILTIN_POOLS: z
    .enum(['customer,admin', 'customer', 'admin', 'none'])
    .default('customer,admin')
    .transform(
      (text): ReadonlySet<'customer' | 'admin'> =>
        new Set(text.split(',').filter((name) => name !== 'none') as 'admin'[]),
    )
    .describe('User pools with built-in sign-in. A pool that is not listed can only sign in through its OIDC_ISSUERS.'),
  OIDC_CLIENTS: secret(json(z.array(Client))).describe(
    'Applications that may use our sign-in pages, as JSON: `[{ "pool", "clientId", "clientSecret", "redirectUris": […], "postLogoutRedirectUris": […], "backchannelLogoutUri" }]`. A client without `clientSecret` is public. PKCE is required for all.',
  ),
  ...signUpSettings(json, list),
  PASSKEY_DOMAIN: z
    .string()
    .optional()
    .describe(
      'Domain that passkeys are bound to (the WebAuthn RP ID), if it is not the host of PUBLIC_URL. It must be a parent domain of the API and both portals. Changing it invalidates all passkeys.',
    ),
  SIGNING_KEY_DAYS: z.coerce
    .number()
    .min(2)
    .max(3_650)
    .default(90)
    .describe("Days after which a pool's signing key is rotated. The next key is published one day in advance."),
  SMTP_URL: secret(z.url({ protocol: /^smtps?$/ }).optional()).describe(
    'SMTP server for outgoing email: `smtps://user:password@host:465`, or `smtp://host:587` with STARTTLS. Without it, emails stay queued.',
  ),
  MAIL_FROM: z.string().default('Parley <no-reply@localhost>').describe('From address of emails.'),
  OIDC_ISSUERS: json(z.array(Issuer)).describe(
    'Trusted issuers of access tokens, as JSON: `[{ "pool", "issuer", "jwksUrl", "audience": […], "clientIds": […], "algorithms": […], "preset", "tenantClaim", "signInUrl", "userinfoUrl", "tenants", "domains": […], "mfaAcrValues": […] }]`. An issuer for the `customer` pool needs `tenants` (the tenant ids its users may access, or `"all"`) or `domains` (the email domains it may authenticate). Its tokens prove two-factor authentication with `mfa` in `amr`, or with an `acr` in `mfaAcrValues`.',
  ),
  MODELS: secret(
    json(
      z
        .array(Model)
        .refine((models) => new Set(models.map(({ name }) => name)).size === models.length, 'names must be unique'),
    ),
  ).describe(
    'Models available to every tenant, as JSON: `[{ "name", "provider", "baseUrl", "model", "apiKey", "inputPrice", "outputPrice" }]`. The provider is `openai-compatible` (requires `baseUrl`), `openai`, `anthropic` or `google`. Prices are in US dollars per million tokens. Without any models, bots quote their knowledge.',
  ),
  EMBEDDINGS: secret(json(EmbeddingModel.nullable(), 'null')).describe(
    'Embedding model for semantic search, as JSON. A model that runs in the server: `{ "provider": "local", "path", "questionPrefix", "chunkPrefix", "languages", "confidentAt" }`, where `path` is a folder with `tokenizer.json` and a sentence model as `model.onnx` or `model.safetensors`, and the prefixes are what the model expects before a text. A model behind an API: `{ "provider", "baseUrl", "model", "apiKey", "dimensions", "inputPrice", "languages", "confidentAt" }`, where the provider is `openai-compatible` (requires `baseUrl`) or `openai`, and `dimensions` is the length of its vectors; chunks and questions are sent to it. `languages` are the codes of those that the model knows, all if omitted: text in others is searched by keyword. `confidentAt` is the similarity (0 to 1, depends on the model) from which a chunk is quoted even if no search terms match, and without it that never happens. Without an embedding model, search is by keyword only.',
  ),
  EGRESS_OPEN_HOSTS: list.describe(
    'Exact hosts (`host` or `host:port`) that outgoing requests may reach even though they are private or not HTTPS. Patterns are not allowed. Applies only to URLs in this configuration: issuers, MODELS, EMBEDDINGS and key services.',
  ),
  EGRESS_TENANT_OPEN_HOSTS: list.describe(
    'The same for URLs entered by tenants: pages to crawl, webhook endpoints and their own models. Every tenant can make the server call these hosts, so leave it empty unless that is acceptable.',
  ),
  EGRESS_CA_FILE: z.string().optional().describe('Additional certificate authorities (PEM) for those hosts.'),
  LOG_LEVEL: z
    .enum(['silent', 'error', 'warn', 'info', 'debug'])
    .default('info')
    .describe('Log verbosity. Successful reads are logged at `debug` only.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url()
    .optional()
    .describe('OTLP endpoint (HTTP) that traces are sent to. Without it, tracing is off.'),
  OTEL_TRACES_SAMPLER: z
    .enum(['always_on', 'traceidratio', 'parentbased_always_on', 'parentbased_traceidratio'])
    .default('parentbased_always_on')
    .describe(
      'Which traces are sent. `parentbased_…` follows the caller’s `traceparent` if there is one; with `traceidratio`, callers can’t decide (docs/operators/traces.md).',
    ),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('The share of traces that `traceidratio` keeps. Use the same for API and workers, or traces have gaps.'),
  TRACE_URL: z
    .string()
    .regex(/^https?:\/\/\S+$/, 'A URL that contains {traceId}.')
    .includes('{traceId}', 'A URL that contains {traceId}.')
    .optional()
    .describe('URL of a trace in your tracing tool, with `{traceId}` as a placeholder. Shown to operators as a link.'),
  STOP_NOTICE_SECONDS: z.coerce
    .number()
    .min(0)
    .max(120)
    .default(3)
    .describe(
      'How long the API keeps serving requests after a stop signal, with `Connection: close`, before it closes connections. Set it longer than clients and load balancers need to notice.',
    ),
  STOP_GRACE_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(600)
    .default(20)
    .describe('How long a process waits for running work before it stops.'),
  WEBHOOK_LANES: z.coerce
    .number()
    .int()
    .min(1)
    .max(4_096)
    .refine((count) => Number.isInteger(Math.log2(count)), { error: 'must be a power of two' })
    .default(64)
    .describe(
      'How many parts the delivery of webhooks is divided into. Each belongs to one worker at a time. A power of two, several times the number of workers, and the same for all of them: stop all workers before you change it.',
    ),
});
/** With the defaults that depend on other settings or on the location of this file. */
export type Config = z.infer<typeof Settings> & { CDN_URL: string; WIDGET_DIR: string };

/** A setting that cannot be used, or that production refuses. The message has the fix and no secrets. */
export interface SettingProblem {
  kind: 'invalid' | 'unsafe';
  settings: readonly string[];
  message: string;
}
