import type { Caller, Session } from './context.ts';
import { forbidden, unauthorized, type AppError } from './errors.ts';
import { isWithin, type IpRanges } from './ip-ranges.ts';

/** What a tenant's owners require of members and server keys, in the form that every request checks. */
export interface AccessPolicies {
  requireTwoFactor: boolean;
  maxSessionMs: number | null;
  /** null: any IP address. */
  memberIps: IpRanges | null;
  serverKeyIps: IpRanges | null;
}

export const noPolicies: AccessPolicies = {
  requireTwoFactor: false,
  maxSessionMs: null,
  memberIps: null,
  serverKeyIps: null,
};

/**
 * The error for a caller who violates a policy, or null. Does not apply to impersonating operators: they use their own
 * network and second factor, and owners control them through support access.
 */
export function policyViolation(policies: AccessPolicies, { session }: Caller, client: Client): AppError | null {
  if (!session) return isAllowed(policies.serverKeyIps, client) ? null : ipNotAllowed(client, 'server keys');
  if (session.operatorId !== undefined) return null;
  if (!isAllowed(policies.memberIps, client)) return ipNotAllowed(client, 'members');
  return sessionViolation(policies, session);
}

/** A request. Its IP address is read only where it is needed: behind a proxy, finding it takes microseconds. */
interface Client {
  readonly ip: string;
}

function sessionViolation({ maxSessionMs, requireTwoFactor }: AccessPolicies, session: Session): AppError | null {
  const { authenticatedAt } = session;
  if (maxSessionMs !== null && (!authenticatedAt || Date.now() - authenticatedAt.getTime() > maxSessionMs))
    return unauthorized(
      'session_too_old',
      authenticatedAt
        ? 'Your organisation limits how long a session lasts, and yours is over. Sign in again.'
        : 'Your organisation limits how long a session lasts, and your identity provider does not say when you signed in (`auth_time`). Ask the person who manages it.',
    );
  if (requireTwoFactor && !hasTwoFactor(session))
    return forbidden(
      'two_factor_required',
      session.id === null
        ? 'Your organisation requires two-factor authentication, and your identity provider does not say that you used it. Sign in there with two-factor authentication.'
        : 'Your organisation requires two-factor authentication. Set it up in your profile (POST /mfa/totp or /mfa/passkeys/options), then try again.',
    );
  return null;
}

export const hasTwoFactor = ({ isProtected, isMultiFactor }: Session): boolean => isProtected ?? isMultiFactor ?? false;

const isAllowed = (ranges: IpRanges | null, client: Client) => ranges === null || isWithin(ranges, client.ip);

const ipNotAllowed = ({ ip }: Client, who: string) =>
  forbidden(
    'ip_not_allowed',
    `This organisation does not allow ${who} from the IP address ${ip}. Use an allowed network, or ask an owner.`,
  );
