import { createRemoteJWKSet, customFetch, decodeJwt, errors, jwtVerify, type JWTPayload } from 'jose';
import type { Issuer } from '../../platform/config.ts';
import { unauthorized, unavailable } from '../../platform/errors.ts';
import type { SafeFetch } from '../../platform/safe-fetch.ts';

export interface VerifiedToken {
  issuer: Issuer;
  subject: string;
  issuedAt: number;
  expiresAt: number;
  tenantId: string | undefined;
}

export type VerifyToken = (token: string) => Promise<VerifiedToken>;

const refused = () =>
  unauthorized('invalid_token', 'This access token is not valid here, or has expired. Sign in again.');

/** What makes a payload an access token, and not an ID token, by the habits of each issuer. */
const isAccessToken: Record<Issuer['preset'], (payload: JWTPayload) => boolean> = {
  'at+jwt': () => true, // its header says so, which is checked with the signature
  cognito: (payload) => payload['token_use'] === 'access',
  entra: (payload) => payload['ver'] === '2.0' && typeof payload['scp'] === 'string',
  keycloak: (payload) => payload['typ'] === 'Bearer',
  okta: (payload) => Array.isArray(payload['scp']) && typeof payload['cid'] === 'string',
};
const subjectClaim: Partial<Record<Issuer['preset'], string>> = { entra: 'oid', okta: 'uid' };
const clientClaim: Record<Issuer['preset'], string> = {
  'at+jwt': 'client_id',
  cognito: 'client_id',
  entra: 'azp',
  keycloak: 'azp',
  okta: 'cid',
};

/**
 * One authorizer for all issuers: exact issuer, its own keys, an allow-list of algorithms, audience or client, and proof
 * that it is an access token. Keys are fetched through the guarded client; headers of a token never say where from.
 */
export function createVerifier(issuers: readonly Issuer[], fetchSafely: SafeFetch): VerifyToken {
  const known = new Map(issuers.map((issuer) => [issuer.issuer, { issuer, keys: keysOf(issuer, fetchSafely) }]));
  return async (token) => {
    const trusted = known.get(issuerOf(token));
    if (!trusted) throw refused();
    const { issuer, keys } = trusted;
    const { payload } = await jwtVerify(token, keys, {
      issuer: issuer.issuer,
      algorithms: issuer.algorithms,
      clockTolerance: 5,
      requiredClaims: ['sub', 'iat', 'exp'],
      ...(issuer.audience.length > 0 && { audience: issuer.audience }),
      ...(issuer.preset === 'at+jwt' && { typ: 'at+jwt' }),
    }).catch((error: unknown) => {
      throw isOutage(error)
        ? unavailable('issuer_unavailable', 'We cannot reach the issuer of this token. Try again in a moment.', error)
        : refused();
    });

    const client = payload[clientClaim[issuer.preset]];
    const subject = payload[subjectClaim[issuer.preset] ?? 'sub'];
    const isForUs = issuer.clientIds.length === 0 || (typeof client === 'string' && issuer.clientIds.includes(client));
    if (!isForUs || !isAccessToken[issuer.preset](payload) || typeof subject !== 'string' || subject === '')
      throw refused();
    const tenantId = payload[issuer.tenantClaim ?? 'tenant_id'];
    return {
      issuer,
      subject,
      issuedAt: Number(payload.iat),
      expiresAt: Number(payload.exp),
      tenantId: typeof tenantId === 'string' && isTenantSaid(issuer) ? tenantId : undefined,
    };
  };
}

/** Only our own pools, or an issuer that the deployment says so of, may choose among somebody's tenants. */
const isTenantSaid = (issuer: Issuer) => issuer.preset === 'at+jwt' || issuer.tenantClaim !== undefined;

const issuerOf = (token: string): string => {
  try {
    return decodeJwt(token).iss ?? '';
  } catch {
    throw refused();
  }
};

const keysOf = ({ jwksUrl }: Issuer, fetchSafely: SafeFetch) =>
  createRemoteJWKSet(new URL(jwksUrl), {
    cooldownDuration: 30_000,
    cacheMaxAge: 600_000,
    [customFetch]: async (url) => {
      const { status, body } = await fetchSafely({ url, maxBytes: 256 * 1024 });
      return new Response(new Uint8Array(body), { status });
    },
  });

/** The token may be good: we could not look. Everything else that jose throws is about the token. */
const isOutage = (error: unknown) =>
  !(error instanceof errors.JOSEError) ||
  error instanceof errors.JWKSTimeout ||
  error.message.startsWith('Expected 200 OK');
