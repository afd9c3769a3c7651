import { z } from 'zod';
import { secret } from './secret-files.ts';

const url = z.url({ protocol: /^https?$/ });

/** CAPTCHA providers. All of them implement `siteverify`. */
const providers = {
  turnstile: {
    siteverifyUrl: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
    scriptUrl: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
    origins: [],
    className: 'cf-turnstile',
  },
  hcaptcha: {
    siteverifyUrl: 'https://api.hcaptcha.com/siteverify',
    scriptUrl: 'https://js.hcaptcha.com/1/api.js',
    origins: ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
    className: 'h-captcha',
  },
  recaptcha: {
    siteverifyUrl: 'https://www.google.com/recaptcha/api/siteverify',
    scriptUrl: 'https://www.google.com/recaptcha/api.js',
    origins: ['https://www.gstatic.com', 'https://recaptcha.google.com'],
    className: 'g-recaptcha',
  },
} as const;

const Captcha = z
  .strictObject({
    provider: z.enum(['turnstile', 'hcaptcha', 'recaptcha']),
    siteKey: z.string().min(1).max(200),
    secret: z.string().min(1),
    /** For a self-hosted service with the same protocol. */
    siteverifyUrl: url.optional(),
    scriptUrl: url.optional(),
  })
  .transform(({ provider, siteKey, secret, siteverifyUrl, scriptUrl }) => {
    const defaults = providers[provider];
    const script = scriptUrl ?? defaults.scriptUrl;
    return {
      siteKey,
      secret,
      siteverifyUrl: siteverifyUrl ?? defaults.siteverifyUrl,
      scriptUrl: script,
      /** Origins that the page may load scripts and frames from. */
      origins: [new URL(script).origin, ...(scriptUrl === undefined ? defaults.origins : [])],
      className: defaults.className,
    };
  });
export type Captcha = z.output<typeof Captcha>;

const domain = z
  .string()
  .toLowerCase()
  .regex(/^[a-z0-9.-]+$/, 'Domains such as mail.example, without @.');

/** Settings for sign-up. `json` and `list` parse one environment variable. */
export const signUpSettings = (
  json: <S extends z.ZodType>(schema: S, byDefault: string) => z.ZodType<z.output<S>>,
  list: z.ZodType<string[]>,
) => ({
  SIGNUP: z
    .enum(['open', 'off'])
    .default('off')
    .describe('`open` lets anyone sign up and create a tenant. Otherwise, operators create tenants.'),
  SIGN_UP_CHECK: z
    .enum(['none', 'proof_of_work', 'captcha'])
    .default('proof_of_work')
    .describe(
      'What a sign-up requires. `proof_of_work`: the browser solves a short challenge, without a third party. `captcha`: the provider in CAPTCHA.',
    ),
  CAPTCHA: secret(json(Captcha.nullable(), 'null')).describe(
    'For SIGN_UP_CHECK `captcha`, as JSON: `{ "provider", "siteKey", "secret", "siteverifyUrl", "scriptUrl" }`. The provider is `turnstile`, `hcaptcha` or `recaptcha` (v2); the URLs are theirs unless you name others that speak the same protocol. The script runs on the hosted sign-up page and nowhere else.',
  ),
  SIGN_UP_BLOCKED_DOMAINS: list
    .pipe(z.array(domain))
    .describe(
      'Domains whose email addresses cannot sign up, comma-separated and with all below them, in addition to a list of well-known disposable ones. Invitations are not affected.',
    ),
});
