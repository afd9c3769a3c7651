import type { ClientMetadata } from 'oidc-provider';
import type { Client } from '../../platform/config.ts';
import type { PoolName } from '../../platform/pool.ts';

/** The client for `POST /auth/login`, which has no redirect URI. */
export const ownClientId = 'parley';

export const oidcScope = 'openid offline_access email profile';

/** The clients of a pool. */
export const clientMetadata = (pool: PoolName, configured: readonly Client[]): ClientMetadata[] => [
  ownClient,
  ...(pool === 'customer' ? [cliClient] : []),
  ...configured.filter((client) => client.pool === pool).map(toMetadata),
];

const ownClient: ClientMetadata = {
  client_id: ownClientId,
  token_endpoint_auth_method: 'none',
  grant_types: ['refresh_token'],
  response_types: [],
  redirect_uris: [],
};

/** `parley login`: a public client that redirects to any free port on loopback (RFC 8252). */
const cliClient: ClientMetadata = {
  client_id: 'parley-cli',
  application_type: 'native', // the port of a loopback URL is not compared for native clients
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
