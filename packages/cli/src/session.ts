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

/** The profile that is meant: by option, by environment, or the one everybody begins with. */
export const profileName = (command: Command): string => globals(command).profile ?? settings().profile ?? 'default';

export interface Session {
  parley: Parley;
  apiUrl: string;
  out: Out;
}

/** Who the command speaks for: a profile that was asked for, else the key in the environment, else the sign-in. */
export async function openSession(command: Command): Promise<Session> {
  const out = outOf(command);
  const { profile, apiUrl: wanted } = globals(command);
  const { keyId, key, apiUrl: usual } = settings();
  if (!profile && (keyId || key)) {
    const apiUrl = wanted ?? usual;
    if (!keyId || !key || !apiUrl)
      throw new CliError(
        exitCodes.usage,
        'key_incomplete',
        'To use a key, set PARLEY_API_URL, PARLEY_KEY_ID and PARLEY_KEY.',
      );
    return { parley: createParley({ apiUrl: checked(apiUrl), keyId, key }), apiUrl, out };
  }
  const name = profileName(command);
  const signedIn = await readProfile(name);
  if (!signedIn) throw notSignedIn();
  // A token is shown to nobody but the service that made it.
  if (wanted !== undefined && new URL(checked(wanted)).origin !== new URL(signedIn.apiUrl).origin) throw notSignedIn();
  const { apiUrl } = signedIn;
  return { parley: createParley({ apiUrl, accessToken: () => freshToken(name) }), apiUrl, out };
}

/** An address that can be called. */
export function checked(apiUrl: string): string {
  if (/^https?:$/.test(URL.parse(apiUrl)?.protocol ?? '')) return apiUrl;
  throw new CliError(
    exitCodes.usage,
    'invalid_url',
    `“${apiUrl}” is not a valid URL.`,
    'Use a URL such as https://api.example.com.',
  );
}
