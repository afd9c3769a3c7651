import * as oidc from 'openid-client';
import { changeProfile, readProfile, type Profile } from './credentials.ts';
import { CliError, exitCodes } from './exit-codes.ts';

/** Built into the service's customer pool. */
const clientId = 'parley-cli';
/** Renewed while it is still good, so that a long call does not outlive it. */
const marginMs = 60_000;

export const issuerOf = (apiUrl: string) => `${apiUrl.replace(/\/$/, '')}/pools/customer`;

export async function discover(issuer: string): Promise<oidc.Configuration> {
  const url = new URL(issuer);
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  const options = isHere ? { execute: [oidc.allowInsecureRequests] } : {};
  try {
    return await oidc.discovery(url, clientId, undefined, oidc.None(), options);
  } catch (error) {
    const { issuer: itself } = ((error as Error).cause as { body?: { issuer?: string } } | undefined)?.body ?? {};
    if (itself !== undefined)
      throw new CliError(
        exitCodes.usage,
        'issuer_mismatch',
        `The API uses a different URL: ${itself.replace(/\/pools\/customer$/, '')}`,
        'Pass that URL as --api-url.',
      );
    throw new CliError(
      exitCodes.away,
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

/** A token that is good for a minute at least. Of commands that run at once one renews it, and the others take that. */
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
  const issuedBy = await discover(profile.issuer);
  try {
    return profileOf(profile, await oidc.refreshTokenGrant(issuedBy, profile.refreshToken));
  } catch (error) {
    if (error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant')
      throw new CliError(exitCodes.notAllowed, 'session_ended', 'Your session has expired.', 'Run `parley login`.');
    throw new CliError(
      exitCodes.away,
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
