import { ErrorPage as Shown, explainPlainly, type Explain } from '@parley/portal-kit/ui';
import { permissionIn, rolesWith } from './rights.ts';

const explain: Explain = (status, problem) => {
  if (problem?.reason !== 'permission_missing') return explainPlainly(status, problem);
  return {
    title: 'Your role does not include this',
    text: `It is for ${rolesWith(permissionIn(problem.message))}. Ask a platform admin to give you that role.`,
    next: 'home',
  };
};

export const ErrorPage = () => <Shown explain={explain} />;
