import type { Command } from 'commander';
import { createParley } from '@parley/sdk';
import open from 'open';
import * as oidc from 'openid-client';
import { changeProfile, readProfile } from '../credentials.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { awaitBrowser } from '../loopback.ts';
import { fields } from '../out.ts';
import { validUrl, globals, outOf, profileName } from '../session.ts';
import { settings } from '../settings.ts';
import { discover, issuerOf, profileOf } from '../sign-in.ts';

interface Options {
  browser: boolean;
  tenant?: string;
}

export function define(login: Command): void {
  login
    .option('--no-browser', 'print the sign-in URL instead of opening a browser')
    .option('--tenant <id>', 'organisation ID, if you belong to more than one')
    .addHelpText(
      'after',
      `
Opens the sign-in page in your browser. Credentials are stored in
~/.config/parley/credentials.json, readable only by you.

Examples:
  $ parley login --api-url https://api.example.com
  $ parley login --profile staging --api-url https://staging.example.com`,
    )
    .action(async ({ browser, tenant }: Options, command: Command) => {
      const name = profileName(command);
      const givenUrl = globals(command).apiUrl ?? settings().apiUrl ?? (await readProfile(name))?.apiUrl;
      if (!givenUrl)
        throw new CliError(
          exitCodes.usage,
          'api_url_missing',
          'The API URL is missing.',
          'Pass it with --api-url https://…',
        );
      const apiUrl = validUrl(givenUrl);
      const out = outOf(command);
      const issuer = issuerOf(apiUrl);
      const tokens = await signIn(issuer, async (url) => {
        // Printed even if a browser opens: it may be the wrong one.
        process.stderr.write(out.isJson ? `${JSON.stringify({ signInUrl: url })}\n` : `Sign in at:\n\n  ${url}\n\n`);
        if (browser) await openBrowser(url);
      });
      let profile = profileOf({ apiUrl, issuer }, tokens);
      if (tenant !== undefined) {
        const parley = createParley({ apiUrl, accessToken: profile.accessToken });
        const { refreshToken } = profile;
        const { accessToken, ...switched } = await parley.switchTenant({ body: { refreshToken, tenantId: tenant } });
        profile = {
          ...profile,
          accessToken,
          refreshToken: switched.refreshToken,
          expiresAt: Date.now() + switched.expiresIn * 1_000,
        };
      }
      await changeProfile(name, () => Promise.resolve(profile));
      const me = await createParley({ apiUrl, accessToken: profile.accessToken }).getMe();
      const { email, tenantId, tenantName, roles } = me;
      out.result(
        { apiUrl, profile: name, email, tenantId, tenantName, roles },
        fields({ 'signed in as': email, organisation: `${tenantName} (${tenantId})`, 'API URL': apiUrl }),
      );
    });
}

/** Authorization code with PKCE, as RFC 8252 specifies for native apps. */
async function signIn(issuer: string, openSignIn: (url: string) => Promise<void>) {
  const configuration = await discover(issuer);
  const callback = await awaitBrowser(300_000);
  try {
    const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: callback.redirectUri,
      scope: 'openid email profile offline_access',
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      prompt: 'login', // the browser may be signed in as someone else, and a program must not sign in unnoticed
    });
    await openSignIn(url.href);
    const callbackUrl = await callback.received;
    return await oidc.authorizationCodeGrant(configuration, callbackUrl, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
    });
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(
      exitCodes.notAllowed,
      'sign_in_failed',
      `Sign-in failed: ${(error as Error).message}.`,
      'Run `parley login` again.',
    );
  } finally {
    callback.close();
  }
}

/** Without a browser the printed URL is used. */
async function openBrowser(url: string): Promise<void> {
  const browser = await open(url).catch(() => undefined);
  browser?.once('error', () => {});
}
