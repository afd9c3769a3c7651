import { explainPlainly, type Explain } from '@parley/portal-kit/ui';
import { planWith, rolesWith } from './rights.ts';

const permissionIn = (message = '') => /'([a-z_]+\.[a-z_]+)'/.exec(message)?.[1];

/** A refusal in words for whoever ran into it. */
export const explain: Explain = (status, problem) => {
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
  return explainPlainly(status, problem);
};
