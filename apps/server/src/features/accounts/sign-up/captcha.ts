import { z } from 'zod';
import { unavailable } from '../../../platform/errors.ts';
import type { SafeFetch } from '../../../platform/safe-fetch.ts';
import type { Captcha } from '../../../platform/sign-up-settings.ts';

const SiteverifyResponse = z.object({ success: z.boolean(), 'error-codes': z.array(z.string()).optional() });
const timeouts = { dnsMs: 2_000, connectMs: 2_000, headersMs: 4_000, totalMs: 5_000 };
/** Errors in our configuration or at the provider, not in the visitor's token. They are reported as an outage. */
const configErrorCodes = ['missing-input-secret', 'invalid-input-secret', 'bad-request', 'internal-error'];

/** Verifies a token with the provider's `siteverify` endpoint. The provider accepts each token once. */
export async function isCaptchaSolved(
  fetch: SafeFetch,
  { siteverifyUrl, secret }: Captcha,
  token: string,
  ip: string,
): Promise<boolean> {
  const response = await fetch({
    url: siteverifyUrl,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ secret, response: token, remoteip: ip }).toString(),
    timeouts,
  }).catch((error: unknown) => {
    throw captchaUnavailable(error);
  });
  const verified = parseResponse(response.body.toString('utf8'));
  const codes = verified?.['error-codes'] ?? [];
  if (!verified || response.status >= 500 || codes.some((code) => configErrorCodes.includes(code)))
    throw captchaUnavailable(new Error(`siteverify: HTTP ${response.status} ${codes.join(', ')}`.trim()));
  return verified.success;
}

function parseResponse(text: string) {
  try {
    return SiteverifyResponse.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Fails closed: otherwise anyone who can make the provider fail could bypass the CAPTCHA. */
const captchaUnavailable = (cause: unknown) =>
  unavailable('captcha_unavailable', 'The CAPTCHA cannot be checked at the moment. Try again in a minute.', cause);
