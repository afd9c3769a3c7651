import * as oidc from 'openid-client';
import { changeProfile, readProfile, type Profile } from './credentials.ts';
import { CliError, exitCodes } from './exit-codes.ts';

/** Registered in the service's customer pool. */
const clientId = 'parley-cli';
/** Refreshed early, so that a long call does not outlive it. */
const marginMs = 60_000;

export const issuerOf = (apiUrl: string) => `${apiUrl.replace(/\/$/, '')}/pools/customer`;

export async function discover(issuer: string): Promise<oidc.Configuration> {
  const url = new URL(issuer);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  const options = isLocal ? { execute: [oidc.allowInsecureRequests] } : {};
  try {
    return await oidc.discovery(url, clientId, undefined, oidc.None(), options);
  } catch (error) {
    const { issuer: actualIssuer } = ((error as Error).cause as { body?: { issuer?: string } } | undefined)?.body ?? {};
    if (actualIssuer !== undefined)
      throw new CliError(
        exitCodes.usage,
        'issuer_mismatch',
        `The API uses a different URL: ${actualIssuer.replace(/\/pools\/customer$/, '')}`,
        'Pass that URL as --api-url.',
      );
    throw new CliError(
      exitCodes.unavailable,
      'issuer_unreachable',
      `Sign-in isn’t available at ${issuer}: ${reasonOf(error)}.`,
      'Check --api-url. If your organisation uses another identity provider, use a server key: set PARLEY_KEY_ID and PARLEY_KEY.',
    );
  }
}

const reasonOf = (error: unknown): string => {
  const { cause, message } = error as Error;
  return cause instanceof Error && cause.message ? cause.message : message;
};

export const profileOf = (
  { apiUrl, issuer, refreshToken = '' }: Pick<Profile, 'apiUrl' | 'issuer'> & Partial<Profile>,
  tokens: oidc.TokenEndpointResponse,
): Profile => ({
  apiUrl,
  issuer,
  accessToken: tokens.access_token,
  expiresAt: Date.now() + (tokens.expires_in ?? 0) * 1_000,
  refreshToken: tokens.refresh_token ?? refreshToken,
});

const isFresh = ({ expiresAt }: Profile) => expiresAt - marginMs > Date.now();

/** A token that is valid for at least a minute. Of concurrent commands one refreshes it, and the others reuse it. */
export async function freshToken(name: string): Promise<string> {
  const known = await readProfile(name);
  if (known && isFresh(known)) return known.accessToken;
  const { accessToken } = await changeProfile(name, async (current) => {
    if (!current) throw notSignedIn();
    return isFresh(current) ? current : renew(current);
  });
  return accessToken;
}

async function renew(profile: Profile): Promise<Profile> {
  const configuration = await discover(profile.issuer);
  try {
    return profileOf(profile, await oidc.refreshTokenGrant(configuration, profile.refreshToken));
  } catch (error) {
    if (error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant')
      throw new CliError(exitCodes.notAllowed, 'session_ended', 'Your session has expired.', 'Run `parley login`.');
    throw new CliError(
      exitCodes.unavailable,
      'renewal_failed',
      `Couldn’t refresh your session: ${reasonOf(error)}.`,
      'Try again in a moment.',
    );
  }
}

export async function endSession({ issuer, refreshToken }: Profile): Promise<void> {
  await oidc.tokenRevocation(await discover(issuer), refreshToken, { token_type_hint: 'refresh_token' });
}

export const notSignedIn = () =>
  new CliError(
    exitCodes.notAllowed,
    'not_signed_in',
    'You are not signed in.',
    'Run `parley login --api-url <url>`, or set PARLEY_API_URL, PARLEY_KEY_ID and PARLEY_KEY.',
  );
