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
import { unauthorized, unavailable } from '../../platform/errors.ts';
import type { SafeFetch } from '../../platform/safe-fetch.ts';

export interface VerifiedToken {
  issuer: Issuer;
  /** Issued by a pool of our own. */
  isOwn: boolean;
  /** Its key has not been withdrawn since. */
  isKeyInForce(): boolean;
  subject: string;
  /** The `sub` itself, where another claim names the person. */
  rawSubject: string;
  issuedAt: number;
  expiresAt: number;
  tenantId: string | undefined;
  sessionId: string | undefined;
  /** When they proved who they are, where the issuer says so. */
  authenticatedAt: Date | null;
  /** The issuer says that they used a second factor: `mfa` in `amr` (RFC 8176), or an `acr` that the deployment names. */
  isMultiFactor: boolean;
  /** An address that the issuer vouches for. */
  verifiedEmail: string | undefined;
  name: string | undefined;
}

/** A pool of our own: its keys are at hand. */
export interface OwnIssuer {
  issuer: Issuer;
  keys: JWTVerifyGetKey;
  /** Of those in force now: a token that was verified before is worth no more than its key. */
  hasKey(kid: string | undefined): boolean;
}

/** An issuer speaks for people of the tenants that it is bound to, and of no other. */
export const reaches = ({ tenants = 'all' }: Issuer, tenantId: string): boolean =>
  tenants === 'all' || tenants.includes(tenantId);
export const mayVouchFor = ({ domains }: Issuer, email: string): boolean =>
  domains.length === 0 || domains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase());

export type VerifyToken = (token: string) => Promise<VerifiedToken>;

const refused = () => unauthorized('invalid_token', 'This access token is invalid or has expired. Sign in again.');

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
export function createVerifier(
  issuers: readonly Issuer[],
  fetchSafely: SafeFetch,
  own: readonly OwnIssuer[] = [],
): VerifyToken {
  type Trusted = OwnIssuer & { isOwn: boolean };
  const known = new Map<string, Trusted>();
  for (const issuer of issuers)
    known.set(issuer.issuer, { issuer, keys: keysOf(issuer, fetchSafely), hasKey: () => true, isOwn: false });
  for (const ours of own) known.set(ours.issuer.issuer, { ...ours, isOwn: true });

  return async (token) => {
    const trusted = known.get(issuerOf(token));
    if (!trusted) throw refused();
    const { issuer, keys, hasKey, isOwn } = trusted;
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      issuer: issuer.issuer,
      algorithms: issuer.algorithms,
      clockTolerance: 5,
      requiredClaims: ['sub', 'iat', 'exp'],
      ...(issuer.audience.length > 0 && { audience: issuer.audience }),
      ...(issuer.preset === 'at+jwt' && { typ: 'at+jwt' }),
    }).catch((error: unknown) => {
      throw isOutage(error)
        ? unavailable('issuer_unavailable', 'The issuer of this token is unavailable. Try again in a moment.', error)
        : refused();
    });

    const client = payload[clientClaim[issuer.preset]];
    const subject = wordOf(payload[subjectClaim[issuer.preset] ?? 'sub']);
    const isForUs = issuer.clientIds.length === 0 || (typeof client === 'string' && issuer.clientIds.includes(client));
    if (!isForUs || !isAccessToken[issuer.preset](payload) || subject === undefined || !isTimely(payload, isOwn))
      throw refused();
    const tenantClaim = issuer.tenantClaim ?? (isOwn ? 'tenant_id' : undefined);
    const { sid, auth_time: authTime, email, email_verified: isVerified, name } = payload;
    return {
      issuer,
      isOwn,
      isKeyInForce: () => hasKey(protectedHeader.kid),
      subject,
      rawSubject: payload.sub ?? '',
      issuedAt: Number(payload.iat),
      expiresAt: Number(payload.exp),
      // Only our own pools, or an issuer that the deployment says so of, may choose among somebody's tenants.
      tenantId: tenantClaim === undefined ? undefined : textOf(payload[tenantClaim]),
      sessionId: typeof sid === 'string' && isSessionId.test(sid) ? sid : undefined,
      authenticatedAt: typeof authTime === 'number' ? new Date(authTime * 1_000) : null,
      isMultiFactor:
        (Array.isArray(payload['amr']) && payload['amr'].includes('mfa')) ||
        issuer.mfaAcrValues.some((value) => value === payload['acr']),
      verifiedEmail: isVerified === true ? wordOf(email) : undefined,
      name: wordOf(name),
    };
  };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const isSessionId = /^ses_[0-9a-z]{26}$/;

/** Text that can be a name or an id. PostgreSQL has no word for a zero byte, and nobody is called so. */
const wordOf = (value: unknown): string | undefined =>
  // oxlint-disable-next-line no-control-regex -- those are what is meant
  typeof value === 'string' && /^[^\u0000-\u001f]{1,255}$/.test(value) ? value : undefined;

/** A token of tomorrow would outlive whatever ends today's; and ours never live an hour. */
function isTimely({ iat = 0, exp = 0 }: JWTPayload, isOwn: boolean): boolean {
  return iat <= Date.now() / 1_000 + 5 && (!isOwn || exp - iat <= 3_600);
}

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
  error instanceof errors.JWKSInvalid ||
  /^(Expected 200 OK|Failed to parse)/.test(error.message);
