import type { PortalSite } from '@parley/portal-kit/context';
import { useRouteLoaderData } from 'react-router';
import type { Me } from './rights.ts';

interface Known {
  me: Me;
  organisation: { name: string };
  site: PortalSite;
}

/** The signed-in member, as read by the layout. */
export function useKnown(): Known {
  const known = useRouteLoaderData('pages/layout') as Known | undefined;
  if (!known) throw new Error('only for pages within the layout');
  return known;
}
export const useMe = (): Me => useKnown().me;
