import { ErrorPage as SharedErrorPage, explainPlainly, type Explain } from '@parley/portal-kit/ui';
import { permissionIn, rolesWith } from './rights.ts';

const explain: Explain = (status, problem) => {
  if (problem?.reason !== 'permission_missing') return explainPlainly(status, problem);
  return {
    title: 'You don’t have access to this page',
    text: `Requires ${rolesWith(permissionIn(problem.message))}. Ask someone with the Platform admin role to give you access.`,
    next: 'home',
  };
};

export const ErrorPage = () => <SharedErrorPage explain={explain} />;
