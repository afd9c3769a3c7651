import { LRUCache } from 'lru-cache';
import { sql } from 'kysely';
import { z } from 'zod';
import { asSystem, inTenant, type Services } from '../../platform/context.ts';
import { AppError, unauthorized, unavailable } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { SafeFetch } from '../../platform/safe-fetch.ts';
import { acceptInvitation, findInvitationsFor } from '../members/index.ts';
import { domainNotAllowed } from '../policies/index.ts';
import { mayVouchFor, reaches, type VerifiedToken } from './token.ts';
import type { JoinByInvitation } from './users.auth.ts';
import { findUser, type KnownUser } from './users.store.ts';

const UserInfo = z.object({
  sub: z.string(),
  email: z.email(),
  email_verified: z.literal(true),
  name: z.string().optional(),
});

/**
 * Somebody of an organisation's own issuer becomes a member on their first visit: only if they were invited to a tenant that
 * the issuer is bound to, and only if it vouches for the address that was. Nothing else in a token makes anybody a member
 * of anything, and an address alone opens no account that is there already.
 */
export function joinByInvitation(services: Services, fetchSafely: SafeFetch): JoinByInvitation {
  // Whoever is not let in asks again with every request; they are looked up every few seconds.
  const refused = new LRUCache<string, 'not invited' | 'account exists' | 'domain not allowed'>({
    max: 10_000,
    ttl: 4_000,
  });

  return async (token, bearer, known) => {
    const { issuer, subject } = token;
    const name = JSON.stringify([issuer.issuer, subject]);
    const before = refused.get(name);
    if (before === 'account exists') throw accountExists();
    if (before === 'domain not allowed') throw domainNotAllowed();
    if (before) return false;
    const person = await vouchedFor(token, bearer, fetchSafely);
    const invited =
      person && mayVouchFor(issuer, person.email) ? await findInvitationsFor(services.db, person.email) : [];
    const invitations = invited.filter(({ tenantId }) => reaches(issuer, tenantId));
    if (!person || invitations.length === 0) {
      if (await hasJoinedSince(services, token, known)) return true;
      refused.set(name, 'not invited');
      return false;
    }
    const { rows } = await sql<{ userId: string | null; hasAccount: boolean }>`
      select * from directory.join_by_identity(${issuer.pool}, ${issuer.issuer}, ${subject},
        ${newId('user')}, ${person.email}, ${person.name ?? person.email})`.execute(services.db);
    const { userId = null, hasAccount = false } = rows[0] ?? {};
    if (hasAccount) {
      refused.set(name, 'account exists');
      throw accountExists();
    }
    if (userId === null) return false; // they are disabled
    const joined = await Promise.allSettled(
      invitations.map(({ tenantId, invitationId }) =>
        inTenant(services, { ...asSystem(tenantId, 'sign-in'), actor: { type: 'user', id: userId } }, (ctx) =>
          acceptInvitation(ctx, invitationId, userId),
        ),
      ),
    );
    // Revoked, or taken up by a request beside this one: no reason to turn them away.
    for (const one of joined) if (one.status === 'rejected' && !isRefusal(one.reason)) throw one.reason;
    if (joined.every((one) => one.status === 'rejected' && isDomainRefusal(one.reason))) {
      refused.set(name, 'domain not allowed');
      throw domainNotAllowed();
    }
    return true;
  };
}

/** By a request beside this one, which took up the invitation that this one looked for. */
async function hasJoinedSince(services: Services, { issuer, subject }: VerifiedToken, known: KnownUser | undefined) {
  const now = await findUser(services.db, issuer.issuer, subject);
  return (now?.tenantIds.length ?? 0) > (known?.tenantIds.length ?? 0);
}

const accountExists = () =>
  unauthorized(
    'account_exists',
    'This email address already has an account. Sign in to it, then link this identity with POST /me/identities.',
  );

const isDomainRefusal = (thrown: unknown) => thrown instanceof AppError && thrown.reason === 'email_domain_not_allowed';

const isRefusal = (thrown: unknown) => thrown instanceof AppError && thrown.status < 500;

/** The address that the issuer vouches for: in the token, or asked for with it. */
async function vouchedFor(token: VerifiedToken, bearer: string, fetchSafely: SafeFetch) {
  const { issuer, verifiedEmail, name, subject, rawSubject } = token;
  if (verifiedEmail !== undefined) return { email: verifiedEmail, name };
  if (!issuer.userinfoUrl) return undefined;
  const headers = { authorization: `Bearer ${bearer}` };
  const { status, body } = await fetchSafely({ url: issuer.userinfoUrl, headers, maxBytes: 64 * 1024 }).catch(
    (error: unknown) => {
      throw unavailable('issuer_unavailable', 'The issuer of this token is unavailable. Try again in a moment.', error);
    },
  );
  const said = UserInfo.safeParse(status === 200 ? readJson(body) : undefined);
  // It must speak of the same person (OpenID Connect Core, 5.3.2), by the one name or the other that the issuer has for them.
  const isSame = said.success && [rawSubject, subject].includes(said.data.sub);
  return isSame ? { email: said.data.email, name: said.data.name } : undefined;
}

function readJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch {
    return undefined;
  }
}
