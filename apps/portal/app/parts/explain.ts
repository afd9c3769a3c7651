import type { ServiceError } from '@parley/portal-kit/service';
import { planWith, rolesWith } from './rights.ts';

interface Explained {
  title: string;
  text: string;
  next: 'reload' | 'home';
}

const permissionIn = (message = '') => /'([a-z_]+\.[a-z_]+)'/.exec(message)?.[1];

/** A refusal in words for whoever ran into it. */
export function explain(status: number, problem: Partial<ServiceError> | undefined): Explained {
  if (problem?.reason === 'permission_missing') {
    const permission = permissionIn(problem.message) ?? '';
    const roles = rolesWith(permission);
    return {
      title: 'Your role does not include this',
      text: `${roles ? `It is for ${roles}.` : ''} Ask an owner or admin of your organisation to give you that role.`.trim(),
      next: 'home',
    };
  }
  if (problem?.code === 'FEATURE_NOT_ENTITLED') {
    const feature = /'([a-z_.]+)'/.exec(problem.message ?? '')?.[1] ?? '';
    return {
      title: 'Your plan does not include this',
      text: `${planWith(feature)} An owner of your organisation can change the plan with us.`,
      next: 'home',
    };
  }
  if (status === 404)
    return {
      title: 'There is nothing here',
      text: problem?.message ?? 'The address may be mistyped, or what was here is gone.',
      next: 'home',
    };
  if (status === 429) return { title: 'Too many requests', text: 'Wait a moment, then try again.', next: 'reload' };
  return {
    title: status === 503 ? 'The service cannot be reached' : 'That did not work',
    text: problem?.message ?? 'Something went wrong on our side. Nothing you entered elsewhere is lost.',
    next: 'reload',
  };
}
