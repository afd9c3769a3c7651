import { Problem } from '@parley/portal-kit/ui';
import { wordsFor } from './roles.ts';

const and = (parts: readonly string[]) => new Intl.ListFormat('en').format(parts);

/** Refusals about people, as somebody says them who has never read our names for permissions. */
function messageFor({ reason, message }: Problem, plan: string, most: number): string | undefined {
  if (reason === 'role_too_low') {
    const lacking = message.match(/(?<![a-z_])[a-z_]+\.[a-z_]+/g) ?? [];
    return `Only somebody with that role can do this. It lets people ${and(lacking.map(wordsFor))}, and yours does not.`;
  }
  if (reason === 'plan_limit_reached')
    return `All ${most} places of your plan ${plan} are taken. Open invitations take a place too. Remove a member, revoke an invitation, or ask us for a larger plan.`;
  if (reason === 'last_owner')
    return 'This is the last owner who can sign in. Make somebody else an owner first, or hand the ownership over.';
  return undefined;
}

export function inWords(problem: Problem | undefined, { plan, most }: { plan: string; most: number }) {
  const message = problem && messageFor(problem, plan, most);
  if (!message) return problem;
  const { status, code, reason, details, requestId } = problem;
  return new Problem(status, { code, reason, details, message, ...(requestId && { requestId }) });
}

export const planName = (plan: string) => plan.charAt(0).toUpperCase() + plan.slice(1);
