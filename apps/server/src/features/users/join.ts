import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { asSystem, inTenant, type Services } from '../../platform/context.ts';
import { AppError, unauthorized, unavailable } from '../../platform/errors.ts';
import type { SafeFetch } from '../../platform/safe-fetch.ts';
import { acceptInvitation, findInvitationsFor } from '../members/index.ts';
import { domainNotAllowed } from '../policies/index.ts';
import { isTrustedForEmail, isTrustedForTenant, type VerifiedToken } from './token.ts';
import type { JoinByInvitation } from './users.auth.ts';
import { findUser, joinByIdentity, type KnownUser } from './users.store.ts';

const UserInfo = z.object({
  sub: z.string(),
  email: z.email(),
  email_verified: z.literal(true),
  name: z.string().optional(),
});

/**
 * Makes a person from an external issuer a member on their first request, but only if they were invited to a tenant that
 * the issuer is configured for, and the issuer has verified the invited email address. Nothing else in a token grants a
 * membership, and an email address alone never gives access to an existing account.
 */
export function joinByInvitation(services: Services, fetchSafely: SafeFetch): JoinByInvitation {
  // A refused person retries with every request, so refusals are cached for a few seconds.
  const refusals = new LRUCache<string, 'not invited' | 'account exists' | 'domain not allowed'>({
    max: 10_000,
    ttl: 4_000,
  });

  return async (token, bearer, cachedUser) => {
    const { issuer, subject } = token;
    const name = JSON.stringify([issuer.issuer, subject]);
    const refusal = refusals.get(name);
    if (refusal === 'account exists') throw accountExists();
    if (refusal === 'domain not allowed') throw domainNotAllowed();
    if (refusal) return false;
    const person = await findVerifiedPerson(token, bearer, fetchSafely);
    const invited =
      person && isTrustedForEmail(issuer, person.email) ? await findInvitationsFor(services.db, person.email) : [];
    const invitations = invited.filter(({ tenantId }) => isTrustedForTenant(issuer, tenantId));
    if (!person || invitations.length === 0) {
      if (await hasJoinedSince(services, token, cachedUser)) return true;
      refusals.set(name, 'not invited');
      return false;
    }
    const { userId, hasAccount } = await joinByIdentity(services.db, { ...issuer, subject }, person);
    if (hasAccount) {
      refusals.set(name, 'account exists');
      throw accountExists();
    }
    if (userId === null) return false; // the account is disabled
    const results = await Promise.allSettled(
      invitations.map(({ tenantId, invitationId }) =>
        inTenant(services, { ...asSystem(tenantId, 'sign-in'), actor: { type: 'user', id: userId } }, (ctx) =>
          acceptInvitation(ctx, invitationId, userId),
        ),
      ),
    );
    // Revoked, or accepted by a concurrent request: not a reason to refuse.
    for (const result of results) if (result.status === 'rejected' && !isRefusal(result.reason)) throw result.reason;
    if (results.every((result) => result.status === 'rejected' && isDomainRefusal(result.reason))) {
      refusals.set(name, 'domain not allowed');
      throw domainNotAllowed();
    }
    return true;
  };
}

/** A concurrent request may have accepted the invitation that this one looked for. */
async function hasJoinedSince(
  services: Services,
  { issuer, subject }: VerifiedToken,
  cachedUser: KnownUser | undefined,
) {
  const now = await findUser(services.db, issuer.issuer, subject);
  return (now?.tenantIds.length ?? 0) > (cachedUser?.tenantIds.length ?? 0);
}

const accountExists = () =>
  unauthorized(
    'account_exists',
    'This email address already has an account. Sign in to it, then link this identity with POST /me/identities.',
  );

const isDomainRefusal = (error: unknown) => error instanceof AppError && error.reason === 'email_domain_not_allowed';

const isRefusal = (error: unknown) => error instanceof AppError && error.status < 500;

/** The person with the email address that the issuer has verified, from the token or the userinfo endpoint. */
async function findVerifiedPerson(token: VerifiedToken, bearer: string, fetchSafely: SafeFetch) {
  const { issuer, verifiedEmail, name, subject, rawSubject } = token;
  if (verifiedEmail !== undefined) return { email: verifiedEmail, name };
  if (!issuer.userinfoUrl) return undefined;
  const headers = { authorization: `Bearer ${bearer}` };
  const { status, body } = await fetchSafely({ url: issuer.userinfoUrl, headers, maxBytes: 64 * 1024 }).catch(
    (error: unknown) => {
      throw unavailable('issuer_unavailable', 'The issuer of this token is unavailable. Try again in a moment.', error);
    },
  );
  const userInfo = UserInfo.safeParse(status === 200 ? readJson(body) : undefined);
  // The subject must match (OpenID Connect Core, 5.3.2), by either of the identifiers that the issuer uses for the person.
  const isSame = userInfo.success && [rawSubject, subject].includes(userInfo.data.sub);
  return isSame ? { email: userInfo.data.email, name: userInfo.data.name } : undefined;
}

function readJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch {
    return undefined;
  }
}
