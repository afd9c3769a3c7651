import { explainPlainly, type Explain } from '@parley/portal-kit/ui';
import { planWith, rolesWith } from './rights.ts';

const permissionIn = (message = '') => /'([a-z_]+\.[a-z_]+)'/.exec(message)?.[1];

/** Explains an error to the user. */
export const explain: Explain = (status, problem) => {
  if (problem?.reason === 'permission_missing') {
    const permission = permissionIn(problem.message) ?? '';
    const roles = rolesWith(permission);
    return {
      title: 'Your role doesn’t include this',
      text: `${roles ? `Only ${roles} have access.` : ''} Ask an owner or admin in your organisation to change your role.`.trim(),
      next: 'home',
    };
  }
  if (problem?.code === 'FEATURE_NOT_ENTITLED') {
    const feature = /'([a-z_.]+)'/.exec(problem.message ?? '')?.[1] ?? '';
    return {
      title: 'Your plan doesn’t include this',
      text: `${planWith(feature)} An owner of your organisation can change the plan.`,
      next: 'home',
      link: { to: '/organisation/plans', label: 'Compare plans' },
    };
  }
  if (problem?.reason === 'ip_not_allowed')
    return { title: 'Your IP address isn’t allowed', text: problem.message ?? '', next: 'reload' };
  return explainPlainly(status, problem);
};
