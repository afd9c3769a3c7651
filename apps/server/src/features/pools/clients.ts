import { interactionPolicy, type ClientMetadata } from 'oidc-provider';
import type { Client } from '../../platform/config.ts';
import type { PoolName } from '../../platform/pool.ts';

/** For those who sign in by `POST /auth/login` and have no pages of ours to come back to. */
export const ownClientId = 'parley';

export const oidcScope = 'openid offline_access email profile';

/** Who may send people to the pages of a pool. */
export const metadataOf = (pool: PoolName, configured: readonly Client[]): ClientMetadata[] => [
  ownClient,
  ...(pool === 'customer' ? [commandLine] : []),
  ...configured.filter((client) => client.pool === pool).map(toMetadata),
];

const ownClient: ClientMetadata = {
  client_id: ownClientId,
  token_endpoint_auth_method: 'none',
  grant_types: ['refresh_token'],
  response_types: [],
  redirect_uris: [],
};

/** `parley login`: comes back to whatever port is free on the caller's own machine (RFC 8252), and can keep no secret. */
const commandLine: ClientMetadata = {
  client_id: 'parley-cli',
  application_type: 'native', // of a native client the port of a loopback address is not compared
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  redirect_uris: ['http://127.0.0.1/callback'],
  scope: oidcScope,
};

const toMetadata = ({
  clientId,
  clientSecret,
  redirectUris,
  postLogoutRedirectUris,
  backchannelLogoutUri,
}: Client): ClientMetadata => ({
  client_id: clientId,
  ...(clientSecret ? { client_secret: clientSecret } : { token_endpoint_auth_method: 'none' }),
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  redirect_uris: redirectUris,
  post_logout_redirect_uris: postLogoutRedirectUris,
  ...(backchannelLogoutUri && {
    backchannel_logout_uri: backchannelLogoutUri,
    backchannel_logout_session_required: true,
  }),
  scope: oidcScope,
});

/**
 * Any program of a machine can say that it is the command line, so it gets nothing from a browser that is signed in
 * already: somebody signs in on our page, each time. The library would ask for their consent after that.
 */
export function promptPolicy() {
  const { base, Check } = interactionPolicy;
  const policy = base();
  policy.get('consent')?.checks.remove('native_client_prompt');
  policy
    .get('login')
    ?.checks.add(
      new Check('native_client', 'a native app on the user’s device requests sign-in', ({ oidc }) =>
        oidc.client?.applicationType === 'native' && !oidc.result?.login
          ? Check.REQUEST_PROMPT
          : Check.NO_NEED_TO_PROMPT,
      ),
    );
  return policy;
}
