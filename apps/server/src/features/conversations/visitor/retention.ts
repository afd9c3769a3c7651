import type { Services } from '../../../platform/context.ts';
import { everyTenant } from '../../../platform/every-tenant.ts';
import { purgeOldQuestions } from '../../usage/index.ts';
import { purgeExpired } from './privacy.ts';

/** Forgets what is over its time. Any number of workers may do so at once: each takes other rows. */
export async function purgeConversations(services: Services): Promise<number> {
  let forgotten = 0;
  await everyTenant(services, 'retention', async (ctx) => {
    await purgeOldQuestions(ctx);
    const some = await purgeExpired(ctx);
    forgotten += some;
    return some > 0;
  });
  return forgotten;
}
