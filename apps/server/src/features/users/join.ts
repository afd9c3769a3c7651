import { LRUCache } from 'lru-cache';
import { sql } from 'kysely';
import { z } from 'zod';
import { asSystem, inTenant, type Ground } from '../../platform/context.ts';
import { AppError, unavailable } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { SafeFetch } from '../../platform/safe-fetch.ts';
import { acceptInvitation, findInvitationsFor } from '../members/index.ts';
import type { VerifiedToken } from './token.ts';
import type { JoinByInvitation } from './users.auth.ts';

const UserInfo = z.object({
  sub: z.string(),
  email: z.email(),
  email_verified: z.literal(true),
  name: z.string().optional(),
});

/**
 * Somebody of an organisation's own issuer becomes a member on their first visit: only if they were invited, and only if
 * the issuer vouches for the address that was. Nothing else in a token makes anybody a member of anything.
 */
export function joinByInvitation(ground: Ground, fetchSafely: SafeFetch): JoinByInvitation {
  // Whoever is not invited asks again with every request; they are looked up every few seconds.
  const refused = new LRUCache<string, true>({ max: 10_000, ttl: 4_000 });

  return async (token, bearer) => {
    const { issuer, subject } = token;
    const name = JSON.stringify([issuer.issuer, subject]);
    if (refused.has(name)) return false;
    const person = await vouchedFor(token, bearer, fetchSafely);
    const invitations = person ? await findInvitationsFor(ground.db, person.email) : [];
    if (!person || invitations.length === 0) {
      refused.set(name, true);
      return false;
    }
    const call = sql<{
      userId: string | null;
    }>`select directory.link_identity(${issuer.pool}, ${issuer.issuer}, ${subject},
      ${newId('user')}, ${person.email}, ${person.name ?? person.email}) as user_id`;
    const userId = (await call.execute(ground.db)).rows[0]?.userId;
    if (!userId) return false; // that address belongs to somebody who is locked out
    const joined = await Promise.allSettled(
      invitations.map(({ tenantId, invitationId }) =>
        inTenant(ground, { ...asSystem(tenantId, 'sign-in'), actor: { type: 'user', id: userId } }, (ctx) =>
          acceptInvitation(ctx, invitationId, userId),
        ),
      ),
    );
    // Revoked, or taken up by a request beside this one: no reason to turn them away.
    for (const one of joined) if (one.status === 'rejected' && !isRefusal(one.reason)) throw one.reason;
    return true;
  };
}

const isRefusal = (thrown: unknown) => thrown instanceof AppError && thrown.status < 500;

/** The address that the issuer vouches for: in the token, or asked for with it. */
async function vouchedFor(token: VerifiedToken, bearer: string, fetchSafely: SafeFetch) {
  const { issuer, verifiedEmail, name, subject, rawSubject } = token;
  if (verifiedEmail !== undefined) return { email: verifiedEmail, name };
  if (!issuer.userinfoUrl) return undefined;
  const headers = { authorization: `Bearer ${bearer}` };
  const { status, body } = await fetchSafely({ url: issuer.userinfoUrl, headers, maxBytes: 64 * 1024 }).catch(
    (error: unknown) => {
      throw unavailable(
        'issuer_unavailable',
        'We cannot reach the issuer of this token. Try again in a moment.',
        error,
      );
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
