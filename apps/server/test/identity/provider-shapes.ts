import type { Claims } from './jws.ts';
import type { Provider } from './providers.ts';

/** Other tokens of a provider, as differences from a valid access token. */
export function wrongShapes({ preset, issuer }: Pick<Provider, 'preset' | 'issuer'>): Record<string, Claims> {
  const { origin } = new URL(issuer);
  const shapes: Record<Provider['preset'], Record<string, Claims>> = {
    cognito: {
      'an ID token': {
        aud: 'app-1',
        client_id: undefined,
        token_use: 'id',
        email: 'a@acme.example',
        email_verified: true,
      },
      'an ID token that names the client': { aud: 'app-1', token_use: 'id' },
      'without token_use': { token_use: undefined },
      'a refresh token': { token_use: 'refresh' },
      'with token_use as a list': { token_use: ['access'] },
      'of another client': { client_id: 'app-2' },
      'without a client': { client_id: undefined },
      'without client_id, with aud and azp': { client_id: undefined, aud: 'app-1', azp: 'app-1' },
      'with the client as a list': { client_id: ['app-1'] },
      'with the client in capitals': { client_id: 'APP-1' },
      "of another pool's issuer": { iss: issuer.replace('Abc', 'Xyz') },
      'without a subject': { sub: undefined },
    },
    entra: {
      'an ID token': { aud: 'app-1', scp: undefined, nonce: 'n' },
      'an ID token for us': { scp: undefined, nonce: 'n' },
      'of version 1': { ver: '1.0' },
      'of version 1 with the v1 issuer': {
        ver: '1.0',
        iss: 'https://sts.windows.net/6f1c2a3b-0000-4000-8000-000000000001/',
      },
      'of version 2 as a number': { ver: 2 },
      'without a version': { ver: undefined },
      'of an app without a user': { scp: undefined, roles: ['Api.All'], idtyp: 'app' },
      'with scopes as a list': { scp: ['access_as_user'] },
      "for Microsoft's own API": { aud: '00000003-0000-0000-c000-000000000000' },
      'for our API as a URI': { aud: 'api://api-1' },
      'without an object id': { oid: undefined },
      'with an empty object id': { oid: '' },
      'with the object id as a list': { oid: ['x'] },
      "of another tenant's issuer": { iss: issuer.replace('6f1c', '7f1c') },
      'of the common issuer': { iss: issuer.replace(/\/[^/]+\/v2/, '/common/v2') },
    },
    keycloak: {
      'an ID token': { typ: 'ID', aud: 'app-1', at_hash: 'x' },
      'an ID token for us': { typ: 'ID' },
      'a refresh token': { typ: 'Refresh', aud: issuer },
      'a refresh token for us': { typ: 'Refresh' },
      'an offline token': { typ: 'Offline' },
      'a logout token': { typ: 'Logout' },
      'without a type': { typ: undefined },
      'with the type in lower case': { typ: 'bearer' },
      'with the type as a list': { typ: ['Bearer'] },
      'with the default audience': { aud: 'account' },
      'with the default audience as a list': { aud: ['account'] },
      'without an audience': { aud: undefined },
      'of another client': { azp: 'app-2' },
      'without a client': { azp: undefined },
      "of another realm's issuer": { iss: issuer.replace('acme', 'other') },
      'of the master realm': { iss: issuer.replace('acme', 'master') },
    },
    okta: {
      'an ID token': { aud: 'app-1', scp: undefined, cid: undefined, uid: undefined, amr: ['pwd'] },
      'an ID token for us': { scp: undefined, cid: undefined },
      'of the org authorization server': { iss: origin, aud: origin },
      'of the org authorization server, for us': { iss: origin },
      'for another API': { aud: 'api://default' },
      'of an app without a user': { uid: undefined, sub: 'app-1' },
      'with scopes as a string': { scp: 'openid api' },
      'without a scope': { scp: undefined },
      'without a client': { cid: undefined },
      'with the client as a list': { cid: ['app-1'] },
      'with the user id as a list': { uid: ['x'] },
      'with an empty user id': { uid: '' },
    },
    'at+jwt': {
      'for another API': { aud: 'api-2' },
      'without an audience': { aud: undefined },
      'without a subject': { sub: '' },
    },
  };
  return shapes[preset];
}
