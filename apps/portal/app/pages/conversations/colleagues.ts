import type { Schemas } from '@parley/portal-kit/service';
import { useRouteLoaderData } from 'react-router';

interface Colleagues {
  agents: Schemas['Agent'][];
  teams: Schemas['Team'][];
}

const none: Colleagues = { agents: [], teams: [] };

/** Who can take over, as loaded with the list. */
export const useColleagues = (): Colleagues =>
  (useRouteLoaderData('pages/conversations/conversations') as Colleagues | undefined) ?? none;
