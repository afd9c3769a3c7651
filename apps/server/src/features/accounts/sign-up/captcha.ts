import { z } from 'zod';
import { unavailable } from '../../../platform/errors.ts';
import type { SafeFetch } from '../../../platform/safe-fetch.ts';
import type { Captcha } from '../../../platform/sign-up-settings.ts';

const Verified = z.object({ success: z.boolean(), 'error-codes': z.array(z.string()).optional() });
const timeouts = { dnsMs: 2_000, connectMs: 2_000, headersMs: 4_000, totalMs: 5_000 };
/** Ours is wrong, not the visitor's: nobody could sign up, and somebody has to hear of it. */
const ourFault = ['missing-input-secret', 'invalid-input-secret', 'bad-request', 'internal-error'];

/** Asks the provider whether its widget gave out this token, by the `siteverify` protocol. It counts each token once. */
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
  const verified = read(response.body.toString('utf8'));
  const codes = verified?.['error-codes'] ?? [];
  if (!verified || response.status >= 500 || codes.some((code) => ourFault.includes(code)))
    throw captchaUnavailable(new Error(`siteverify: HTTP ${response.status} ${codes.join(', ')}`.trim()));
  return verified.success;
}

function read(text: string) {
  try {
    return Verified.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Closed rather than open: whoever can make the provider fail would otherwise sign up at will. */
const captchaUnavailable = (cause: unknown) =>
  unavailable('captcha_unavailable', 'The CAPTCHA cannot be checked at the moment. Try again in a minute.', cause);
