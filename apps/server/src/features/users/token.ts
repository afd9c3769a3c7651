import {
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose';
import type { Issuer } from '../../platform/config.ts';
import { InvalidCredential, unauthorized, unavailable } from '../../platform/errors.ts';
import type { SafeFetch } from '../../platform/safe-fetch.ts';

export interface VerifiedToken {
  issuer: Issuer;
  /** Issued by a built-in pool. */
  isOwn: boolean;
  /** False once the signing key has been revoked. */
  isKeyValid(): boolean;
  subject: string;
  /** The `sub` claim, if `subject` comes from another claim. */
  rawSubject: string;
  issuedAt: number;
  expiresAt: number;
  tenantId: string | undefined;
  sessionId: string | undefined;
  /** From `auth_time`, if the issuer sends it. */
  authenticatedAt: Date | null;
  /** Signed in with two factors, by `mfa` in `amr` (RFC 8176) or an `acr` that the deployment configures. */
  isMultiFactor: boolean;
  /** The email address, if the issuer has verified it. */
  verifiedEmail: string | undefined;
  name: string | undefined;
}

/** A built-in pool, whose keys need not be fetched. */
export interface OwnIssuer {
  issuer: Issuer;
  keys: JWTVerifyGetKey;
  /** Whether the key is still valid. Cached tokens become invalid with their key. */
  hasKey(kid: string | undefined): boolean;
}

/** An issuer is trusted only for the tenants that it is configured for. */
export const isTrustedForTenant = ({ tenants = 'all' }: Issuer, tenantId: string): boolean =>
  tenants === 'all' || tenants.includes(tenantId);
export const isTrustedForEmail = ({ domains }: Issuer, email: string): boolean =>
  domains.length === 0 || domains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase());

export type VerifyToken = (token: string) => Promise<VerifiedToken>;

const explanation = 'This access token is invalid or has expired. Sign in again.';
const invalidToken = () => new InvalidCredential('invalid_token', explanation);
/** The same for the caller, but not counted as a failed authentication: the signature was verified first. */
const expiredToken = () => unauthorized('invalid_token', explanation);

/** How each kind of issuer distinguishes access tokens from ID tokens. */
const isAccessToken: Record<Issuer['preset'], (payload: JWTPayload) => boolean> = {
  'at+jwt': () => true, // `jwtVerify` checks the `typ` header
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
 * Verifies tokens of all issuers: exact issuer, its keys, an allow-list of algorithms, the audience or client, and the
 * token type. Keys are fetched with the SSRF-safe client, and never from a URL in the token.
 */
export function createVerifier(
  issuers: readonly Issuer[],
  fetchSafely: SafeFetch,
  own: readonly OwnIssuer[] = [],
): VerifyToken {
  type TrustedIssuer = OwnIssuer & { isOwn: boolean };
  const trustedIssuers = new Map<string, TrustedIssuer>();
  for (const issuer of issuers)
    trustedIssuers.set(issuer.issuer, { issuer, keys: keysOf(issuer, fetchSafely), hasKey: () => true, isOwn: false });
  for (const ownIssuer of own) trustedIssuers.set(ownIssuer.issuer.issuer, { ...ownIssuer, isOwn: true });

  return async (token) => {
    const trustedIssuer = trustedIssuers.get(issuerOf(token));
    if (!trustedIssuer) throw invalidToken();
    const { issuer, keys, hasKey, isOwn } = trustedIssuer;
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      issuer: issuer.issuer,
      algorithms: issuer.algorithms,
      clockTolerance: 5,
      requiredClaims: ['sub', 'iat', 'exp'],
      ...(issuer.audience.length > 0 && { audience: issuer.audience }),
      ...(issuer.preset === 'at+jwt' && { typ: 'at+jwt' }),
    }).catch((error: unknown) => {
      if (error instanceof errors.JWTExpired) throw expiredToken();
      throw isOutage(error)
        ? unavailable('issuer_unavailable', 'The issuer of this token is unavailable. Try again in a moment.', error)
        : invalidToken();
    });

    const client = payload[clientClaim[issuer.preset]];
    const subject = shortTextOf(payload[subjectClaim[issuer.preset] ?? 'sub']);
    const isForUs = issuer.clientIds.length === 0 || (typeof client === 'string' && issuer.clientIds.includes(client));
    if (!isForUs || !isAccessToken[issuer.preset](payload) || subject === undefined || !hasValidTimes(payload, isOwn))
      throw invalidToken();
    const tenantClaim = issuer.tenantClaim ?? (isOwn ? 'tenant_id' : undefined);
    const { sid, auth_time: authTime, email, email_verified: isVerified, name } = payload;
    return {
      issuer,
      isOwn,
      isKeyValid: () => hasKey(protectedHeader.kid),
      subject,
      rawSubject: payload.sub ?? '',
      issuedAt: Number(payload.iat),
      expiresAt: Number(payload.exp),
      // Only built-in pools, and issuers with a configured tenant claim, may select the tenant.
      tenantId: tenantClaim === undefined ? undefined : textOf(payload[tenantClaim]),
      sessionId: typeof sid === 'string' && isSessionId.test(sid) ? sid : undefined,
      authenticatedAt: typeof authTime === 'number' ? new Date(authTime * 1_000) : null,
      isMultiFactor:
        (Array.isArray(payload['amr']) && payload['amr'].includes('mfa')) ||
        issuer.mfaAcrValues.some((value) => value === payload['acr']),
      verifiedEmail: isVerified === true ? shortTextOf(email) : undefined,
      name: shortTextOf(name),
    };
  };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const isSessionId = /^ses_[0-9a-z]{26}$/;

/** Text that can be a name or an id. PostgreSQL cannot store null bytes. */
const shortTextOf = (value: unknown): string | undefined =>
  // oxlint-disable-next-line no-control-regex -- control characters are matched on purpose
  typeof value === 'string' && /^[^\u0000-\u001f]{1,255}$/.test(value) ? value : undefined;

/** Rejects tokens issued in the future, and own tokens valid for more than an hour, because revocation relies on both. */
function hasValidTimes({ iat = 0, exp = 0 }: JWTPayload, isOwn: boolean): boolean {
  return iat <= Date.now() / 1_000 + 5 && (!isOwn || exp - iat <= 3_600);
}

const issuerOf = (token: string): string => {
  try {
    return decodeJwt(token).iss ?? '';
  } catch {
    throw invalidToken();
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

/** The keys could not be fetched, so the token may be valid. All other errors from jose are about the token. */
const isOutage = (error: unknown) =>
  !(error instanceof errors.JOSEError) ||
  error instanceof errors.JWKSTimeout ||
  error instanceof errors.JWKSInvalid ||
  /^(Expected 200 OK|Failed to parse)/.test(error.message);
