import { ErrorPage as SharedErrorPage } from '@parley/portal-kit/ui';
import { explain } from './explain.ts';

export const ErrorPage = () => <SharedErrorPage explain={explain} />;
