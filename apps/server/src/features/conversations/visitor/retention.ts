import type { Services } from '../../../platform/context.ts';
import { everyTenant } from '../../../platform/every-tenant.ts';
import { purgeOldQuestions } from '../../usage/index.ts';
import { purgeExpired } from './privacy.ts';

/** Deletes data past its retention period. Safe to run in several workers: each locks different rows. */
export async function purgeConversations(services: Services): Promise<number> {
  let deleted = 0;
  await everyTenant(services, 'retention', async (ctx) => {
    await purgeOldQuestions(ctx);
    const batch = await purgeExpired(ctx);
    deleted += batch;
    return batch > 0;
  });
  return deleted;
}
