import { afterAll, expect, test } from 'vitest';
import { startIssuer } from '../../../test/issuer.ts';
import { Issuer } from '../../platform/config.ts';
import { createSafeFetch } from '../../platform/safe-fetch.ts';
import { createVerifier } from './token.ts';

// Tokens of the shapes that the makers document. Live ones of Cognito, Entra, Keycloak and Okta were not to be had here.
const opened: { close(): unknown }[] = [];
afterAll(() => opened.forEach((one) => one.close()));

async function trust(overrides: Record<string, unknown>) {
  const issuer = await startIssuer('customer', overrides);
  const safeFetch = createSafeFetch({ openHosts: [issuer.host], ownHosts: [] });
  opened.push(issuer, safeFetch);
  const verify = createVerifier([Issuer.parse(issuer.config)], safeFetch);
  return { verify, sign: issuer.sign, issuer };
}
const plain = { typ: 'JWT' };
const noAudience = { aud: undefined };

test.each([
  [
    'cognito',
    { preset: 'cognito', audience: [], clientIds: ['app-1'] },
    { ...noAudience, sub: 'u1', client_id: 'app-1', token_use: 'access' },
    'u1',
  ],
  ['entra', { preset: 'entra' }, { sub: 'pairwise', oid: 'u1', ver: '2.0', scp: 'api' }, 'u1'],
  ['keycloak', { preset: 'keycloak' }, { sub: 'u1', typ: 'Bearer', azp: 'app-1' }, 'u1'],
  ['okta', { preset: 'okta' }, { sub: 'u1@example.com', uid: 'u1', cid: 'app-1', scp: ['api'] }, 'u1'],
])('an access token as %s makes it is accepted, and names its subject', async (_name, config, claims, subject) => {
  const { verify, sign } = await trust(config);
  expect(await verify(await sign(claims, plain))).toMatchObject({ subject, tenantId: undefined });
});

test.each([
  [
    'an ID token of Cognito',
    { preset: 'cognito', audience: [], clientIds: ['app-1'] },
    { ...noAudience, sub: 'u1', client_id: 'app-1', token_use: 'id' },
  ],
  [
    "another app's token of Cognito",
    { preset: 'cognito', audience: [], clientIds: ['app-1'] },
    { ...noAudience, sub: 'u1', client_id: 'app-2', token_use: 'access' },
  ],
  [
    'a token of Cognito without a client',
    { preset: 'cognito', audience: [], clientIds: ['app-1'] },
    { ...noAudience, sub: 'u1', token_use: 'access' },
  ],
  ['a v1 token of Entra', { preset: 'entra' }, { oid: 'u1', sub: 'x', ver: '1.0', scp: 'api' }],
  ['a token of Entra without a scope', { preset: 'entra' }, { oid: 'u1', sub: 'x', ver: '2.0' }],
  ['a token of Entra without an object id', { preset: 'entra' }, { sub: 'x', ver: '2.0', scp: 'api' }],
  ['an ID token of Keycloak', { preset: 'keycloak' }, { sub: 'u1', typ: 'ID' }],
  ["Keycloak's default audience", { preset: 'keycloak' }, { sub: 'u1', typ: 'Bearer', aud: 'account' }],
  ['a token of Okta without a client', { preset: 'okta' }, { uid: 'u1', sub: 'x', scp: ['api'] }],
  ['a token without an issue time', {}, { sub: 'u1', iat: undefined }],
  ['a token without an end', {}, { sub: 'u1', exp: undefined }],
  ['a token without a subject', {}, {}],
])('%s is refused', async (_name, config, claims) => {
  const { verify, sign } = await trust(config);
  const header = 'preset' in config ? plain : {};
  await expect(verify(await sign(claims, header))).rejects.toMatchObject({
    code: 'UNAUTHORIZED',
    reason: 'invalid_token',
  });
});

test('keys come from the configured address only: a token cannot say where to look', async () => {
  const { verify, issuer } = await trust({});
  const other = await startIssuer('customer');
  opened.push(other);
  const fetchedBefore = other.fetched();
  const { jwk } = other;
  for (const header of [{ jku: other.config.jwksUrl }, { jwk }, { x5u: other.config.jwksUrl }]) {
    await expect(verify(await other.sign({ sub: 'u1', iss: issuer.issuer }, header))).rejects.toMatchObject({
      reason: 'invalid_token',
    });
  }
  expect(other.fetched()).toBe(fetchedBefore);
});

test('503, not 401, when the issuer cannot be reached: the token may be good', async () => {
  const { verify, sign, issuer } = await trust({});
  const token = await sign({ sub: 'u1' });
  issuer.close();
  await expect(verify(token)).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'issuer_unavailable' });
});

test('a tenant named by an external issuer counts only where the deployment says so', async () => {
  const claims = { sub: 'u1', typ: 'Bearer', org: 'ten_x', tenant_id: 'ten_y' };
  const silent = await trust({ preset: 'keycloak', tenantClaim: undefined });
  expect((await silent.verify(await silent.sign(claims, plain))).tenantId).toBeUndefined();
  const said = await trust({ preset: 'keycloak', tenantClaim: 'org' });
  expect((await said.verify(await said.sign(claims, plain))).tenantId).toBe('ten_x');
});
