import type { Services } from '../../../platform/context.ts';
import { forDueTenants } from '../../../platform/due-tenants.ts';
import { purgeExpired } from './privacy.ts';
import { expiredConversations } from './privacy.store.ts';

/** Deletes conversations past their retention period. Returns how many. */
export async function purgeConversations(services: Services): Promise<number> {
  let deleted = 0;
  await forDueTenants(services, 'retention', expiredConversations, async (ctx) => {
    const { count, isMore } = await purgeExpired(ctx);
    deleted += count;
    return isMore;
  });
  return deleted;
}
