import * as oidc from 'openid-client';
import { z } from 'zod';
import type { PortalConfig } from './config.ts';
import type { PoolName } from './pool.ts';
import type { Tokens } from './session.ts';

/** A sign-in under way, kept in a cookie until its browser comes back. */
export const Journey = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), next: z.string() });
export type Journey = z.infer<typeof Journey>;

/**
 * Sign-in on hosted pages: authorization code with PKCE, as a public client, since this process keeps no secret but the
 * key of its cookies.
 */
export function createHosted(pool: PoolName, config: PortalConfig) {
  const { API_URL, PUBLIC_API_URL, PORTAL_URL, CLIENT_ID, ISSUER_URL } = config;
  const issuer = new URL(ISSUER_URL ?? `${PUBLIC_API_URL}/pools/${pool}`);
  const redirectUri = new URL('/api/auth/callback', PORTAL_URL).href;
  let discovered: Promise<oidc.Configuration> | undefined;

  const discover = () => {
    discovered ??= oidc.discovery(issuer, CLIENT_ID, undefined, oidc.None(), {
      ...(issuer.protocol === 'http:' && { execute: [oidc.allowInsecureRequests] }), // this machine only: config.ts
      // Behind a load balancer the service is nearer by its inner address, under the name that its tokens carry.
      ...(!ISSUER_URL && API_URL !== PUBLIC_API_URL && { [oidc.customFetch]: nearer(PUBLIC_API_URL, API_URL) }),
    });
    discovered.catch(() => (discovered = undefined)); // not there yet: ask again next time
    return discovered;
  };

  const toTokens = (got: oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers, before?: Tokens): Tokens => ({
    kind: 'hosted',
    accessToken: got.access_token,
    expiresAt: Date.now() + (got.expiresIn() ?? 300) * 1_000,
    refreshToken: got.refresh_token ?? before?.refreshToken ?? '',
  });

  return {
    async begin(next: string): Promise<{ url: string; journey: Journey }> {
      const journey = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        verifier: oidc.randomPKCECodeVerifier(),
        next,
      };
      const url = oidc.buildAuthorizationUrl(await discover(), {
        redirect_uri: redirectUri,
        scope: 'openid email profile offline_access',
        code_challenge: await oidc.calculatePKCECodeChallenge(journey.verifier),
        code_challenge_method: 'S256',
        state: journey.state,
        nonce: journey.nonce,
        // Whoever signed out here is asked again, also where the hosted pages still know the one before them.
        prompt: 'login',
      });
      return { url: url.href, journey };
    },
    async finish(pathAndQuery: string, { state, nonce, verifier }: Journey): Promise<Tokens> {
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

const nearer =
  (outer: string, inner: string): oidc.CustomFetch =>
  (url, options) =>
    fetch(url.startsWith(outer) ? inner + url.slice(outer.length) : url, options as RequestInit);
