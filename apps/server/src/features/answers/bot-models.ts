import type { Context } from '../../platform/context.ts';
import { readBot } from '../bots/index.ts';
import { readEntitlements } from '../entitlements/index.ts';
import { listModels } from '../models/index.ts';
import type { ModelAccess } from './model-call.ts';

/** What `findModel` would find: the deployment's default model, and the tenant's own if the plan includes them. */
export async function listBotModels(ctx: Context, { models }: Pick<ModelAccess, 'models'>, botId: string) {
  await readBot(ctx, botId); // 404 if it is another tenant's
  const { entitlements } = await readEntitlements(ctx);
  const own = entitlements.custom_model > 0 ? (await listModels(ctx, { limit: 100 })).data : [];
  const fromDeployment = models.length > 0 ? [{ id: 'default' as const, name: 'Default model' }] : [];
  return { data: [...fromDeployment, ...own.map(({ id, name }) => ({ id, name }))] };
}
