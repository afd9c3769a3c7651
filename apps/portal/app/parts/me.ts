import type { PortalSite } from '@parley/portal-kit/context';
import { useRouteLoaderData } from 'react-router';
import type { Me } from './rights.ts';

interface LayoutData {
  me: Me;
  organisation: { name: string };
  site: PortalSite;
}

/** The signed-in member, as read by the layout. */
export function useLayoutData(): LayoutData {
  const data: LayoutData | undefined = useRouteLoaderData('pages/layout');
  if (!data) throw new Error('only for pages within the layout');
  return data;
}
export const useMe = (): Me => useLayoutData().me;
