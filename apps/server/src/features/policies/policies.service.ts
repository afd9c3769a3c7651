import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../platform/context.ts';
import { conflict, forbidden, invalid } from '../../platform/errors.ts';
import { emit } from '../../platform/events.ts';
import { hasTwoFactor, policyViolation, type AccessPolicies } from '../../platform/access-policies.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { compileIpRanges, readIpRange } from '../../platform/ip-ranges.ts';
import { domainOf, readEmailDomain } from './email-domains.ts';
import type { ChangePolicies, Policies } from './policies.contract.ts';
import { policiesChanged } from './policies.events.ts';
import * as store from './policies.store.ts';

/** Invalidates the cached tenant on every node after the commit, so that the next request sees the new policies. */
export type InvalidateTenant = (tenantId: Id<'tenant'>) => void;

export const compilePolicies = ({
  requireTwoFactor,
  maxSessionHours,
  memberIpRanges,
  serverKeyIpRanges,
}: Policies): AccessPolicies => ({
  requireTwoFactor,
  maxSessionMs: maxSessionHours === null ? null : maxSessionHours * 3_600_000,
  memberIps: compileIpRanges(memberIpRanges),
  serverKeyIps: compileIpRanges(serverKeyIpRanges),
});

export const readPolicies = async ({ tx }: Context, yourIp: string) => describe(await store.find(tx), { tx }, yourIp);

export async function changePolicies(ctx: Context, change: ChangePolicies, ip: string, invalidate: InvalidateTenant) {
  await store.lock(ctx.tx);
  const previous = await store.find(ctx.tx);
  const policies = { ...previous, ...normalize(change) };
  if (!isDeepStrictEqual(policies, previous)) {
    assertNotLockedOut(ctx, policies, ip);
    await store.update(ctx.tx, policies);
    await emit(ctx, policiesChanged, ctx.tenantId, { object: policies, previous });
    ctx.afterCommit(() => invalidate(ctx.tenantId));
  }
  return describe(policies, ctx, ip);
}

/** Applies to invitations and joining. Existing members keep their access. */
export async function assertEmailDomain({ tx }: Pick<Context, 'tx'>, email: string): Promise<void> {
  const { allowedEmailDomains } = await store.find(tx);
  const domain = domainOf(email);
  if (allowedEmailDomains.length === 0 || (domain !== null && allowedEmailDomains.includes(domain))) return;
  throw domainNotAllowed();
}

export const domainNotAllowed = () =>
  forbidden(
    'email_domain_not_allowed',
    'This organisation does not allow email addresses of this domain. Use one of an allowed domain, or ask an owner.',
  );

const describe = async (policies: Policies, { tx }: Pick<Context, 'tx'>, yourIp: string) => ({
  policies,
  membersOutsideDomains: await store.countMembersOutside(tx, policies.allowedEmailDomains),
  yourIp,
});

/** Normalizes, deduplicates and sorts the lists. */
function normalize({ allowedEmailDomains, memberIpRanges, serverKeyIpRanges, ...plain }: ChangePolicies) {
  return {
    ...plain,
    ...(allowedEmailDomains && {
      allowedEmailDomains: readEach('allowedEmailDomains', allowedEmailDomains, readEmailDomain, notDomain),
    }),
    ...(memberIpRanges && { memberIpRanges: readEach('memberIpRanges', memberIpRanges, readIpRange, notRange) }),
    ...(serverKeyIpRanges && {
      serverKeyIpRanges: readEach('serverKeyIpRanges', serverKeyIpRanges, readIpRange, notRange),
    }),
  } as Partial<Policies>;
}
const notDomain = 'A domain that one organisation owns, such as example.com: no public suffix, no @, no path.';
const notRange = 'An IP address or a CIDR range, such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32.';

function readEach(
  field: keyof Policies,
  texts: readonly string[],
  readOne: (text: string) => string | null,
  message: string,
): string[] {
  const values = texts.map(readOne);
  const details = values.flatMap((value, index) => (value === null ? [{ path: `/${field}/${index}`, message }] : []));
  if (details.length > 0) throw invalid('invalid_fields', details);
  return [...new Set(values as string[])].sort();
}

/** A change must not lock out its author, who could not undo it. */
function assertNotLockedOut(ctx: Context, policies: Policies, ip: string): void {
  const { session } = ctx;
  if (policies.requireTwoFactor && !(session && hasTwoFactor(session)))
    throw conflict(
      'own_two_factor_missing',
      'Set up two-factor authentication for your own account first, then require it of everybody.',
    );
  const { reason } = policyViolation(compilePolicies(policies), ctx, { ip }) ?? {};
  if (reason === 'ip_not_allowed')
    throw conflict(
      'own_ip_excluded',
      `Your own IP address, ${ip}, is not in the list, so you would lock yourself out. Add it first.`,
    );
}
