import { createParley, type Parley } from '@parley/sdk';
import type { Command } from 'commander';
import { readProfile } from './credentials.ts';
import { CliError, exitCodes } from './exit-codes.ts';
import { createOut, type Out } from './out.ts';
import { settings } from './settings.ts';
import { freshToken, notSignedIn } from './sign-in.ts';

interface GlobalOptions {
  json?: true;
  apiUrl?: string;
  profile?: string;
}
export const globals = (command: Command): GlobalOptions => command.optsWithGlobals<GlobalOptions>();

export const outOf = (command: Command): Out => createOut(globals(command).json ?? false);

/** The profile by option, by environment variable, or the default one. */
export const profileName = (command: Command): string => globals(command).profile ?? settings().profile ?? 'default';

export interface Session {
  parley: Parley;
  apiUrl: string;
  out: Out;
}

/** Authenticates by the requested profile, by the key in the environment, or by the sign-in. */
export async function openSession(command: Command): Promise<Session> {
  const out = outOf(command);
  const { profile, apiUrl: requestedUrl } = globals(command);
  const { keyId, key, apiUrl: defaultUrl } = settings();
  if (!profile && (keyId || key)) {
    const apiUrl = requestedUrl ?? defaultUrl;
    if (!keyId || !key || !apiUrl)
      throw new CliError(
        exitCodes.usage,
        'key_incomplete',
        'To use a key, set PARLEY_API_URL, PARLEY_KEY_ID and PARLEY_KEY.',
      );
    return { parley: createParley({ apiUrl: validUrl(apiUrl), keyId, key }), apiUrl, out };
  }
  const name = profileName(command);
  const signedIn = await readProfile(name);
  if (!signedIn) throw notSignedIn();
  // A token is only sent to the service that issued it.
  if (requestedUrl !== undefined && new URL(validUrl(requestedUrl)).origin !== new URL(signedIn.apiUrl).origin)
    throw notSignedIn();
  const { apiUrl } = signedIn;
  return { parley: createParley({ apiUrl, accessToken: () => freshToken(name) }), apiUrl, out };
}

/** The URL, if it is valid. */
export function validUrl(apiUrl: string): string {
  if (/^https?:$/.test(URL.parse(apiUrl)?.protocol ?? '')) return apiUrl;
  throw new CliError(
    exitCodes.usage,
    'invalid_url',
    `“${apiUrl}” is not a valid URL.`,
    'Use a URL such as https://api.example.com.',
  );
}
