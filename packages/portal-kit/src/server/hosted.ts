import * as oidc from 'openid-client';
import { z } from 'zod';
import type { PortalConfig } from './config.ts';
import type { PoolName } from './pool.ts';
import type { Tokens } from './session.ts';

/** A started hosted sign-in, stored in a cookie until the callback. */
export const PendingSignIn = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), next: z.string() });
export type PendingSignIn = z.infer<typeof PendingSignIn>;

/**
 * Sign-in on hosted pages: authorization code with PKCE, as a public client, because this process has no secrets except
 * the cookie keys.
 */
export function createHosted(pool: PoolName, config: PortalConfig) {
  const { API_URL, PUBLIC_API_URL, PORTAL_URL, CLIENT_ID, ISSUER_URL } = config;
  const issuer = new URL(ISSUER_URL ?? `${PUBLIC_API_URL}/pools/${pool}`);
  const redirectUri = new URL('/api/auth/callback', PORTAL_URL).href;
  let discovered: Promise<oidc.Configuration> | undefined;

  const discover = () => {
    discovered ??= oidc.discovery(issuer, CLIENT_ID, undefined, oidc.None(), {
      ...(issuer.protocol === 'http:' && { execute: [oidc.allowInsecureRequests] }), // localhost only, see config.ts
      // Calls the service by its internal URL, while the issuer stays the public one in the tokens.
      ...(!ISSUER_URL && API_URL !== PUBLIC_API_URL && { [oidc.customFetch]: rewriteOrigin(PUBLIC_API_URL, API_URL) }),
    });
    discovered.catch(() => (discovered = undefined)); // retry on the next request
    return discovered;
  };

  const toTokens = (
    response: oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers,
    before?: Tokens,
  ): Tokens => ({
    kind: 'hosted',
    accessToken: response.access_token,
    expiresAt: Date.now() + (response.expiresIn() ?? 300) * 1_000,
    refreshToken: response.refresh_token ?? before?.refreshToken ?? '',
  });

  return {
    async start(next: string): Promise<{ url: string; pendingSignIn: PendingSignIn }> {
      const pendingSignIn = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        verifier: oidc.randomPKCECodeVerifier(),
        next,
      };
      const url = oidc.buildAuthorizationUrl(await discover(), {
        redirect_uri: redirectUri,
        scope: 'openid email profile offline_access',
        code_challenge: await oidc.calculatePKCECodeChallenge(pendingSignIn.verifier),
        code_challenge_method: 'S256',
        state: pendingSignIn.state,
        nonce: pendingSignIn.nonce,
        // Always ask for credentials, even if the hosted pages still have a session.
        prompt: 'login',
      });
      return { url: url.href, pendingSignIn };
    },
    async finish(pathAndQuery: string, { state, nonce, verifier }: PendingSignIn): Promise<Tokens> {
      const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce };
      return toTokens(await oidc.authorizationCodeGrant(await discover(), new URL(pathAndQuery, PORTAL_URL), checks));
    },
    async refresh(tokens: Tokens): Promise<Tokens | 'ended'> {
      try {
        return toTokens(await oidc.refreshTokenGrant(await discover(), tokens.refreshToken), tokens);
      } catch (error) {
        if (error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant') return 'ended';
        throw error;
      }
    },
    revoke: async (refreshToken: string) => oidc.tokenRevocation(await discover(), refreshToken),
  };
}
export type Hosted = ReturnType<typeof createHosted>;

const rewriteOrigin =
  (outer: string, inner: string): oidc.CustomFetch =>
  (url, options) =>
    fetch(url.startsWith(outer) ? inner + url.slice(outer.length) : url, options as RequestInit);
