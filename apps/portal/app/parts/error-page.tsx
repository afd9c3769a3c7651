import { ErrorPage as Shown } from '@parley/portal-kit/ui';
import { explain } from './explain.ts';

export const ErrorPage = () => <Shown explain={explain} />;
