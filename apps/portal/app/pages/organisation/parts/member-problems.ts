import { Problem } from '@parley/portal-kit/ui';
import { permissionLabel } from './roles.ts';

const joinList = (items: readonly string[]) => new Intl.ListFormat('en-GB').format(items);

/** Errors about members, with labels in place of permission names. */
function messageFor({ reason, message }: Problem, plan: string, max: number): string | undefined {
  if (reason === 'role_too_low') {
    const missing = message.match(/(?<![a-z_])[a-z_]+\.[a-z_]+/g) ?? [];
    return `This role has permissions you don’t have: ${joinList(missing.map(permissionLabel))}. Ask someone with that role.`;
  }
  if (reason === 'plan_limit_reached')
    return `You’ve reached your ${plan} plan’s limit of ${seats(max)}. Pending invitations use a seat too. Remove a member, revoke an invitation or upgrade your plan.`;
  if (reason === 'last_owner')
    return 'This is the last owner who can sign in. Make someone else an owner or transfer ownership first.';
  return undefined;
}

export function describeProblem(problem: Problem | undefined, { plan, max }: { plan: string; max: number }) {
  const message = problem && messageFor(problem, plan, max);
  if (!message) return problem;
  const { status, code, reason, details, requestId } = problem;
  return new Problem(status, { code, reason, details, message, ...(requestId && { requestId }) });
}

export const seats = (max: number) => (max === 1 ? '1 seat' : `${max} seats`);
export const planName = (plan: string) => plan.charAt(0).toUpperCase() + plan.slice(1);
