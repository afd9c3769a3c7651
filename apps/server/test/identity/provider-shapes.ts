import type { Claims } from './jws.ts';
import type { Provider } from './providers.ts';

/** What a provider also gives out, or gives to others, and what differs in it from an access token for us. */
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
      'of no use': { token_use: undefined },
      'to refresh with': { token_use: 'refresh' },
      'of several uses': { token_use: ['access'] },
      "another client's": { client_id: 'app-2' },
      'of no client': { client_id: undefined },
      'of no client, for one': { client_id: undefined, aud: 'app-1', azp: 'app-1' },
      'of several clients': { client_id: ['app-1'] },
      'of another case': { client_id: 'APP-1' },
      "of another pool's issuer": { iss: issuer.replace('Abc', 'Xyz') },
      'of no subject': { sub: undefined },
    },
    entra: {
      'an ID token': { aud: 'app-1', scp: undefined, nonce: 'n' },
      'an ID token for us': { scp: undefined, nonce: 'n' },
      'of version 1': { ver: '1.0' },
      'of version 1, as such issued': {
        ver: '1.0',
        iss: 'https://sts.windows.net/6f1c2a3b-0000-4000-8000-000000000001/',
      },
      'of version 2 as a number': { ver: 2 },
      'of no version': { ver: undefined },
      'of a program, not of a person': { scp: undefined, roles: ['Api.All'], idtyp: 'app' },
      'with scopes in a list': { scp: ['access_as_user'] },
      "for Microsoft's own API": { aud: '00000003-0000-0000-c000-000000000000' },
      'for our address': { aud: 'api://api-1' },
      'of no object': { oid: undefined },
      'of an empty object': { oid: '' },
      'of several objects': { oid: ['x'] },
      "of another tenant's issuer": { iss: issuer.replace('6f1c', '7f1c') },
      'of the issuer of everybody': { iss: issuer.replace(/\/[^/]+\/v2/, '/common/v2') },
    },
    keycloak: {
      'an ID token': { typ: 'ID', aud: 'app-1', at_hash: 'x' },
      'an ID token for us': { typ: 'ID' },
      'to refresh with': { typ: 'Refresh', aud: issuer },
      'to refresh with, for us': { typ: 'Refresh' },
      'to refresh with, offline': { typ: 'Offline' },
      'to log out with': { typ: 'Logout' },
      'of no type': { typ: undefined },
      'of a type in lower case': { typ: 'bearer' },
      'of several types': { typ: ['Bearer'] },
      'of the audience it has by default': { aud: 'account' },
      'of that audience in a list': { aud: ['account'] },
      'of no audience': { aud: undefined },
      "another client's": { azp: 'app-2' },
      'of no client': { azp: undefined },
      "of another realm's issuer": { iss: issuer.replace('acme', 'other') },
      'of the master realm': { iss: issuer.replace('acme', 'master') },
    },
    okta: {
      'an ID token': { aud: 'app-1', scp: undefined, cid: undefined, uid: undefined, amr: ['pwd'] },
      'an ID token for us': { scp: undefined, cid: undefined },
      "of the organisation's server": { iss: origin, aud: origin },
      "of the organisation's server, for us": { iss: origin },
      'for another API': { aud: 'api://default' },
      'of a program, not of a person': { uid: undefined, sub: 'app-1' },
      'with scopes in a text': { scp: 'openid api' },
      'of no scope': { scp: undefined },
      'of no client': { cid: undefined },
      'of several clients': { cid: ['app-1'] },
      'of several people': { uid: ['x'] },
      'of an empty person': { uid: '' },
    },
    'at+jwt': {
      'for another API': { aud: 'api-2' },
      'of no audience': { aud: undefined },
      'of no subject': { sub: '' },
    },
  };
  return shapes[preset];
}
