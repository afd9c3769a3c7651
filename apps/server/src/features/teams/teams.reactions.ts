import { asSystem, inTenant, type Services } from '../../platform/context.ts';
import type { Subscriber } from '../../platform/relay.ts';
import { leaveTeam } from './teams.store.ts';

const batch = 500;

/** After the commit of the deletion, in batches: a team may have more open conversations than one transaction should lock. */
export const leaveDeletedTeams =
  (services: Services): Subscriber =>
  async (tenantId, events) => {
    for (const { type, subjectId } of events) {
      if (type !== 'team.deleted') continue;
      const leave = () => inTenant(services, asSystem(tenantId, 'teams'), ({ tx }) => leaveTeam(tx, subjectId, batch));
      while ((await leave()) === batch);
    }
  };
