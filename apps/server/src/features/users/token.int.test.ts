import { afterAll, expect, test } from 'vitest';
import { startIssuer } from '../../../test/issuer.ts';
import { Issuer } from '../../platform/config.ts';
import { createSafeFetch } from '../../platform/safe-fetch.ts';
import { createVerifier } from './token.ts';

// Tokens as documented by the vendors. Not tested against live tenants of Cognito, Entra, Keycloak and Okta.
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
])('accepts an access token from %s and reads its subject', async (_name, config, claims, subject) => {
  const { verify, sign } = await trust(config);
  expect(await verify(await sign(claims, plain))).toMatchObject({ subject, tenantId: undefined });
});

test.each([
  [
    'an ID token from Cognito',
    { preset: 'cognito', audience: [], clientIds: ['app-1'] },
    { ...noAudience, sub: 'u1', client_id: 'app-1', token_use: 'id' },
  ],
  [
    "another app's token from Cognito",
    { preset: 'cognito', audience: [], clientIds: ['app-1'] },
    { ...noAudience, sub: 'u1', client_id: 'app-2', token_use: 'access' },
  ],
  [
    'a token from Cognito without a client',
    { preset: 'cognito', audience: [], clientIds: ['app-1'] },
    { ...noAudience, sub: 'u1', token_use: 'access' },
  ],
  ['a v1 token from Entra', { preset: 'entra' }, { oid: 'u1', sub: 'x', ver: '1.0', scp: 'api' }],
  ['a token from Entra without a scope', { preset: 'entra' }, { oid: 'u1', sub: 'x', ver: '2.0' }],
  ['a token from Entra without an object id', { preset: 'entra' }, { sub: 'x', ver: '2.0', scp: 'api' }],
  ['an ID token from Keycloak', { preset: 'keycloak' }, { sub: 'u1', typ: 'ID' }],
  ["Keycloak's default audience", { preset: 'keycloak' }, { sub: 'u1', typ: 'Bearer', aud: 'account' }],
  ['a token from Okta without a client', { preset: 'okta' }, { uid: 'u1', sub: 'x', scp: ['api'] }],
  ['a token without an issue time', {}, { sub: 'u1', iat: undefined }],
  ['a token without an expiry', {}, { sub: 'u1', exp: undefined }],
  ['a token without a subject', {}, {}],
])('refuses %s', async (_name, config, claims) => {
  const { verify, sign } = await trust(config);
  const header = 'preset' in config ? plain : {};
  await expect(verify(await sign(claims, header))).rejects.toMatchObject({
    code: 'UNAUTHORIZED',
    reason: 'invalid_token',
  });
});

test('fetches keys only from the configured URL, not from one in the token', async () => {
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

test('returns 503 instead of 401 when the issuer is unavailable', async () => {
  const { verify, sign, issuer } = await trust({});
  const token = await sign({ sub: 'u1' });
  issuer.close();
  await expect(verify(token)).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'issuer_unavailable' });
});

test('reads the tenant from an external token only if a tenant claim is configured', async () => {
  const claims = { sub: 'u1', typ: 'Bearer', org: 'ten_x', tenant_id: 'ten_y' };
  const withoutClaim = await trust({ preset: 'keycloak', tenantClaim: undefined });
  expect((await withoutClaim.verify(await withoutClaim.sign(claims, plain))).tenantId).toBeUndefined();
  const withClaim = await trust({ preset: 'keycloak', tenantClaim: 'org' });
  expect((await withClaim.verify(await withClaim.sign(claims, plain))).tenantId).toBe('ten_x');
});
